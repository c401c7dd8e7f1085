"""The colours of the drawings: everything that a light and a dark room show differently.

The fabrics are the same under any light; they live in ``fabrics``.
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
    """What lies on the table top to be written on."""
    active: str
    """The panel of the seat that decides."""
    ink: str
    """Writing on page, panel, active panel and rug."""
    line: str
    """Thin lines round panels and tags."""
    highlight: str
    """What asks for attention: the decision, the offer."""
    linen: str
    """Empty spaces of a quilt."""
    grid: str
    """The stitches between empty spaces."""
    cloth: str
    """Filled spaces when the fabrics are not known."""
    quilting: str
    """The stitches on that cloth."""
    rug: tuple[str, ...]
    """The rags of the time board, one from income line to income line, then again."""
    home: str
    """The last space."""
    braid: str
    """The stitches between the spaces of the time board."""
    tag: str
    """Price tags."""
    tag_ink: str
    """Writing on price tags."""
    button: str
    """Buttons, and the half of a label that gives their number."""
    button_ink: str
    """Writing on it, and the rim of a button."""
    lime: str
    yellow: str
    """The token and frame of each seat in the edition of 2014: one dark, one light."""
    blue: str
    red: str
    """The same in the later edition."""
    seat_inks: tuple[str, str]
    """Writing and needlework on the dark one and on the light one."""

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
