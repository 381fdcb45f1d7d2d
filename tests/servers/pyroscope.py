#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that answers as Pyroscope v2 does, with its default limits, its rule about fresh data and its silent
losses (pyroscope_state.py). State is in memory; python3's standard library only.

  pyroscope.py [CERTIFICATE KEY]     prints "http://127.0.0.1:PORT" (https with a certificate) once it listens; ends
                                     when its stdin is closed

What the real one has not, for tests: POST /test/faults {"fault": NAME, "count": N}: the next N pushes, or for the
last four queries, meet it:
  refuse    429, nothing is stored          fail    500, nothing is stored
  unsure    stored, and answered with 503   lose    half of the samples are lost without a word
  double    stored as if it came twice        relabel   stored without the label "totals"
  page      a login page                    noise     bytes that are no profile
  types     a profile of two value types    crowd     twenty values of a label
  settle    not one of the next N: what was pushed is fresh no more (N = 0: again)
GET /test/stats: {"pushes": stored, "refused": by the rate limit, "requests": pushes that came,
  "credentials": the last push's Authorization and X-Scope-OrgID}
"""
import gzip
import http.server
import json
import os
import ssl
import sys
import threading
import time

import pprof_wire
from pyroscope_state import Refused, State, invalid

MAX_BODY = 64 << 20
QUERIER = "/querier.v1.QuerierService/"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state, lock, faults, requests, credentials = State(), threading.Lock(), [], 0, ""

    def log_message(self, *_):
        pass

    def answer(self, status, body, media_type="application/json"):
        if "gzip" in self.headers.get("Accept-Encoding", "") and len(body) > 1000:
            body, encoding = gzip.compress(body, 1), "gzip"
        else:
            encoding = None
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/ready":
            self.answer(200, b"ready\n", "text/plain")
        elif self.path == "/test/stats":
            stats = {"pushes": self.state.pushes, "refused": self.state.refused, "requests": Handler.requests,
                     "credentials": Handler.credentials}
            self.answer(200, json.dumps(stats).encode())
        else:
            self.answer(404, b"404 page not found\n", "text/plain")

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), MAX_BODY))
        try:
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            with self.lock:
                self.dispatch(body)
        except Refused as refused:
            self.answer(refused.status, json.dumps({"code": refused.code, "message": str(refused)}).encode())
        except (ValueError, KeyError, OSError, pprof_wire.Malformed) as error:
            self.answer(400, json.dumps({"code": "invalid_argument", "message": repr(error)}).encode())

    def dispatch(self, body):
        media_type = self.headers.get("Content-Type", "")
        if self.path == "/push.v1.PusherService/Push":
            if media_type != "application/json":
                return self.answer(415, b"", "text/plain")
            self.state.fill()
            try:
                return self.push(json.loads(body))
            finally:
                self.state.answered = time.monotonic()
        if self.path == "/test/faults":
            asked = json.loads(body)
            if asked["fault"] == "settle":
                self.state.fresh = not asked["count"]
                return self.answer(200, b"{}")
            self.faults[:] = [asked["fault"]] * asked["count"]
            return self.answer(200, b"{}")
        method = self.path[len(QUERIER):] if self.path.startswith(QUERIER) else ""
        if method == "SelectMergeProfile" and media_type == "application/proto":
            return self.merge(body)
        if media_type == "application/json" and method in ("Series", "LabelValues", "ProfileTypes"):
            answer = getattr(self, method)(json.loads(body))
            return self.answer(200, json.dumps(answer).encode())
        return self.answer(404 if media_type else 415, b"404 page not found\n", "text/plain")

    def fault(self, *names):
        return self.faults.pop() if self.faults and self.faults[-1] in names else ""

    def push(self, request):
        Handler.requests += 1
        Handler.credentials = f"{self.headers.get('Authorization')} {self.headers.get('X-Scope-OrgID')}"
        fault = self.fault("refuse", "fail", "unsure", "lose", "double", "relabel")
        if fault == "refuse":
            raise Refused(429, "resource_exhausted", "ingestion rate limit exceeded")
        if fault == "fail":
            raise Refused(500, "internal", "the segment could not be flushed")
        self.state.push(request, fault)
        if fault == "unsure":
            raise Refused(503, "unavailable", "the connection to the metastore was lost")
        return self.answer(200, b"{}")

    def merge(self, body):
        asked = {1: b"", 2: b"", 3: 0, 4: 0}
        asked.update(pprof_wire.fields(body))
        answer = self.state.merge(asked[1].decode(), asked[2].decode(), asked[3], asked[4])
        fault = self.fault("page", "noise", "types")
        if fault == "page":
            return self.answer(200, b"<html>Sign in</html>", "text/html")
        if fault == "noise":
            answer = b"\x0a\xff\xff" * 20
        if fault == "types":  # one more type, and a sample with a value of each
            values = pprof_wire.nested(2, pprof_wire.nested(2, b"\x01\x02"))
            answer = pprof_wire.nested(1, b"") + pprof_wire.nested(1, b"") + values + pprof_wire.nested(6, b"")
        return self.answer(200, answer, "application/proto")

    def selected(self, asked):
        matchers = asked.get("matchers", [])
        return self.state.select(matchers, int(asked.get("start", 0)), int(asked.get("end", 0)))

    def Series(self, asked):
        names, seen = asked.get("labelNames") or None, {}
        for series in self.selected(asked):
            labels = tuple(sorted((k, v) for k, v in series.labels.items() if not names or k in names))
            seen[labels] = [{"name": name, "value": value} for name, value in labels]
        return {"labelsSet": [{"labels": labels} for labels in seen.values()]} if seen else {}

    def LabelValues(self, asked):
        if not asked.get("name"):
            raise invalid("missing label name")
        if self.fault("crowd"):
            return {"names": [f"a:t{one}:b:c:d" for one in range(20)]}
        names = sorted({series.labels[asked["name"]] for series in self.selected(asked)
                        if asked["name"] in series.labels})
        return {"names": names} if names else {}

    def ProfileTypes(self, asked):
        self.selected(asked)
        return {}


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    scheme = "http"
    if sys.argv[1:]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*sys.argv[1:])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"{scheme}://127.0.0.1:{server.server_address[1]}", flush=True)
    sys.stdin.buffer.read()
    os._exit(0)


main()
