"""A Kafka broker for tests."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives import serialization

from skitter.servers.kafka import OPEN, Door, KafkaServer
from skitter.simweb.certificates import Certificate, Tls
from tests.servers.jars import CACHE

PROTOCOL = "SASL_SSL"
GUARDED = """\
ssl.keystore.type=PEM
ssl.keystore.location={keys}
sasl.enabled.mechanisms=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
username="{user}" password="{password}" user_{user}="{password}";
ssl.truststore.type=PEM
ssl.truststore.location={root}
"""


class Broker(KafkaServer):
    """As `skitter.servers.kafka`."""

    def __init__(self, folder: Path, door: Door = OPEN) -> None:
        super().__init__(folder, CACHE, door=door)


def guarded(folder: Path, user: str, password: str) -> Door:
    """Returns a door with TLS, by a certificate for `localhost`, to which a user has the password."""
    tls, keys = Tls(folder, names=("localhost",)), folder / "broker.pem"
    made = (folder / f"{Certificate.GOOD}.pem").read_bytes()
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8  # Kafka reads no other form
    secret = serialization.load_pem_private_key(made, None).private_bytes(pem, pkcs8, serialization.NoEncryption())
    keys.write_bytes(secret + made[made.index(b"-----BEGIN CERTIFICATE") :])
    properties = GUARDED.format(keys=keys, root=tls.root, user=user, password=password)
    client = {
        "security.protocol": PROTOCOL,
        "ssl.ca.location": str(tls.root),
        "sasl.mechanism": "PLAIN",
        "sasl.username": user,
        "sasl.password": password,
    }
    return Door(PROTOCOL, "localhost", properties, client)
