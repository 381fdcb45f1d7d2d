#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# The READMEs against the tree: each folder of code has one, what one names is there, what a folder may include is what
# check-layers.pl says, and who asks one of questions.txt finds the answer's folder by two links from README.md. TAP.
use strict;
use warnings;
use File::Basename qw(dirname);
chdir dirname($0) . '/../..' or die;

# Specifications and guides; any other README has at most LINES lines.
use constant {LINES => 30, FILES => 26}; # with the README
my %long = map { $_ => 1 } qw(README.md gate/README.md gate/verdict/README.md gate/sampler/README.md baseline/README.md
	report/gallery/README.md tests/README.md actions/README.md);

my ($number, $failures) = (0, 0);
sub check {
	my ($is_fine, $what, @why) = @_;
	$number++;
	$failures++ unless $is_fine;
	print $is_fine ? 'ok' : 'not ok', " $number - $what\n", map { "# $_\n" } @why;
}

sub text_of {
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!";
	local $/;
	return scalar <$in>;
}

my @tracked = split /\n/, `git ls-files -co --exclude-standard`;
my @files = grep { -f } @tracked;
my %folders = map { dirname($_) => 1 } grep { m{^(gate|report|baseline)/.*\.(c|h|js)$} } @files;
my @readmes = grep { m{(^|/)README\.md$} } @files;
check(@readmes > 60, 'there are READMEs to look at');

my @without = grep { !-f "$_/README.md" } sort keys %folders;
check(!@without, 'each folder of code has a README', @without);

my @nameless = grep { $_ ne 'report/gallery' && -f "$_/README.md" && text_of("$_/README.md") !~ /^# (\Q$_\E: |The verdict\n)/ } sort keys %folders;
check(!@nameless, 'each begins with its folder and what it is', @nameless);

my @too_long = grep { !$long{$_} && (() = text_of($_) =~ /\n/g) > LINES } grep { m{^(gate|report|baseline)/} } @readmes;
check(!@too_long, 'a folder is explained in ' . LINES . ' lines', @too_long);

# Relative to the README, to the root, or anywhere below the README where only a name is given.
sub is_there {
	my ($folder, $path) = @_;
	$path =~ s{/$}{};
	$path =~ s/[*{].*//;
	return 1 if $path eq '' || -e "$folder/$path" || -e $path;
	return $path !~ m{/} && grep { m{^\Q$folder\E/.*/?\Q$path\E$} } @files;
}

# What tests, builds and users make is named as well, and what a user's project has.
my $made = qr{^(build/|src/|flamegate\.h$|report\.|recording\.json|check\.json|flamegate-report|\.flamegate|lib|TYPE|PID|tests/bench/RESULTS|refs/|/proc|/sys|\.\./)};
for my $readme (sort @readmes) {
	next if $readme =~ m{^(testdata|tests/bench/stories/programs)/};
	my ($folder, $text, @gone) = (dirname($readme), text_of($readme));
	$text =~ s/^```.*?^```//msg;
	while ($text =~ /`([^`\s]+)`/g) {
		my $name = $1;
		next unless $name =~ m{^[\w./*{},-]+$} && ($name =~ m{^(gate|report|baseline|tests|testdata|actions)/} || $name =~ /\.(c|h|js|sh|pl|md|mk)$/);
		push @gone, $name unless $name =~ $made || is_there($folder, $name);
	}
	while ($text =~ /\]\(([^)#:]+)(#[^)]*)?\)/g) {
		push @gone, "link to $1" unless -e "$folder/$1";
	}
	check(!@gone, "$readme: every file that it names is there", @gone);

	# `file.h`: `struct x`, `name()`: each is in that file, or in the folder
	my @lost;
	for my $line (split /\n(?=[-\n#])/, $text) {
		next unless $line =~ /^\n?- `([\w\/.]+\.(?:h|c|js))`/;
		my $file = -f "$folder/$1" ? "$folder/$1" : -f $1 ? $1 : next;
		my $source = text_of($file);
		while ($line =~ /`(?:struct |enum )?(\w+)(?:\(\))?`/g) {
			my $symbol = $1;
			push @lost, "$symbol in $file" unless $source =~ /\b\Q$symbol\E\b/ || grep { text_of($_) =~ /\b\Q$symbol\E\b/ } glob "$folder/*.[ch] $folder/*.js";
		}
	}
	check(!@lost, "$readme: every symbol is where it says", @lost);
}

# ---- what a folder may include
my $table = text_of('tests/check-layers.pl');
my ($inner) = $table =~ /^my %inner = .*?<<'END';\n(.*?)^END$/ms;
for my $line (split /\n/, $inner) {
	my ($folder, $permits) = $line =~ /^(\S+?):\s*(.*)/ or die $line;
	my ($room) = $folder =~ m{^(gate/[^/]+|[^/]+)/};
	my %wanted = map { ("$room/$_" => 1) } split ' ', $permits;
	my ($said) = text_of("$folder/README.md") =~ /((?:It|Of (?:the|its) room it|Of its room it) may include.*?)(?:\n\n|\z)/s;
	my %named = map { s{/$}{}r => 1 } ($said // '') =~ /`((?:\Q$room\E)\/[\w.\/]+)`/g;
	delete $named{$_} for grep { m{(README\.md|\.proto)$} } keys %named;
	my @differ = sort((grep { !$wanted{$_} } keys %named), (grep { !$named{$_} } keys %wanted));
	check(!@differ, "$folder/README.md says what it may include of its room", @differ);
}

# ---- the house: few files a folder, one name for one file, each with its purpose
my (%in_folder, %named);
for my $file (grep { m{^(gate|report|baseline|tests|testdata/report)/} } @files) {
	$in_folder{dirname($file)}++;
	push @{$named{$file =~ s{.*/}{}r}}, $file if $file =~ m{^(gate|report|baseline)/.*\.[ch]$} && $file !~ m{^gate/sampler/};
}
my %crowd = map { $_ => 1 } qw(report/gallery); # pictures
my @crowded = map { "$_: $in_folder{$_}" } grep { $in_folder{$_} > FILES && !$crowd{$_} } sort keys %in_folder;
check(!@crowded, 'no folder has more than ' . FILES . ' files', @crowded);
my @twice = map { "@{$named{$_}}" } grep { @{$named{$_}} > 1 } sort keys %named;
check(!@twice, 'no two files have one name', @twice);
my @purposeless = grep {
	m{^(gate|report|baseline)/.*\.c$} && !-f s{\.c$}{.h}r && text_of($_) !~ m{\A/\* SPDX[^\n]*\n/\*}
} @files;
check(!@purposeless, 'each file says what it is for, or has a header that does', @purposeless);

# ---- two links from README.md
sub links_of {
	my ($readme) = @_;
	my ($folder, @out) = (dirname($readme));
	my $text = text_of($readme);
	while ($text =~ /\]\(([^)#:]*README\.md)\)/g) {
		push @out, $folder eq '.' ? $1 : "$folder/$1";
	}
	return grep { -f } @out;
}
my %hops = ('README.md' => 0);
for my $hop (1, 2) {
	for my $from (grep { $hops{$_} == $hop - 1 } keys %hops) {
		$hops{$_} //= $hop for links_of($from);
	}
}
for my $line (grep { /^[^#]/ } split /\n/, text_of('tests/docs/questions.txt')) {
	my ($question, $file, $symbol) = $line =~ /^(.*?)\s*\|\s*(\S+):(\S+)$/ or die $line;
	my $folder = dirname($file);
	my @why;
	push @why, "$file is not there" unless -f $file;
	push @why, "$symbol is not in $file" unless -f $file && text_of($file) =~ /\b\Q$symbol\E\b/;
	push @why, "$folder/README.md is more than two links away from README.md" unless defined $hops{"$folder/README.md"};
	check(!@why, "found: $question", @why);
}

# ---- nothing cites what is not here
my @cites = grep { m{^(gate|report|baseline|tests|actions)/.*\.(c|h|js|sh|pl|mk|md)$} && $_ ne 'tests/docs/readmes.pl' && text_of($_) =~ m{\((facts:|design[ ,)]|issue \d)} } @files;
check(!@cites, 'no file cites a page that is not in the tree', @cites);
print "1..$number\n";
exit($failures ? 1 : 0);
