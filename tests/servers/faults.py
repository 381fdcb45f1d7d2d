#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scripted HTTP server on loopback: each path is one way in which a server can go wrong.

Prints a line "NAME PORT" for each of its listeners, then "ready", and runs until its stdin ends:
  http    what the paths below do
  other   another server, which counts what it is asked
  tls     as http, behind a self-signed certificate for 127.0.0.1 (line: "tls PORT CERTIFICATE")
  name    as tls, with a certificate for another name
  closed  nobody listens there
  full    a connection to it is never accepted
  mute    accepts and never says a word
Port 0: this machine cannot do it (tls and name need the openssl program).
"""
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import zlib

HOST = "127.0.0.1"
counts = {}
counts_lock = threading.Lock()


def count(key):
    with counts_lock:
        counts[key] = counts.get(key, 0) + 1
        return counts[key]


class Request:
    """One request, read as far as its blank line and its body."""

    def __init__(self, connection):
        self.connection = connection
        self.head = b""
        while b"\r\n\r\n" not in self.head:
            data = connection.recv(65536)
            if not data:
                raise ConnectionError
            self.head += data
            if not self.head[:1].isalpha():
                self.send(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
                raise ConnectionError
        self.head, self.body = self.head.split(b"\r\n\r\n", 1)
        self.method, self.target = self.head.decode("latin-1").split(" ", 2)[:2]
        parts = urllib.parse.urlsplit(self.target)
        self.path = parts.path
        self.query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))

    def header(self, name):
        for line in self.head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.strip().lower() == name.lower().encode():
                return value.strip().decode("latin-1")
        return ""

    def read_body(self):
        length = int(self.header("content-length") or 0)
        if self.header("expect"):
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        while len(self.body) < length:
            data = self.connection.recv(65536)
            if not data:
                raise ConnectionError
            self.body += data
        return self.body

    def send(self, data):
        self.connection.sendall(data)

    def begin(self, status=200, kind="text/plain", *headers):
        lines = [f"HTTP/1.1 {status} Scripted", "Connection: close", *headers]
        if kind:
            lines.append(f"Content-Type: {kind}")
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n")

    def answer(self, status=200, body=b"", kind="text/plain", *headers):
        self.begin(status, kind, f"Content-Length: {len(body)}", *headers)
        self.send(body)

    def hold(self):
        """Until the client gives up."""
        while self.connection.recv(65536):
            pass


# ---- paths: name -> function(request, rest of the path) ----------------------------------------

def ok(request, _):
    request.answer(200, b'{"a":1}', "application/json; charset=utf-8")


def echo(request, _):
    body = request.read_body()
    request.answer(200, request.head + b"\r\n\r\n" + body)


def status(request, rest):
    """/status/N?hex=&kind=&NAME=VALUE: the body in hexadecimal; other parameters are headers."""
    query = dict(request.query)
    body, kind = bytes.fromhex(query.pop("hex", "")), query.pop("kind", "text/plain")
    request.answer(int(rest), body, kind, *[f"{k}: {v}" for k, v in query.items()])


def count_of(request, rest):
    """/count/KEY: how often KEY was met (KEY: other, redirect, hops, or that of a path below)."""
    request.answer(200, str(counts.get(rest, 0)).encode())


def flaky(request, rest):
    """/flaky/KEY?n=N&status=S&after=A: S for the first N requests (A: Retry-After), then 200."""
    if count(rest) <= int(request.query["n"]):
        after = request.query.get("after")
        headers = [f"Retry-After: {after}"] if after else []
        request.answer(int(request.query["status"]), b"not yet\n", "text/plain", *headers)
    else:
        ok(request, rest)


def lose(request, rest):
    """/lose/KEY?n=N: the first N requests get no answer."""
    if count(rest) > int(request.query["n"]):
        ok(request, rest)


def mute(request, _):
    request.hold()


def stall(request, _):
    request.begin(200, "text/plain", "Content-Length: 1000")
    request.send(b"some")
    request.hold()


def drip(request, _):
    """/drip?status=S: a byte every 50 ms, never idle, never done."""
    request.begin(request.query.get("status", 200), "text/plain", "Content-Length: 1000000")
    while True:
        request.send(b".")
        time.sleep(0.05)


def short(request, _):
    request.begin(200, "application/json", "Content-Length: 1000")
    request.send(b'{"a":')


def chunk_cut(request, _):
    request.begin(200, "application/json", "Transfer-Encoding: chunked")
    request.send(b"5\r\n" + b'{"a":' + b"\r\n40\r\nabc")


def bomb(request, _):
    """10 GiB of zeros in about 10 MB of gzip; after a full flush equal input gives equal output."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(16 << 20)
    first = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    request.begin(200, "application/octet-stream", "Content-Encoding: gzip")
    request.send(first)
    for _ in range(639):
        request.send(again)


def bomb_in_bomb(request, _):
    """The same once more around itself: a few hundred kB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(16 << 20)
    inner = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    outer = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = outer.compress(inner + again * 639) + outer.flush()
    request.answer(200, body, "application/octet-stream", "Content-Encoding: gzip, gzip")


def packed(request, rest):
    """/packed/N: N bytes of text as gzip; /packed/N?damage=1: with a damaged middle."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = packer.compress(b"x" * int(rest)) + packer.flush()
    if "damage" in request.query:
        body = body[:10] + b"\xff" * 20 + body[30:]
    request.answer(200, body, "text/plain", "Content-Encoding: gzip")


def redirect(request, _):
    """/redirect?to=URL&status=S"""
    count("redirect")
    code = int(request.query.get("status", 302))
    request.answer(code, b"", "text/plain", *[f"Location: {v}" for k, v in request.query.items() if k == "to"])


def hops(request, rest):
    """/hops/N: N redirects, then 200; a path of the same server, relative."""
    count("hops")
    if int(rest) == 0:
        ok(request, rest)
    else:
        request.answer(307, b"", "text/plain", f"Location: {int(rest) - 1}?q=1#part")


def slow_hops(request, rest):
    """/slow-hops/N: as hops, half a second each."""
    time.sleep(0.5)
    hops(request, rest)


def early(request, rest):
    """An interim answer with headers of its own in front of the final one."""
    request.send(b"HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n")
    ok(request, rest)


def loop(request, _):
    request.answer(302, b"", "text/plain", "Location: /loop")


def garbage(request, _):
    request.send(bytes(range(1, 256)) * 40)


def long_line(request, _):
    request.send(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * (1 << 20) + b"\r\n\r\n")


def many_lines(request, _):
    request.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        request.send(b"X-Many: " + b"x" * 1000 + b"\r\n")


def interim(request, _):
    """Interim answers without an end."""
    while True:
        request.send(b"HTTP/1.1 100 Continue\r\nX-More: yes\r\n\r\n" * 50)


def trailers(request, _):
    request.begin(200, "text/plain", "Transfer-Encoding: chunked", "X-First: 1", "X-Empty:")
    request.send(b"2\r\nhi\r\n0\r\nX-Last:  a: b \r\n\r\n")


def repeat_credentials(request, rest):
    """/repeat/S: status S, with the request's Authorization in the body's first line."""
    request.answer(int(rest), f"refused: {request.header('authorization')}\nand more".encode())


def refuse_early(request, _):
    """413 before the body has come, and no ear for the rest of it."""
    request.answer(413, b"body too large")


PATHS = {
    "ok": ok, "echo": echo, "status": status, "count": count_of, "flaky": flaky, "lose": lose,
    "mute": mute, "stall": stall, "drip": drip, "short": short, "chunk-cut": chunk_cut,
    "bomb": bomb, "bomb-in-bomb": bomb_in_bomb, "packed": packed, "redirect": redirect,
    "hops": hops, "slow-hops": slow_hops, "early": early, "loop": loop, "garbage": garbage,
    "long-line": long_line, "many-lines": many_lines, "interim": interim, "trailers": trailers,
    "repeat": repeat_credentials, "refuse-early": refuse_early,
}


# ---- listeners ----------------------------------------------------------------------------------

def serve_paths(connection):
    request = Request(connection)
    name, _, rest = request.path.lstrip("/").partition("/")
    handler = PATHS.get(name)
    if handler:
        handler(request, rest)
    else:
        request.answer(404, b"no such path")


def serve_other(connection):
    count("other")
    serve_paths(connection)


def serve_mute(connection):
    while connection.recv(65536):
        pass


def run(connection, serve, context):
    try:
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        serve(connection)
        connection.shutdown(socket.SHUT_WR)
    except (OSError, ValueError, KeyError, IndexError):
        pass
    finally:
        connection.close()


def accept_all(listener, serve, context):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=run, args=(connection, serve, context), daemon=True).start()


def bound():
    listener = socket.socket()
    listener.bind((HOST, 0))
    return listener


def start(name, serve, context=None, note=""):
    listener = bound()
    listener.listen(64)
    threading.Thread(target=accept_all, args=(listener, serve, context), daemon=True).start()
    print(name, listener.getsockname()[1], note)


def start_tls(name, folder, alternative):
    """A self-signed certificate for the given subjectAltName; port 0 if it cannot be made."""
    key, certificate = os.path.join(folder, name + ".key"), os.path.join(folder, name + ".pem")
    made = shutil.which("openssl") and subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key,
         "-out", certificate, "-subj", "/CN=scripted", "-addext", "subjectAltName=" + alternative],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        check=False).returncode == 0
    if not made:
        print(name, 0, "-")
        return
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    start(name, serve_paths, context, certificate)


def fill():
    """A listener whose queue is full: the kernel drops what else wants to connect."""
    listener = bound()
    listener.listen(0)
    waiting = []
    for _ in range(3):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(listener.getsockname())
        waiting.append(client)
    print("full", listener.getsockname()[1])
    return listener, waiting


def main():
    folder = tempfile.mkdtemp(prefix="flamegate-faults-")
    try:
        start("http", serve_paths)
        start("other", serve_other)
        start("mute", serve_mute)
        start_tls("tls", folder, "IP:" + HOST)
        start_tls("name", folder, "DNS:elsewhere.invalid")
        closed = bound()
        print("closed", closed.getsockname()[1])
        keep = fill()
        print("ready", flush=True)
        sys.stdin.buffer.read()
        del keep
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
