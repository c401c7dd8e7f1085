"""What Alembic runs: the migrations, within the transaction of the connection it is given."""

from alembic import context

from patchwork.server.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
