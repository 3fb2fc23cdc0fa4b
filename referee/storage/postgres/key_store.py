"""The key that signs records, in the database, where every node finds the same one. It is not encrypted there."""

from referee.storage.postgres.database import Connection

SELECT_KEY = "SELECT pem FROM signing_key"

INSERT_KEY = "INSERT INTO signing_key (pem) VALUES ($1) ON CONFLICT DO NOTHING"


async def read_key(connection: Connection) -> bytes | None:
    """Return the private key in PEM; None: there is none yet."""
    pem: str | None = await connection.fetchval(SELECT_KEY)
    return pem.encode() if pem is not None else None


async def add_key(connection: Connection, pem: bytes) -> bytes:
    """Store a key, and return the one that is stored: if another node has just added one, that one stays."""
    await connection.execute(INSERT_KEY, pem.decode())
    return await read_key(connection) or pem


async def has_matches(connection: Connection) -> bool:
    found: bool = await connection.fetchval("SELECT EXISTS (SELECT FROM matches)")
    return found
