"""Figures in pages: each block stands between two marks, and a command writes it anew."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "strategy.md"


def write_block(page: Path, name: str, text: str) -> None:
    """Replaces what stands between ``<!-- name -->`` and ``<!-- /name -->``.

    Raises:
        ValueError: the page does not have both marks, once each.
    """
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    whole = page.read_text(encoding="utf-8")
    if whole.count(start) != 1 or whole.count(end) != 1:
        raise ValueError(f"{page} needs the marks {start.strip()} and {end.strip()}, once each")
    before, rest = whole.split(start)
    _, after = rest.split(end)
    page.write_text(f"{before}{start}\n{text.strip()}\n\n{end}{after}", encoding="utf-8")


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Returns a table in Markdown, its first column to the left and the others to the right."""
    rule = ("---", *("---:" for _ in head[1:]))
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


@contextmanager
def picture(path: Path, size: tuple[float, float]) -> Iterator[Any]:
    """Gives axes to draw on and writes them as SVG; the same figures give the same file."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "patchwork"
    from matplotlib import pyplot

    drawing, axes = pyplot.subplots(figsize=size)
    yield axes
    drawing.tight_layout()
    drawing.savefig(path, metadata={"Date": None})
    pyplot.close(drawing)
