"""kaggle-environments with agents over HTTP: for each line `GAMES`, prints its CPU microseconds per move.

It plays Connect-X, which needs no further packages. Each agent is a web server in its own process, and drops its piece
into the first column that has room.
"""

import json
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer


class Agent(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        board = asked["state"]["observation"]["board"]
        columns = asked["configuration"]["columns"]
        body = json.dumps({"action": next(column for column in range(columns) if not board[column])}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Discard the log."""


def serve() -> None:
    server = HTTPServer(("127.0.0.1", 0), Agent)
    print(server.server_port, flush=True)  # noqa: T201  # The port is the answer of the agent.
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()  # Until the parent process has ended.


def _agent() -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, "agent"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def referee() -> None:
    from kaggle_environments import make  # noqa: PLC0415  # The agents do not need it.

    agents = [_agent(), _agent()]
    addresses = [f"http://127.0.0.1:{agent.stdout.readline().strip()}" for agent in agents if agent.stdout]
    try:
        for line in sys.stdin:
            begun, moves = time.process_time(), 0
            for _ in range(int(line)):
                moves += len(make("connectx").run(addresses)) - 1
            print((time.process_time() - begun) / moves * 1e6, flush=True)  # noqa: T201
    finally:
        for agent in agents:
            agent.kill()


if __name__ == "__main__":
    serve() if len(sys.argv) > 1 else referee()
