"""The colours of the drawings, in a light and a dark theme.

The fabrics are the same in both; they live in ``cloth.fabrics``.
"""

from dataclasses import dataclass

from patchwork.rules.timeboard import CLASSIC, Edition


@dataclass(frozen=True, slots=True)
class Theme:
    """The named colours of a drawing, each written ``#rrggbb``."""

    name: str
    """Distinguishes the ids of drawings on one page; lower-case letters and digits."""
    page: str
    """The table top."""
    panel: str
    """Surfaces on the table top that carry text."""
    active: str
    """The panel of the seat that decides."""
    ink: str
    """Text on page, panel, active panel and time board."""
    line: str
    """Thin lines round panels and tags."""
    highlight: str
    """What deserves attention: the seat that decides, the offer."""
    linen: str
    """Empty spaces of a quilt."""
    grid: str
    """The stitches between empty spaces."""
    cloth: str
    """Filled spaces whose fabric is not known."""
    quilting: str
    """The stitches on that cloth."""
    rug: tuple[str, ...]
    """The spaces of the time board; the colour changes at every income line, in this order."""
    home: str
    """The last space."""
    braid: str
    """The stitches between the spaces of the time board."""
    tag: str
    """Price tags."""
    tag_ink: str
    """Text on the labels of patches."""
    button: str
    """Buttons, and the half of a label that shows the price in buttons."""
    button_ink: str
    """Text on that half, and the rim of a button."""
    lime: str
    yellow: str
    """Token and binding of each seat in the 2014 edition: one dark, one light."""
    blue: str
    red: str
    """The same in later editions."""
    seat_inks: tuple[str, str]
    """Text and thread on the dark one and on the light one."""

    def seats(self, edition: Edition) -> tuple[str, str]:
        """Returns the colours of both seats (C7)."""
        return (self.lime, self.yellow) if edition == CLASSIC else (self.blue, self.red)


LIGHT = Theme(
    name="light",
    page="#f4eadb",
    panel="#fffaf0",
    active="#ffe9b8",
    ink="#3b2a22",
    line="#c9b59a",
    highlight="#c2461f",
    linen="#fbf4e6",
    grid="#d3c1a5",
    cloth="#d3a98c",
    quilting="#8a573f",
    rug=("#f1d8a9", "#e9b59b", "#c4d1a2", "#efc97a", "#b5cfd4"),
    home="#e79b6c",
    braid="#8a6248",
    tag="#fffdf6",
    tag_ink="#33241d",
    button="#2f629b",
    button_ink="#fffaf0",
    lime="#4d7c0f",
    yellow="#f4d03f",
    blue="#1a3b72",
    red="#ea5b45",
    seat_inks=("#ffffff", "#20130e"),
)

DARK = Theme(
    name="dark",
    page="#231d1b",
    panel="#332a26",
    active="#57421f",
    ink="#f6e9d6",
    line="#66564b",
    highlight="#ff9d5c",
    linen="#3d332d",
    grid="#65564a",
    cloth="#8f6752",
    quilting="#dcb79f",
    rug=("#5d4c39", "#6a4338", "#47523b", "#6b5429", "#3c5158"),
    home="#96512f",
    braid="#b08d70",
    tag="#efe3cf",
    tag_ink="#2a1d17",
    button="#2f629b",
    button_ink="#fffaf0",
    lime="#527f16",
    yellow="#f6d653",
    blue="#1d4583",
    red="#f36b55",
    seat_inks=("#ffffff", "#20130e"),
)
