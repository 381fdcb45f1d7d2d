# SPDX-License-Identifier: Apache-2.0
"""type.py COMMAND... <LINES: types each line and a TAB into an interactive shell on a terminal of its own, then return.

The shell prints "READY> " when it can be typed into; the program that a line runs prints "ARGS" in the end. Exits with 1
where that does not come.
"""
import os
import pty
import select
import struct
import sys
import termios
import fcntl
import time

DEADLINE = time.monotonic() + 60


def read_until(terminal, text, seen):
    while text not in seen:
        if not select.select([terminal], [], [], max(0, DEADLINE - time.monotonic()))[0]:
            sys.exit(f"type.py: no {text!r} in {seen[-2000:]!r}")
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            chunk = b""
        if not chunk:
            sys.exit(f"type.py: the shell has ended: {seen[-2000:]!r}")
        seen += chunk
    return seen[seen.index(text) + len(text):]


def main():
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 500, 0, 0))
    seen = b""
    for line in sys.stdin.read().splitlines():
        seen = read_until(terminal, b"READY> ", seen)
        os.write(terminal, line.encode() + b"\t")
        # The answer to TAB comes before what is typed next.
        os.write(terminal, b"\r")
        seen = read_until(terminal, b"ARGS", seen)
    os.write(terminal, b"exit\r")
    os.close(terminal)
    os.waitpid(child, 0)


main()
