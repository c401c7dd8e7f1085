"""Games, their seats and logs, and the server's secrets."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "games",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("opponent", sa.Text, nullable=False),
        sa.Column("edition", sa.Text, nullable=False),
        sa.Column("circle", sa.Text, nullable=False),
        sa.Column("first", sa.Integer),
        sa.Column("clock", sa.Text),
        sa.Column("computer", sa.Integer),
        sa.Column("level", sa.Integer),
        sa.Column("rematch_of", sa.Text),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("turn", sa.Integer),
        sa.Column("deadline", sa.BigInteger),
        sa.Column("ending", sa.Text),
        sa.Column("winner", sa.Integer),
        sa.Column("score0", sa.Integer),
        sa.Column("score1", sa.Integer),
        sa.Column("tie_break", sa.Boolean, nullable=False),
        sa.Column("updated", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="games_pkey"),
        sa.UniqueConstraint("rematch_of", name="games_rematch_of_key"),
        sa.ForeignKeyConstraint(["rematch_of"], ["games.id"], name="games_rematch_of_fkey"),
    )
    op.create_index("games_deadline_idx", "games", ["deadline"])
    op.create_index("games_created_id_idx", "games", ["created", "id"])
    op.create_table(
        "seats",
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("player", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("game", "seat", name="seats_pkey"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="seats_game_fkey"),
    )
    op.create_index("seats_player_idx", "seats", ["player"])
    op.create_table(
        "events",
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("clock0", sa.BigInteger),
        sa.Column("clock1", sa.BigInteger),
        sa.Column("player", sa.Text),
        sa.Column("action", sa.Text),
        sa.PrimaryKeyConstraint("game", "seq", name="events_pkey"),
        sa.UniqueConstraint("game", "player", "action", name="events_game_player_action_key"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="events_game_fkey"),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("name", name="secrets_pkey"),
    )


def downgrade() -> None:
    """Takes the tables away, with all that is in them."""
    for table in ("secrets", "events", "seats", "games"):
        op.drop_table(table)
