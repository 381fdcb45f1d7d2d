# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# perl: hashes, regular expressions, die and eval, children, sleeps, alarms and pipes of its own; its environment.
needs=(perl)

prepare() {
	words $((scale * 30000)) 11 >text
	cat >script.pl <<'PERL'
use strict; use warnings;
use Time::HiRes qw(sleep alarm);
my (%count, $thrown);
while (my $line = <>) {
	$count{$1}++ while $line =~ /\b([a-z]{2})\d*[13579]\b/g;
	eval { die { number => $. } if $line =~ /qq/; 1 } or $thrown += $@->{number};
}
print "$_ $count{$_}\n" for (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 9];
print "thrown $thrown\n";
print "$_=$ENV{$_}\n" for grep { !/^(LD_PRELOAD|FLAMEGATE_\w+)$/ } sort keys %ENV;
for my $n (1 .. 5) {
	open(my $child, '-|', "$^X -e 'my \$s = 0; \$s += \$_ ** 2 % 7 for 1 .. 20000; print \$s; exit $n'") or die;
	print "child said ", <$child>, "\n";
	close $child;
	print "and ended with ", $? >> 8, "\n";
}
my $rings = 0;
local $SIG{ALRM} = sub { $rings++ };
alarm(0.05);
my $slept = select(undef, undef, undef, 20);
print "interrupted: $!, rings $rings\n" if $slept < 0;
sleep 0.01 for 1 .. 10;
warn "a warning\n";
exit 3;
PERL
}

work() {
	export PERL_HASH_SEED=0
	measured perl script.pl text
}

filter() { cat; }
