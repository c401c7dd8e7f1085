"""Game records that users have opened."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "records",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("opened", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="records_pkey"),
    )
    op.create_index("records_opened_idx", "records", ["opened"])


def downgrade() -> None:
    """Takes the table away, with all records in it."""
    op.drop_table("records")
