"""The tables of the database.

Events are only added to a log; the status of games and the seats are derived from it. There are two
exceptions: the event ``forget`` takes a deleted player out of the events before it, and games that
are too old are deleted with their logs. Records that users have opened belong to no game.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

VERSION = "0004"
"""The newest migration; it leads to these tables."""

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
    }
)

games = Table(
    "games",
    metadata,
    Column("id", Text, primary_key=True),
    Column("created", BigInteger, nullable=False),
    Column("opponent", Text, nullable=False),
    Column("edition", Text, nullable=False),
    Column("circle", Text, nullable=False),
    Column("first", Integer),
    Column("clock", Text),
    Column("computer", Integer),
    Column("level", Integer),
    Column("rematch_of", Text, ForeignKey("games.id"), unique=True),
    # Status
    Column("seq", Integer, nullable=False),
    Column("turn", Integer),
    Column("deadline", BigInteger, index=True),
    Column("ending", Text),
    Column("winner", Integer),
    Column("score0", Integer),
    Column("score1", Integer),
    Column("tie_break", Boolean, nullable=False),
    Column("updated", BigInteger, nullable=False),
)
Index(None, games.c.created, games.c.id)

seats = Table(
    "seats",
    metadata,
    Column("game", Text, ForeignKey("games.id"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("player", Text, nullable=False, index=True),
    Column("name", Text, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("game", Text, ForeignKey("games.id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("data", Text, nullable=False),
    Column("clock0", BigInteger),
    Column("clock1", BigInteger),
    Column("player", Text),
    Column("action", Text),
    UniqueConstraint("game", "player", "action"),
)

revocations = Table(
    "revocations",
    metadata,
    Column("player", Text, primary_key=True),
    # Rises with each change to the table, so that servers find what is new
    Column("number", BigInteger, nullable=False, unique=True),
    # What tokens must contain to be valid
    Column("key", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    # Whether the player is being deleted and may still be in games
    Column("erase", Boolean, nullable=False),
)

records = Table(
    "records",
    metadata,
    # Made from the text
    Column("id", Text, primary_key=True),
    # A game record in its canonical form
    Column("text", Text, nullable=False),
    # When it was last opened, within a day
    Column("opened", BigInteger, nullable=False, index=True),
)

merges = Table(
    "merges",
    metadata,
    Column("player", Text, primary_key=True),
    # Rises with each change to the table, so that servers find what is new
    Column("number", BigInteger, nullable=False, unique=True),
    # The player as whom this one counts; null: not any more
    Column("into", Text, index=True),
    Column("at", BigInteger, nullable=False),
)

secrets = Table(
    "secrets",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)
