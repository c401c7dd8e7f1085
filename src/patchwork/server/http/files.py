"""The files of the page, read once when the server starts, so that requests need no disk.

Beside each file that compresses well, the build of the page puts compressed copies of it
(``web/vite.config.ts``).
"""

import re
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response

from patchwork.server.caching.conditional import REVALIDATE, Body, answer

_ENCODINGS = {".br": "br", ".gz": "gzip"}
"""Encodings by the suffix of the file name, the best first."""
_HASHED = re.compile(r"/assets/.+-[\w-]{8}\.\w+")
"""Addresses that contain a hash of the file."""
_REFUSED = "q=0"
_ZERO_WEIGHT = re.compile(r"q=0(\.0*)?")
"""The weight of an encoding that a client does not accept."""
_FOR_EVER = "public, max-age=31536000, immutable"
_MEDIA_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".webmanifest": "application/manifest+json",
}
"""By suffix; the tables of operating systems differ."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of the page, plain and compressed."""

    media_type: str
    cache: str
    """The header Cache-Control."""
    plain: Body
    compressed: dict[str, Body]
    """By encoding, the best first."""

    def answer(self, request: Headers) -> Response:
        """Returns the answer to a request with these headers, compressed if it allows that."""
        headers, body = {"Cache-Control": self.cache}, self.plain
        if self.compressed:
            headers["Vary"] = "Accept-Encoding"
        accepted = _accepted(request)
        for encoding, compressed in self.compressed.items():
            if encoding in accepted:
                headers["Content-Encoding"], body = encoding, compressed
                break
        return answer(request, body, headers, self.media_type)


def read_files(folder: Path) -> dict[str, File]:
    """Returns the files in a folder by their addresses, such as ``/index.html``."""
    return {
        f"/{path.relative_to(folder).as_posix()}": _read(path, folder)
        for path in sorted(folder.rglob("*.*"))
        if path.suffix not in _ENCODINGS
    }


def _read(path: Path, folder: Path) -> File:
    address = f"/{path.relative_to(folder).as_posix()}"
    compressed = {
        encoding: Body.of(found.read_bytes())
        for end, encoding in _ENCODINGS.items()
        if (found := path.with_name(path.name + end)).is_file()
    }
    return File(
        _MEDIA_TYPES.get(path.suffix, "application/octet-stream"),
        _FOR_EVER if _HASHED.fullmatch(address) else REVALIDATE,
        Body.of(path.read_bytes()),
        compressed,
    )


def _accepted(request: Headers) -> set[str]:
    """Returns the encodings that a client accepts (RFC 9110, 12.5.3)."""
    lines = ",".join(request.getlist("accept-encoding")).lower().replace(" ", "")
    weights = dict(part.partition(";")[::2] for part in lines.split(","))
    other = weights.get("*", _REFUSED)
    return {
        each for each in _ENCODINGS.values() if not _ZERO_WEIGHT.fullmatch(weights.get(each, other))
    }
