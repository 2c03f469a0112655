"""A chat completions server on this machine that says markers in all that a server can say."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from markers import Planter


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.planter = Planter(seed)
        self.seen: list[bytes] = []
        self.lock = threading.Lock()
        self.count = 0

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is nothing to speak of."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *words: Any) -> None:
        """Says nothing on stderr."""

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            said = [self.path, *self.headers.values()]
            self.server.seen += [asked, *(text.encode() for text in said)]
            self.server.count += 1
            status, body, headers = _reply(self.server.planter, self.server.count)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _reply(planter: Planter, number: int) -> tuple[int, bytes, dict[str, str]]:
    words = planter.text("hb")
    error = json.dumps({"error": {"message": words, "type": planter.mark("hb")}})
    answer = json.dumps({planter.mark("ok"): planter.text("ov")})

    def completion(text: str, reason: str = "stop") -> str:
        return json.dumps({"choices": [{"message": {"content": text}, "finish_reason": reason}]})

    replies = [
        (200, completion(answer)),
        (400, error),
        (401, words),
        (302, words),
        (500, error),
        (503, f"[{error}]"),
        (200, words),
        (200, completion(words)),
        (200, completion(answer, "length")),
        (200, json.dumps({"error": words})),
    ]
    status, body = replies[number % len(replies)]
    headers = {
        "X-Request-ID": planter.mark("hh"),
        "WWW-Authenticate": f"Basic realm={planter.mark('hh')}",
        "Location": f"http://{planter.mark('hh')}.invalid/",
        "Set-Cookie": f"name={planter.mark('hh')}",
    }
    return status, body.encode(), headers


class Server:
    """Answers until the block ends."""

    def __init__(self, seed: int) -> None:
        self._server = _Server(seed)
        self.address = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Server:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def planted(self) -> list[bytes]:
        return self._server.planter.planted

    @property
    def seen(self) -> list[bytes]:
        return self._server.seen
