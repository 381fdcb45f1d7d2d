#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program that stops its parent, which is how some tell a supervisor that they are ready: no command hangs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"

repo stopped
cat >bench.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	FILE *mark;

	puts("ready");
	fflush(stdout);
	kill(getppid(), SIGSTOP);
	mark = fopen(MARK, "w");
	if (mark)
		fclose(mark);
	sleep(1000);
	return 0;
}
C
printf 'bench: bench.c\n\t$(CC) -DMARK=\\"%s\\" -o bench bench.c\n' "$work/mark" >Makefile
printf 'bench\njob/\nflamegate-*/\n' >.gitignore
config
commit first
make -s
# What hangs all the same is killed.
ends() { run timeout -s KILL 300 "$flamegate" "$@"; }

ends run -o profile -- ./bench
expect "run: it ends, and says why" 3 "ready" "was stopped by a signal" "SIGSTOP to its parent"
ends record
expect "record: it ends, and says why" 3 "was stopped by a signal" "SIGSTOP to its parent"
git checkout -qb topic
sed -i 's/"ready"/"ready now"/' bench.c && commit "other words"
ends check --base main
expect "check: it ends, and says why" 3 "was stopped by a signal" "SIGSTOP to its parent"
sed -i 's/^build:.*/build: make -s \&\& .\/bench/' .flamegate.yml && commit "in the build"
ends check --base main
expect "a build that does so: it ends, and says why" 3 "was stopped by a signal" "SIGSTOP to its parent"

# left: what runs in this test's folder
left() {
	for process in /proc/[0-9]*; do
		case $(readlink "$process/cwd" 2>/dev/null)/$(cat "$process/comm" 2>/dev/null) in "$work"/*/bench) echo "${process#/proc/}" ;; esac
	done
}
gone() { for _ in $(seq 200); do [ -z "$(left)" ] && return 0; sleep 0.05; done; left; return 1; }
check "and nothing stays behind" gone

# ---- told to end meanwhile
git checkout -q main
for signal in INT TERM; do
	rm -f "$work/mark"
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$flamegate" record >"$work/out" 2>&1 </dev/null &
	for _ in $(seq 6000); do [ -e "$work/mark" ] && break; sleep 0.05; done
	kill -$signal $!
	wait $!
	status=$?
	expect "$signal ends it, too" 3 "interrupted by SIG$signal"
	check "with all of it" gone
done

# ---- somebody at a terminal stops all of it, and lets it go on
cat >job.sh <<'J'
#!/bin/sh
echo begun
read -r word
echo "heard $word"
exec perl -e '++$n while $n < 3e6'
J
chmod +x job.sh
cat >terminal.py <<'P'
import glob, os, pty, select, sys, time

pid, terminal = pty.fork()
if not pid:
    os.environ["PS1"] = "> "
    os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
seen = b""


def until(text):
    global seen
    end = time.monotonic() + 200
    while text not in seen:
        if time.monotonic() > end:
            sys.exit("%r did not come:\n%s" % (text, seen.decode(errors="replace")))
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 4096)
    seen = seen[seen.index(text) + len(text):]


def say(words):
    os.write(terminal, words)


def states_of(command):
    """Of the processes of that name in the terminal's session."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        fields = rest.split()
        if name == command and int(fields[3]) == pid:
            found.append(fields[0])
    return found


def until_stopped(command):
    """A reader that has not run since the key was pressed would take what is typed next."""
    end = time.monotonic() + 200
    while set(states_of(command)) != {"T"}:
        if time.monotonic() > end:
            sys.exit("%s did not stop: %s" % (command, states_of(command)))
        time.sleep(0.01)


until(b"> ")
say(b"'%s' run -o job -- ./job.sh\n" % sys.argv[1].encode())
until(b"begun")
say(b"\x1a")
until(b"Stopped")
until(b"> ")
until_stopped("job.sh")
say(b"fg\n")
until(b"job.sh")
say(b"word\n")
until(b"heard word")
until(b"Report: ")
until(b"> ")
say(b"echo status $?.\n")
until(b"status 0.")
say(b"exit\n")
os.waitpid(pid, 0)
P
check "a job that is stopped at a terminal goes on when it is continued" python3 terminal.py "$flamegate"
finish
