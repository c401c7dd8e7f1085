"""Which players have revoked their tokens, or do not want to be known any more."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "revocations",
        sa.Column("player", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("erase", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("player", name="revocations_pkey"),
        sa.UniqueConstraint("number", name="revocations_number_key"),
    )


def downgrade() -> None:
    """Takes the table away; tokens that were revoked count again."""
    op.drop_table("revocations")
