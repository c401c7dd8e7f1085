"""The repeats of the fabrics: geometric weaves, and motifs printed in half-drop rows.

Each is drawn in two colours, written ``INK`` and ``ACCENT`` here, on a ground that shows through.
"""

from dataclasses import dataclass
from math import cos, pi, sin

from patchwork.render.markup import short

INK, ACCENT = "{ink}", "{accent}"
_CORNERS = ((0, 0), (1, 0), (0, 1), (1, 1))


@dataclass(frozen=True, slots=True)
class Repeat:
    """The tile that a fabric repeats; its shapes are filled with ink unless they say otherwise."""

    width: float
    height: float
    drawing: str
    turn: int = 0
    """Degrees by which the whole fabric is rotated."""


@dataclass(frozen=True, slots=True)
class Motif:
    """A small figure centred on the origin, about 14 units across, as path data."""

    ink: str
    accent: str = ""


def _path(data: str, style: str = "") -> str:
    return f'<path d="{data}"{style}/>' if data else ""


def _lines(data: str, width: float, colour: str = INK) -> str:
    return _path(data, f' fill="none" stroke="{colour}" stroke-width="{width}"')


def _disc(x: float, y: float, r: float) -> str:
    bow = f"a{r} {r} 0 1 0"
    return f"M{short(x - r)} {short(y)}{bow} {short(2 * r)} 0{bow}-{short(2 * r)} 0z"


def _spokes(count: int, inner: float, outer: float) -> list[tuple[float, float]]:
    """Returns points round the origin, alternately far and near, starting at the top."""
    radii = (outer, inner) * count
    return [(r * sin(pi * i / count), -r * cos(pi * i / count)) for i, r in enumerate(radii)]


def _polygon(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{short(x)} {short(y)}" for x, y in points) + "z"


def scattered(motif: Motif, size: float, tilt: int = 0) -> Repeat:
    """Returns a motif in half-drop rows, tilted left and right alternately."""
    shapes = _path(motif.ink) + _path(motif.accent, f' fill="{ACCENT}"')
    drawing = ""
    # A motif may be larger than half the tile, so each corner shows its part of one.
    for x, y in ((0.5, 0.5), *_CORNERS):
        angle = tilt if x == 0.5 else -tilt
        turn = f" rotate({angle})" if angle else ""
        place = f"{short(x * size)} {short(y * size)}"
        drawing += f'<g transform="translate({place}){turn}">{shapes}</g>'
    return Repeat(size, size, drawing)


def dots(size: float, radius: float) -> Repeat:
    """Returns polka dots."""
    near, far = size / 4, 3 * size / 4
    return Repeat(size, size, _path(_disc(near, near, radius) + _disc(far, far, radius)))


def stripes(*bands: tuple[float, float, str], turn: int = 0) -> Repeat:
    """Returns stripes, each given by its start, width and colour."""
    width = 2 * bands[-1][0] if len(bands) > 1 else 2 * bands[0][1]
    drawing = "".join(
        _path(f"M{at} 0h{wide}v{width}h-{wide}z", f' fill="{colour}"') for at, wide, colour in bands
    )
    return Repeat(width, width, drawing, turn)


def gingham(size: float) -> Repeat:
    """Returns two sets of translucent bands that darken where they cross."""
    half = size / 2
    style = ' fill-opacity=".55"'
    return Repeat(
        size,
        size,
        _path(f"M0 0h{half}v{size}h-{half}z", style) + _path(f"M0 0h{size}v{half}h-{size}z", style),
    )


def plaid(size: float) -> Repeat:
    """Returns a tartan: broad translucent bands and pairs of accent threads."""
    band = size / 4
    bands = f"M0 0h{band}v{size}h-{band}z", f"M0 0h{size}v{band}h-{size}z"
    threads = "".join(f"M{at} 0v{size}M0 {at}h{size}" for at in (2.4 * band, 2.8 * band))
    broad = "".join(_path(data, ' fill-opacity=".6"') for data in bands)
    return Repeat(size, size, broad + _lines(threads, 1.6, ACCENT))


def checks(size: float) -> Repeat:
    """Returns a chessboard."""
    half = size / 2
    return Repeat(size, size, _path(f"M0 0h{half}v{size}h{half}v-{half}h-{size}z"))


def chevrons(width: float, height: float, thickness: float) -> Repeat:
    """Returns bold zigzags whose points reach into the row above."""
    half = width / 2
    zigzag = ""
    for top in (-height, 0):
        low = top + height / 2
        zigzag += (
            f"M0 {low}L{half} {top}L{width} {low}v{thickness}"
            f"L{half} {top + thickness}L0 {low + thickness}z"
        )
    return Repeat(width, height, _path(zigzag))


def waves(width: float, height: float, thickness: float) -> Repeat:
    """Returns rows of rolling lines."""
    q, m = width / 4, height / 2
    curve = f"M{-q} {m}q{q / 2}-{q} {q} 0t{q} 0t{q} 0t{q} 0t{q} 0t{q} 0"
    return Repeat(width, height, _lines(curve, thickness))


def scales(size: float) -> Repeat:
    """Returns overlapping fans."""
    r = size / 2
    fans = [(0.0, r), (size, r), (r, 0.0), (r, size)]
    arcs = ""
    for k in (1.0, 0.55):
        for x, y in sorted(fans, key=lambda fan: fan[1]):
            near = short(r * k)
            arcs += f"M{short(x - r * k)} {short(y)}a{near} {near} 0 0 0 {short(2 * r * k)} 0"
    return Repeat(size, size, _lines(arcs, 2))


def triangles(size: float) -> Repeat:
    """Returns flying geese: rows of triangles in two colours."""
    half = size / 2
    return Repeat(
        size,
        size,
        _path(f"M0 {half}L{half / 2} 0L{half} {half}zM{half} {half}L{half * 1.5} 0L{size} {half}z")
        + _path(
            f"M{-half / 2} {size}L0 {half}L{half / 2} {size}zM{half / 2} {size}L{half} {half}"
            f"L{half * 1.5} {size}zM{half * 1.5} {size}L{size} {half}L{size + half / 2} {size}z",
            f' fill="{ACCENT}"',
        ),
    )


def honeycomb(side: float) -> Repeat:
    """Returns the walls of hexagons."""
    height = side * 3 / 2
    middle = side / 2
    quarter = height / 6
    walls = (
        f"M{middle} {-quarter}V{quarter}L0 {2 * quarter}V{4 * quarter}L{middle} {5 * quarter}"
        f"V{7 * quarter}M{middle} {quarter}L{side} {2 * quarter}V{4 * quarter}"
        f"L{middle} {5 * quarter}"
    )
    return Repeat(side, height, _lines(walls, 2))


def argyle(width: float, height: float) -> Repeat:
    """Returns diamonds crossed by fine dashed lines."""
    x, y = width / 2, height / 2
    diamond = f"M{x} 0L{width} {y}L{x} {height}L0 {y}z"
    cross = f"M0 0L{width} {height}M{width} 0L0 {height}"
    dashes = _lines(cross, 1.4, ACCENT).replace("/>", ' stroke-dasharray="2.5 2"/>')
    return Repeat(width, height, _path(diamond) + dashes)


def rings(size: float) -> Repeat:
    """Returns wedding rings: large interlaced circles with a dot in each."""
    half, r = size / 2, size * 0.42
    middles = [(half, half), *((x * size, y * size) for x, y in _CORNERS)]
    circles = "".join(_disc(x, y, r) for x, y in middles)
    dots = "".join(_disc(x, y, 2.4) for x, y in middles)
    return Repeat(size, size, _lines(circles, 1.8) + _path(dots, f' fill="{ACCENT}"'))


def basket(size: float) -> Repeat:
    """Returns strips woven over and under in pairs."""
    half, strip = size / 2, size / 8
    over = down = ""
    for near in (strip, 3 * strip):
        far = near + half
        over += f"M0 {near}h{half}M{half} {far}h{half}"
        down += f"M{far} 0v{half}M{near} {half}v{half}"
    return Repeat(size, size, _lines(over, 2.4) + _lines(down, 2.4, ACCENT))


def pinwheels(size: float) -> Repeat:
    """Returns windmills of eight blades in two colours."""
    h = size / 2
    blades = f"M{h} {h}V0L0 0zM{h} {h}H{size}V0zM{h} {h}V{size}H{size}zM{h} {h}H0V{size}z"
    return Repeat(size, size, _path(blades) + _path(_disc(h, h, 2.2), f' fill="{ACCENT}"'))


def herringbone(size: float) -> Repeat:
    """Returns slanting threads that turn at every column."""
    half, step = size / 2, size / 4
    threads = "".join(
        f"M0 {short(y)}l{half}-{half}l{half} {half}" for y in (step * k for k in range(8))
    )
    return Repeat(size, size, _lines(threads, 2.3) + _lines(f"M0 0v{size}M{half} 0v{size}", 0.8))


def bricks(width: float, height: float) -> Repeat:
    """Returns the joints of a brick wall."""
    half, middle = height / 2, width / 2
    joints = f"M0 0h{width}M0 {half}h{width}M0 {height}h{width}M0 0v{half}M{width} 0v{half}"
    return Repeat(width, height, _lines(f"{joints}M{middle} {half}v{half}", 1.8))


def houndstooth(size: float) -> Repeat:
    """Returns a twill of four dark and four light threads, computed as a loom weaves it."""
    unit = size / 8
    data = ""
    for row in range(8):
        for column in range(8):
            warp_on_top = (row + column) % 4 < 2
            if (column if warp_on_top else row) < 4:
                data += f"M{short(column * unit)} {short(row * unit)}h{unit}v{unit}h-{unit}z"
    return Repeat(size, size, _path(data))


HEART = Motif("M0 5.6C-8.5-.6-5.5-6-2.8-6Q-.6-6 0-3.2Q.6-6 2.8-6C5.5-6 8.5-.6 0 5.6z")
STAR = Motif(_polygon(_spokes(5, 2.3, 5.6)))
DAISY = Motif(
    "".join(_disc(x, y, 2.6) for x, y in _spokes(6, 0, 4.4)[::2]),
    _disc(0, 0, 2.3),
)
LEAF = Motif("M0-7.5Q6-1 .6 5.2V8H-.6V5.2Q-6-1 0-7.5z")
MOON = Motif("M2-6A6.2 6.2 0 1 0 2 6A7.4 7.4 0 0 1 2-6z")
CHERRY = Motif(
    _disc(-3.6, 3.4, 3) + _disc(3.4, 4.2, 3),
    "M-4.2 1.2Q-3-4 1.5-7Q2.4-2 4 2h-1.2Q1.2-2 .9-5Q-2.4-2.4-3 1.2z"
    "M1.4-7.2Q5-9 7-5.6Q3.8-4.6 1.4-7.2z",
)
TULIP = Motif(
    "M-4.4-6.5L-1.8-4L0-7L1.8-4L4.4-6.5Q6 .6 0 .8Q-6 .6-4.4-6.5z",
    "M-.7.6H.7V4Q3 .8 5.4 1.2Q4.6 5.6.7 6.6V7.6H-.7V6.6Q-4.6 5.6-5.4 1.2Q-3 .8-.7 4z",
)
FISH = Motif("M-8 0Q-1.6-7.6 3.8-1L8.4-4.4V4.4L3.8 1Q-1.6 7.6-8 0z", _disc(-3.6, -0.8, 1.2))
SNOWFLAKE = Motif(
    _polygon(_spokes(6, 1.6, 6.8)) + "".join(_disc(x, y, 1.3) for x, y in _spokes(6, 0, 6)[::2])
)
MUSHROOM = Motif(
    "M-6.6.8Q-6-6.4 0-6.4T6.6.8Q0 2.4-6.6.8z",
    "M-1.8 1.9H1.8L2.6 7H-2.6z" + _disc(-2.8, -2, 1.1) + _disc(2.2, -3, 1.3) + _disc(3.6, 0, 0.8),
)
CROSS = Motif("M-1.2-4H1.2V-1.2H4V1.2H1.2V4H-1.2V1.2H-4V-1.2H-1.2z")
DROP = Motif("M0-6Q4.6.4 3.2 3A3.6 3.6 0 0 1-3.2 3Q-4.6.4 0-6z")
SPRIG = Motif(
    "M-.6 6V-2H.6V2Q1.6-1.4 5-1.6Q4.6 2.2.6 3.4V6zM-.6 3.4Q-4.6 2.2-5-1.6Q-1.6-1.4-.6 2z",
    _disc(0, -4.6, 2.1),
)
ROSETTE = Motif(
    "".join(_disc(x, y, 3.1) for x, y in _spokes(5, 0, 4.6)[::2]) + _disc(0, 0, 2.2),
    "M5 5Q11 3.6 12 9Q7 11 5 5zM-5 5Q-11 3.6-12 9Q-7 11-5 5z" + _disc(0, 0, 1.8),
)
