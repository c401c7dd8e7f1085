"""Which players count as another player, since a browser has carried on as that one."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "merges",
        sa.Column("player", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("into", sa.Text),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("player", name="merges_pkey"),
        sa.UniqueConstraint("number", name="merges_number_key"),
    )
    op.create_index("merges_into_idx", "merges", ["into"])


def downgrade() -> None:
    """Takes the table away; all players are again who they were."""
    op.drop_table("merges")
