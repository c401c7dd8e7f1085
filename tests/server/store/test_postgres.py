"""PostgreSQL is available to the tests on every machine."""

from server.support.postgres import Cluster, programs_of_the_wheel


def test_the_programs_of_the_wheel_work() -> None:
    folder = programs_of_the_wheel()
    assert folder is not None
    cluster = Cluster(folder)
    try:
        cluster.execute("SELECT 1", cluster.make_database())
    finally:
        cluster.remove()
