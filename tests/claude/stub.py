"""A loopback stand-in for the Messages API, as much of it as the claude CLI needs.

    python3 stub.py PORT_FILE LOG_DIR ANSWER_COMMAND...

Requests that hold memd's charter are answered by ANSWER_COMMAND (the prompt on its
standard input), all others by a fixed sentence. Each request is kept in LOG_DIR as
NNNN.json. The program ends after ten minutes at the latest.
"""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from typing import Any

SESSION_ANSWER = "We decided: the shop keeps its data in sqlite. The API listens on port 9090."
CURATOR_MARK = "mistakes_new_entries"


class Stub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    log_dir = ""
    answer_command: tuple[str, ...] = ()
    counter = 0
    counting = threading.Lock()

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        pass

    def do_GET(self) -> None:
        self._send(b"{}", "application/json")

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        request = json.loads(body or b"{}")
        if self.path.split("?")[0].endswith("count_tokens"):
            self._send(b'{"input_tokens": 10}', "application/json")
            return
        self._keep(request)
        message = self._message(request, self._answer(request))
        if not request.get("stream"):
            self._send(json.dumps(message).encode(), "application/json")
            return
        events = "".join(
            f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n"
            for name, data in _events(message)
        )
        self._send(events.encode(), "text/event-stream")

    def _keep(self, request: dict[str, Any]) -> None:
        with self.counting:
            Stub.counter += 1
            path = os.path.join(self.log_dir, f"{Stub.counter:04}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(request, file)

    def _answer(self, request: dict[str, Any]) -> str:
        if CURATOR_MARK not in json.dumps(request.get("system", "")):
            return SESSION_ANSWER
        # The client puts notes of its own behind the prompt, in messages of other roles.
        said = [message for message in request["messages"] if message["role"] == "user"]
        prompt = _text(said[-1]["content"])
        done = subprocess.run(
            self.answer_command,
            input=prompt,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout

    def _message(self, request: dict[str, Any], text: str) -> dict[str, Any]:
        return {
            "id": f"msg_{uuid.uuid4().hex[:24]}",
            "type": "message",
            "role": "assistant",
            "model": request.get("model"),
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 20},
        }

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content)


def _events(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    text = message["content"][0]["text"]
    yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
    yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
    yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": text}}
    yield "content_block_stop", {"index": 0}
    yield (
        "message_delta",
        {
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": message["usage"],
        },
    )
    yield "message_stop", {}


def main() -> None:
    port_file, Stub.log_dir, *command = sys.argv[1:]
    Stub.answer_command = tuple(command)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    with open(port_file + ".new", "w", encoding="ascii") as file:
        file.write(str(server.server_address[1]))
    os.replace(port_file + ".new", port_file)
    stop = threading.Timer(600, server.shutdown)
    stop.daemon = True
    stop.start()
    server.serve_forever(poll_interval=0.2)


if __name__ == "__main__":
    main()
