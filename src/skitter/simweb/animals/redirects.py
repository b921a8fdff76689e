"""Animals that lead away: in circles, without end, or to where nobody should follow."""

from __future__ import annotations

from skitter.simweb.animals.acts import Animal, answer, made, redirect, saying


def _round(path: str) -> bytes:
    return redirect(b"/b" if path == "/a" else b"/a")


def _onward(path: str) -> bytes:
    number = path.removeprefix("/on/")
    return redirect(b"/on/%d" % (int(number) + 1 if number.isdecimal() else 1))


def _growing(path: str) -> bytes:
    return redirect(f"{path.rstrip('/')}/more".encode())


TO: dict[str, bytes] = {
    "to-file": b"file:///etc/passwd",
    "to-javascript": b"javascript:alert(1)",
    "to-data": b"data:text/html,<a href=/x>x</a>",
    "to-ftp": b"ftp://10.0.0.1/",
    "to-private": b"http://10.0.0.1/",
    "to-carrier": b"http://100.64.0.1/",
    "to-metadata": b"http://169.254.169.254/latest/meta-data/",
    "to-loopback": b"http://127.0.0.1/",
    "to-localhost": b"http://localhost/",
    "to-zero": b"http://0/",
    "to-integer": b"http://2130706433/",
    "to-hexadecimal": b"http://0x7f000001/",
    "to-octal": b"http://0177.0.0.1/",
    "to-short": b"http://127.1/",
    "to-wide": "http://１２７．０．０．１/".encode(),
    "to-mapped": b"http://[::ffff:10.0.0.1]/",
    "to-mapped-loopback": b"http://[::ffff:7f00:1]/",
    "to-six-loopback": b"http://[::1]/",
    "to-six-local": b"http://[fe80::1]/",
    "to-nat64": b"http://[64:ff9b::a00:1]/",
    "to-6to4": b"http://[2002:a00:1::]/",
    "to-password": b"http://admin:secret@10.0.0.1/",
    "to-bad-host": b"http://[::1/",
    "to-bad-port": b"http://a.test:99999/",
    "to-control": b"/\x01\x02\x0b next",
    "to-bytes": b"/\xff\xfe\x80",
    "to-long": b"/" + b"long" * 5000,
    "to-closed-port": b"http://to-closed-port.zoo.sim.test:1/",
}
"""Animals that lead to one place each."""

REDIRECTS: dict[str, Animal] = {
    "to-nowhere": saying(answer(b"302 Found")),
    "to-itself": made(lambda path: redirect(path.encode())),
    "to-itself-with-cookie": made(lambda path: redirect(path.encode(), b"Set-Cookie: seen=1")),
    "to-and-fro": made(_round),
    "to-the-next": made(_onward),
    "to-the-deeper": made(_growing),
    "to-two-places": saying(redirect(b"http://10.0.0.1/", b"Location: http://10.0.0.2/")),
    **{name: saying(redirect(location)) for name, location in TO.items()},
}
