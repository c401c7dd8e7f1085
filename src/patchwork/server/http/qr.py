"""Links as QR codes."""

from io import BytesIO

import segno

_SCALE = 4
"""Pixels of a module: even a long link can be read from a screen."""


def qr_code(url: str) -> str:
    """Returns the QR code of a link, as SVG."""
    picture = BytesIO()
    segno.make(url).save(picture, kind="svg", xmldecl=False, scale=_SCALE, light="white")
    return picture.getvalue().decode()
