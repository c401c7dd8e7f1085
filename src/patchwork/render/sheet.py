"""Complete drawings: a body with the fabrics, icons and tokens that it refers to."""

from itertools import chain

from patchwork.render.cloth.patches import fabrics
from patchwork.render.icons import icons, tokens
from patchwork.render.markup import document, short
from patchwork.render.theme import Theme

MARGIN = 16
"""Space between a drawing and the edges of its page."""


def sheet(width: float, height: float, drawing: str, theme: Theme, label: str) -> str:
    """Returns a drawing with a transparent background."""
    shared = chain(fabrics(theme), icons(theme), tokens(theme))
    return document(width, height, drawing, shared, theme, label)


def page(width: float, height: float, drawing: str, theme: Theme, label: str) -> str:
    """Returns a drawing on the colour of the table top."""
    ground = f'<path d="M0 0H{short(width)}V{short(height)}H0z" fill="{theme.page}"/>'
    return sheet(width, height, ground + drawing, theme, label)
