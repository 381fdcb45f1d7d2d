#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A git server on loopback: git_server.py http|daemon FOLDER

Prints its port. http: git http-backend with basic auth (ci:s3cret); FOLDER/deny-push makes pushes
403, FOLDER/authorizations gets how many such headers each request had. daemon: git daemon.
"""
import base64
import os
import socketserver
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KIND, FOLDER = sys.argv[1], os.path.abspath(sys.argv[2])
WANTED = "Basic " + base64.b64encode(b"ci:s3cret").decode()


class Http(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def refuse(self, status, header=None):
        self.send_response(status)
        if header:
            self.send_header(*header)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def environment(self, path, query, length):
        return dict(
            os.environ,
            GIT_PROJECT_ROOT=FOLDER,
            GIT_HTTP_EXPORT_ALL="1",
            GIT_CONFIG_COUNT="1",
            GIT_CONFIG_KEY_0="http.receivepack",
            GIT_CONFIG_VALUE_0="true",
            REQUEST_METHOD=self.command,
            PATH_INFO=path,
            QUERY_STRING=query,
            CONTENT_TYPE=self.headers.get("Content-Type", ""),
            CONTENT_LENGTH=str(length),
            HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
            GIT_PROTOCOL=self.headers.get("Git-Protocol", ""),
            REMOTE_ADDR="127.0.0.1",
        )

    def answer(self):
        path, _, query = self.path.partition("?")
        given = self.headers.get_all("Authorization") or []
        with open(os.path.join(FOLDER, "authorizations"), "a") as log:
            log.write("%d\n" % len(given))
        if [value.lower() for value in given] != [WANTED.lower()]:
            return self.refuse(401, ("WWW-Authenticate", 'Basic realm="git"'))
        if "receive-pack" in self.path and os.path.exists(os.path.join(FOLDER, "deny-push")):
            return self.refuse(403)
        length = int(self.headers.get("Content-Length") or 0)
        done = subprocess.run(
            ["git", "http-backend"],
            input=self.rfile.read(length),
            stdout=subprocess.PIPE,
            env=self.environment(path, query, length),
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = [value for name, value in fields if name == "Status"]
        self.send_response(int(status[0].split()[0]) if status else 200)
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer


class Daemon(socketserver.BaseRequestHandler):
    def handle(self):
        subprocess.run(
            ["git", "daemon", "--inetd", "--export-all", "--enable=receive-pack",
             "--base-path=" + FOLDER],
            stdin=self.request.fileno(),
            stdout=self.request.fileno(),
            stderr=subprocess.DEVNULL,
        )


socketserver.ThreadingTCPServer.daemon_threads = True
server = {
    "http": lambda: ThreadingHTTPServer(("127.0.0.1", 0), Http),
    "daemon": lambda: socketserver.ThreadingTCPServer(("127.0.0.1", 0), Daemon),
}[KIND]()
print(server.server_address[1], flush=True)
server.serve_forever()
