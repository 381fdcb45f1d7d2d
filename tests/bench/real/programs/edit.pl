#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Changes C sources that are not ours, by the names of functions alone. What does not match exactly once
# is an error: the sources are of one known version.
#
#   edit.pl plant FUNCTION ROUNDS FILE LENGTH...   work at the function's entry: so many rounds of some arithmetic
#   edit.pl rename OLD NEW FILE...           everywhere in these files
#   edit.pl attribute FUNCTION WORDS FILE    before the definition
#   edit.pl move FUNCTION FROM TO            the definition, to TO's end
#   edit.pl apart FUNCTION FROM TO           the definition, to the new file TO, which FROM includes instead
#   edit.pl above FUNCTION TEXT FILE         lines above the definition
#   edit.pl replace PATTERN TEXT FILE        a regular expression; $1, $2 stand in TEXT
use strict;
use warnings;

sub get {
	open(my $in, '<', $_[0]) or die "$_[0]: $!\n";
	local $/;
	return <$in>;
}

sub set {
	my ($file, $text) = @_;
	open(my $out, '>', $file) or die "$file: $!\n";
	print $out $text;
	close $out or die "$file: $!\n";
}

# The beginning of a definition: its type (maybe in the line above), name and parameters, brace included.
sub head_of {
	my ($name) = @_;
	return qr/^[A-Za-z_](?:[\w *\t]|\n(?!\n))*?\b\Q$name\E\s*\((?:[^;{}]|\{\})*?\)\s*\{/m;
}

# Where the definition begins and where its brace ends.
sub find_head {
	my ($text, $name, $file) = @_;
	my $head = head_of($name);
	my @found;
	while ($$text =~ /$head/g) {
		push @found, [$-[0], $+[0]];
	}
	@found == 1 or die "$file: " . @found . " definitions of $name\n";
	return @{$found[0]};
}

sub insert {
	my ($file, $at, $what) = @_;
	my $text = get($file);
	substr($text, $at->(\$text), 0) = $what;
	set($file, $text);
}

# Chains of so many simple instructions each, which depend on each other alone: a round takes as many cycles as the
# longest has instructions. No branch whose misses would cost more than they do. Every sixteenth call does the work
# of sixteen: the few of one call would run beside the instructions of its callers, wherever those wait for
# something, and cost next to nothing (+1 % of the instructions were +0.6 % of the CPU time). The empty asm keeps
# the compiler from knowing them.
sub chain {
	my ($name, $length) = @_;
	return join '', " $name ^= 5;", map { $_ % 2 ? " $name += 7;" : " $name ^= 5;" } 1 .. $length - 1;
}

sub plant {
	my ($name, $rounds, $file, @lengths) = @_;
	@lengths or die "plant: the lengths of the chains are missing\n";
	my @chains = map { "planted_$_" } 1 .. @lengths;
	insert($file, sub { (find_head($_[0], $name, $file))[1] },
		"\n\tstatic unsigned planted_calls;\n\tif (planted_calls++ % 16 == 0) {" .
		"\n\t\tunsigned " . join(', ', map { "$_ = 1" } @chains) . ";\n\t\t_Pragma(\"GCC unroll 8\")" .
		"\n\t\tfor (unsigned planted = 0; planted < 16 * $rounds; planted++) {" .
		join('', map { chain($chains[$_], $lengths[$_]) . " __asm__ volatile(\"\" : \"+r\"($chains[$_]));" } 0 .. $#chains) .
		" }\n\t}");
}

sub before {
	my ($name, $what, $file) = @_;
	insert($file, sub { (find_head($_[0], $name, $file))[0] }, $what);
}

sub rename_in {
	my ($old, $new, @files) = @_;
	my $count = 0;
	for my $file (@files) {
		my $text = get($file);
		$text !~ /\b\Q$new\E\b/ or die "$file: has a $new already\n";
		my $here = $text =~ s/\b\Q$old\E\b/$new/g;
		set($file, $text) if $here;
		$count += $here;
	}
	$count or die "no $old\n";
}

# Takes the definition out of the file and returns it; in its place stands $instead.
sub take {
	my ($name, $file, $instead) = @_;
	my $text = get($file);
	my ($begin, $brace) = find_head(\$text, $name, $file);
	substr($text, $brace) !~ /\A.*\}/ or die "$file: $name ends in its line, not at one of its own\n";
	my $end = index($text, "\n}\n", $brace);
	$end > 0 or die "$file: $name has no end\n";
	my $body = substr($text, $begin, $end + 3 - $begin, $instead);
	set($file, $text);
	return $body;
}

sub move {
	my ($name, $from, $to) = @_;
	my $body = take($name, $from, '');
	set($to, get($to) . "\n" . $body);
}

sub apart {
	my ($name, $from, $to) = @_;
	! -e $to or die "$to: is there already\n";
	set($to, take($name, $from, "#include \"$to\"\n"));
}

sub replace {
	my ($pattern, $with, $file) = @_;
	my $text = get($file);
	my @places;
	while ($text =~ /$pattern/mg) {
		my ($from, $to, @groups) = ($-[0], $+[0], undef, $1, $2, $3);
		(my $new = $with) =~ s/\$([123])/$groups[$1] \/\/ ''/ge;
		push @places, [$from, $to - $from, $new];
	}
	@places == 1 or die "$file: " . @places . " places like $pattern\n";
	substr($text, $places[0][0], $places[0][1]) = $places[0][2];
	set($file, $text);
}

my %commands = (
	plant => \&plant,
	rename => \&rename_in,
	attribute => sub { before($_[0], "$_[1] ", $_[2]) },
	move => \&move,
	apart => \&apart,
	above => sub { before($_[0], "$_[1]\n", $_[2]) },
	replace => \&replace,
);
my $command = $commands{shift // ''} or die "usage: see the head of this file\n";
$command->(@ARGV);
