"""An S3 server with one bucket. Killed and started again it has its port and its objects."""

from __future__ import annotations

import os
import signal
from datetime import timedelta
from pathlib import Path

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from skitter.servers.bringing import Say, weed
from skitter.servers.child import Child, answers, free_ports

START_SECONDS = 60
BUCKET = "skitter"
READY = "ready"  # an object of ours
KEY, SECRET = "skitter-tests", "not-a-secret-at-all"  # of a server on loopback that lives as long as we do
PORTS = [
    *["s3.port", "s3.port.grpc", "s3.port.iceberg", "s3.port.lance", "master.port", "master.port.grpc", "volume.port"],
    *["volume.port.grpc", "filer.port", "filer.port.grpc", "admin.port", "admin.port.grpc"],
]


class S3Server:
    """`endpoint`, `key` and `secret` open `bucket`; `environment` says the same to whoever is started with it."""

    bucket, key, secret = BUCKET, KEY, SECRET

    def __init__(self, folder: Path, cache: Path, say: Say = lambda _: None) -> None:
        program = weed(cache, say)
        self._had_objects = False
        ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
        self.port, self.filer_port = ports["s3.port"], ports["filer.port"]
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.environment = {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
        }
        objects = folder / "objects"
        objects.mkdir()
        options = {
            **ports,
            "dir": objects,
            "ip": "127.0.0.1",
            "ip.bind": "127.0.0.1",
            "bucket": BUCKET,
            "s3.autoCreateBucket": "false",  # as S3 itself
            "webdav": "false",
            "admin.ui": "false",
            "master.telemetry": "false",  # it would tell its makers of each start
            "filer.localSocket": folder / "filer.sock",
            "s3.localSocket": folder / "s3.sock",
        }
        arguments = [f"-{name}={value}" for name, value in options.items()]
        self._child = Child([program, "mini", *arguments], folder=folder, environment=self.environment)

    def start(self) -> None:
        """Returns when objects can be read and written."""
        self._child.start(self._is_ready, seconds=START_SECONDS)
        self._had_objects = True

    def store(self, prefix: str = "") -> S3Store:
        """Returns the bucket, or what is below a prefix of it."""
        return S3Store(
            BUCKET,
            prefix=prefix or None,
            endpoint=self.endpoint,
            access_key_id=KEY,
            secret_access_key=SECRET,
            region="us-east-1",
            client_options={"allow_http": True, "timeout": timedelta(seconds=5)},
            retry_config={"max_retries": 0, "retry_timeout": timedelta(seconds=5)},
        )

    def _is_ready(self) -> bool:
        if not answers(self.port):
            return False
        try:
            if self._had_objects:
                obstore.get(self.store(), READY).bytes()  # after a new start they come back a moment after the bucket
            obstore.put(self.store(), READY, b"ready")
        except (BaseError, OSError):
            return False
        return True

    def kill(self) -> None:
        """Ends it with SIGKILL; `start` brings it back."""
        self._child.kill()

    def pause(self) -> None:
        """Makes it hang until `go_on`."""
        os.kill(self._child.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Undoes `pause`."""
        os.kill(self._child.pid, signal.SIGCONT)
