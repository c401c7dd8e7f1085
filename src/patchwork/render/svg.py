"""Placeholder for the drawing module."""

from patchwork.rules.position import Position


def table(position: Position, layouts: object = None) -> str:
    """Returns an SVG drawing of the whole table."""
    return f"<svg><!-- {position} {layouts} --></svg>"
