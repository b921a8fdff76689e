"""An S3 server for tests, which also tells what it keeps of an object."""

from __future__ import annotations

import http.client
from pathlib import Path

from skitter.servers import s3
from tests.servers.jars import CACHE


class S3Server(s3.S3Server):
    """As `skitter.servers.s3`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, CACHE)

    def tags(self, key: str) -> dict[str, str]:
        """Returns the tags of an object, as the server keeps them."""
        connection = http.client.HTTPConnection("127.0.0.1", self.filer_port, timeout=10)
        try:
            connection.request("HEAD", f"/buckets/{self.bucket}/{key}")
            headers = connection.getresponse().getheaders()
        finally:
            connection.close()
        start = "X-Amz-Tagging-"
        return {name.removeprefix(start): value for name, value in headers if name.startswith(start)}
