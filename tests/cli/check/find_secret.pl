#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# What measured code can find of a secret: looks through its own environment, and through environment, command line,
# memory and pipes of each process above it, and prints where the secret is.
#
#   find_secret.pl FILE [TOP]    FILE holds the secret, one character on each line; TOP: a process to stop at
use strict;
use warnings;
use Fcntl;

my ($file, $top) = (shift, shift // 1);
open my $letters, '<', $file or die "$file: $!\n";
my $secret = join '', map { chomp; $_ } <$letters>;

sub content {
	my ($path) = @_;
	sysopen my $in, $path, O_RDONLY | O_NONBLOCK or return '';
	my ($text, $piece) = ('');
	$text .= $piece while length $text < 1 << 24 && sysread $in, $piece, 65536;
	return $text;
}

sub memory_has {
	my ($pid) = @_;
	open my $maps, '<', "/proc/$pid/maps" or return 0;
	open my $memory, '<', "/proc/$pid/mem" or return 0;
	while (<$maps>) {
		my ($low, $high) = /^([0-9a-f]+)-([0-9a-f]+) rw/ or next;
		($low, $high) = (hex $low, hex $high);
		sysseek $memory, $low, 0 or next;
		for (my $tail = ''; $low < $high;) {
			my $got = sysread $memory, my $piece, $high - $low < 1 << 20 ? $high - $low : 1 << 20 or last;
			return 1 if index($tail . $piece, $secret) >= 0;
			$tail = $got > 100 ? substr $piece, -100 : $piece;
			$low += $got;
		}
	}
	return 0;
}

sub parent {
	return content("/proc/$_[0]/stat") =~ /.*\) \S (\d+)/s ? $1 : 0;
}

print "own environment\n" if grep { index($_, $secret) >= 0 } %ENV;
for (my $pid = parent($$); $pid > 1 && $pid != $top; $pid = parent($pid)) {
	(my $name = content("/proc/$pid/comm")) =~ s/\n//;
	for my $kind (qw(environ cmdline)) {
		print "$kind of $name\n" if index(content("/proc/$pid/$kind"), $secret) >= 0;
	}
	print "memory of $name\n" if memory_has($pid);
	for my $descriptor (grep { (readlink $_ // '') =~ /^pipe:/ } glob "/proc/$pid/fd/*") {
		print "descriptor of $name\n" if index(content($descriptor), $secret) >= 0;
	}
}
print "looked\n";
