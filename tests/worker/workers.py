"""Workers as real processes, to be killed and stopped at will; and one that lies."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.faults.crawler import Web

TOKENS = {"one": "1" * 30, "two": "2" * 30, "liar": "l" * 30}


def token_file(folder: Path, *names: str) -> Path:
    """Returns a file with the tokens of these workers."""
    path = folder / f"tokens-{'-'.join(names)}"
    path.write_text("".join(f"{name} {TOKENS[name]}\n" for name in names), encoding="utf-8")
    path.chmod(0o600)
    return path


class Worker:
    """`skitter worker` in a folder of its own."""

    def __init__(self, folder: Path, web: Web, name: str, *apis: str, more: tuple[str, ...] = ()) -> None:
        self.out = folder / f"worker-{name}"
        self._log = folder / f"worker-{name}.log"
        self._command = [
            *(sys.executable, "-m", "skitter", "worker", "--token-file", str(token_file(folder, name))),
            *(text for api in apis for text in ("--api", api)),
            *("--name", name, "--out", str(self.out), "--hosts-file", str(web.hosts)),
            *("--allow-net", "127.20.0.0/16", *more),
        ]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop_for(self, seconds: float) -> None:
        """Lets it stand still for so long."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def leave(self) -> int:
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(60)

    def told(self) -> str:
        return self._log.read_text(errors="replace")[-3000:]

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.kill()


def ask(host: str, token: str, method: str, path: str, body: object = None) -> tuple[int, Any]:
    """Returns status and body of what the API answers; (0, None) if it does not."""
    connection = http.client.HTTPConnection(host, timeout=40)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with contextlib.closing(connection):
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            raw = answer.read()
        except OSError:
            return 0, None
    return answer.status, json.loads(raw) if raw else None
