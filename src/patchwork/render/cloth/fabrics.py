"""The fabrics of the 33 patches: what is printed on the cotton, and in which colours.

A fabric consists of three colours and a repeat, the tile from ``repeats`` that is printed over and
over. The shapes of a repeat alone are enough to tell it from every other.
"""

from dataclasses import dataclass

from patchwork.render.cloth import repeats
from patchwork.render.cloth.repeats import ACCENT, INK, Repeat

CELL = 40
"""The side of a space in the units of a repeat."""

CREAM, LINEN, BUTTER, HONEY = "#f8efdd", "#e6d6b8", "#f0cd78", "#d4922f"
PEACH, TOMATO, RUST, BRICK = "#f3bd97", "#d1553c", "#b0522d", "#8f3a32"
BLUSH, ROSE, PLUM, MAUVE = "#f2cfc4", "#cf7480", "#6b3853", "#a5809c"
SKY, DENIM, NAVY, MIST = "#b7d0da", "#4f739a", "#2b3d5c", "#dbe5e2"
SAGE, MOSS, FOREST, MINT = "#a9b98c", "#6a7a3d", "#2f5243", "#c9dcc4"
TEAL, COCOA, TAUPE, COAL = "#2f6f70", "#5c4033", "#ad9a82", "#413c42"


@dataclass(frozen=True, slots=True)
class Fabric:
    """A printed cotton."""

    repeat: Repeat
    ground: str
    ink: str
    accent: str

    def pattern(self) -> str:
        """Returns the ``pattern`` element, in the units of ``CELL``, with a placeholder id."""
        width, height = self.repeat.width, self.repeat.height
        turn = f' patternTransform="rotate({self.repeat.turn})"' if self.repeat.turn else ""
        drawing = self.repeat.drawing.replace(INK, self.ink).replace(ACCENT, self.accent)
        return (
            f'<pattern id="?" width="{width}" height="{height}" patternUnits="userSpaceOnUse"'
            f'{turn} fill="{self.ink}"><path fill="{self.ground}" d="M-1-1h{width + 2}'
            f'v{height + 2}H-1z"/>{drawing}</pattern>'
        )

    @property
    def seam(self) -> str:
        """The darkest of the three colours, for the folded edge."""
        return min(self.ground, self.ink, self.accent, key=lightness)

    @property
    def thread(self) -> str:
        """The lightest of the three colours, for the stitches along the edge."""
        return max(self.ground, self.ink, self.accent, key=lightness)


def lightness(colour: str) -> float:
    """Returns the relative luminance of a colour as WCAG 2 defines it, 0 to 1."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


FABRICS = (
    Fabric(repeats.dots(10, 2), TOMATO, CREAM, CREAM),
    Fabric(repeats.gingham(20), CREAM, DENIM, DENIM),
    Fabric(repeats.stripes((0, 6, INK), (10, 2, ACCENT), turn=90), CREAM, TEAL, RUST),
    Fabric(repeats.scattered(repeats.HEART, 22), BLUSH, BRICK, BRICK),
    Fabric(repeats.chevrons(20, 12, 5.5), BUTTER, COCOA, COCOA),
    Fabric(repeats.scattered(repeats.DAISY, 26), DENIM, CREAM, HONEY),
    Fabric(repeats.houndstooth(20), CREAM, COAL, COAL),
    Fabric(repeats.scattered(repeats.LEAF, 24, tilt=35), MINT, FOREST, FOREST),
    Fabric(repeats.stripes((0, 5, INK), turn=45), PEACH, BRICK, BRICK),
    Fabric(repeats.scales(20), TEAL, MINT, CREAM),
    Fabric(repeats.plaid(40), TOMATO, NAVY, CREAM),
    Fabric(repeats.scattered(repeats.STAR, 20), NAVY, BUTTER, BUTTER),
    Fabric(repeats.waves(20, 10, 2.5), SKY, NAVY, NAVY),
    Fabric(repeats.scattered(repeats.CHERRY, 26), CREAM, TOMATO, MOSS),
    Fabric(repeats.triangles(20), LINEN, RUST, HONEY),
    Fabric(repeats.scattered(repeats.MOON, 24, tilt=-20), PLUM, BUTTER, BUTTER),
    Fabric(repeats.honeycomb(14), HONEY, CREAM, CREAM),
    Fabric(repeats.stripes((0, 1.6, INK), (4, 1.6, INK), (12, 5, ACCENT)), CREAM, NAVY, ROSE),
    Fabric(repeats.scattered(repeats.TULIP, 26), MIST, ROSE, MOSS),
    Fabric(repeats.argyle(20, 30), FOREST, SAGE, CREAM),
    Fabric(repeats.rings(20), CREAM, PLUM, ROSE),
    Fabric(repeats.scattered(repeats.FISH, 24), SKY, DENIM, CREAM),
    Fabric(repeats.basket(20), TAUPE, COCOA, CREAM),
    Fabric(repeats.scattered(repeats.SNOWFLAKE, 24), BRICK, CREAM, CREAM),
    Fabric(repeats.checks(20), MAUVE, CREAM, CREAM),
    Fabric(repeats.scattered(repeats.MUSHROOM, 26), SAGE, BRICK, CREAM),
    Fabric(repeats.pinwheels(26), CREAM, MOSS, HONEY),
    Fabric(repeats.scattered(repeats.CROSS, 14), ROSE, CREAM, CREAM),
    Fabric(repeats.herringbone(24), MOSS, BUTTER, BUTTER),
    Fabric(repeats.scattered(repeats.DROP, 18), DENIM, MIST, MIST),
    Fabric(repeats.bricks(20, 14), RUST, PEACH, PEACH),
    Fabric(repeats.scattered(repeats.SPRIG, 22), CREAM, FOREST, TOMATO),
    Fabric(repeats.scattered(repeats.ROSETTE, 40), COAL, ROSE, SAGE),
)
"""The fabric of each patch, by patch id."""
