# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# python3: objects, exceptions, threads, a child that is spawned and one that is forked, signals and timed waits.
needs=(python3)

prepare() {
	words $((scale * 8000)) 13 >text
	cat >script.py <<'PYTHON'
import json, os, re, select, signal, subprocess, sys, threading, time, zlib

class Missing(Exception):
    pass

def look(table, key):
    if key not in table:
        raise Missing(key)
    return table[key]

def dig(table, depth):
    return dig(table, depth - 1) if depth else look(table, "nothing")

lines = open(sys.argv[1]).read().split("\n")
table, missing = {}, 0
for line in lines:
    for word in re.findall(r"\b([a-z]{2})(\d+)\b", line):
        table.setdefault(word[0], []).append(int(word[1]))
    try:
        dig(table, 30)
    except Missing:
        missing += 1
text = json.dumps({k: sum(v) for k, v in sorted(table.items())})
print(zlib.crc32(text.encode()), missing, len(zlib.compress(text.encode() * 50)))

results = [0] * 4
def burn(n):
    results[n] = sum(i * i % (n + 7) for i in range(len(lines) * 10))
threads = [threading.Thread(target=burn, args=(n,)) for n in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(results)
print(subprocess.run([sys.executable, "-S", "-c", "print(sum(range(10**5))); raise SystemExit(4)"],
    capture_output=True).returncode)
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    os._exit(sum(range(100000)) % 200)
print(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))

rings = []
signal.signal(signal.SIGALRM, lambda number, frame: rings.append(number))
signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
reader, writer = os.pipe()
for n in range(20):
    select.select([reader], [], [], 0.01)
    time.sleep(0.005)
signal.setitimer(signal.ITIMER_REAL, 0)
print("rang" if rings else "never rang", set(rings) == {signal.SIGALRM})
sys.stderr.write("to stderr\n")
raise Missing("at the end")
PYTHON
}

work() {
	export PYTHONHASHSEED=0
	measured python3 -S -I script.py text
}

filter() { cat; }
