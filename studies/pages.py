"""Figures in documentation pages: blocks between two marks that a command rewrites."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "strategy.md"


def write_block(page: Path, name: str, text: str) -> None:
    """Replaces the text between ``<!-- name -->`` and ``<!-- /name -->``.

    Raises:
        ValueError: the page does not have each mark exactly once.
    """
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    whole = page.read_text(encoding="utf-8")
    if whole.count(start) != 1 or whole.count(end) != 1:
        raise ValueError(f"{page} needs the marks {start.strip()} and {end.strip()} exactly once")
    before, rest = whole.split(start)
    _, after = rest.split(end)
    page.write_text(f"{before}{start}\n{text.strip()}\n\n{end}{after}", encoding="utf-8")


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Returns a Markdown table with its first column aligned left and the others right."""
    rule = ("---", *("---:" for _ in head[1:]))
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


@contextmanager
def picture(path: Path, size: tuple[float, float]) -> Iterator[Any]:
    """Yields axes to draw on and saves them as SVG; the same figures give the same file."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "patchwork"
    from matplotlib import pyplot

    drawing, axes = pyplot.subplots(figsize=size)
    yield axes
    drawing.tight_layout()
    drawing.savefig(path, metadata={"Date": None})
    pyplot.close(drawing)
