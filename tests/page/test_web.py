"""The built page: up to date, complete, and allowed by the content security policy."""

import gzip
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from patchwork.server.http.pages import _GAMES, _PRIVATE, _SCREENS, STATIC

WEB = Path(__file__).parents[2] / "web"
TINY = 200
"""Bytes of a file that may not become smaller when compressed."""


@pytest.fixture(scope="module")
def built() -> list[Path]:
    """The files of the built page."""
    assert (STATIC / "index.html").exists(), "the page is not built: make page"
    return [path for path in STATIC.rglob("*") if path.is_file()]


def test_the_generated_messages_are_up_to_date() -> None:
    tool = runpy.run_path(str(WEB / "tools" / "messages.py"))
    assert tool["TARGET"].read_text("utf-8") == tool["types"](), "make generated"


def test_the_generated_drawings_and_colours_are_up_to_date() -> None:
    for path, write in runpy.run_path(str(WEB / "tools" / "art.py"))["FILES"].items():
        assert path.read_text("utf-8") == write(), "make generated"


def test_every_compressible_file_has_compressed_copies(built: list[Path]) -> None:
    files = [path for path in built if path.suffix not in (".br", ".gz", ".ico", ".png")]
    compressed = [path for path in files if path.stat().st_size > TINY]
    assert len(compressed) > len(files) / 2
    unpack = (
        "const {readFileSync, writeSync} = require('fs');"
        "const {brotliDecompressSync} = require('zlib');"
        "writeSync(1, brotliDecompressSync(readFileSync(process.argv[1])));"
    )
    for path in compressed:
        content = path.read_bytes()
        forms = [path.with_name(path.name + end) for end in (".gz", ".br")]
        assert all(form.stat().st_size < len(content) for form in forms), path.name
        assert gzip.decompress(forms[0].read_bytes()) == content
    script = max(compressed, key=lambda path: path.stat().st_size)
    node = shutil.which(
        "node", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    assert node is not None, "Node is missing, although it has built the page"
    done = subprocess.run([node, "-e", unpack, f"{script}.br"], capture_output=True, check=True)
    assert done.stdout == script.read_bytes()


def test_the_page_refers_to_no_other_host(built: list[Path]) -> None:
    # XML namespaces and links in error messages, which are never requested.
    names = {"http://www.w3.org", "https://www.w3.org", "https://svelte.dev"}
    for path in built:
        if path.suffix in (".js", ".css", ".html", ".svg", ".webmanifest"):
            found = set(re.findall(r"(?:https?|wss?)://[\w.-]+", path.read_text("utf-8")))
            assert found <= names, path.name


def test_the_content_security_policy_allows_the_page(built: list[Path]) -> None:
    pages = [path.read_text("utf-8") for path in built if path.suffix == ".html"]
    for page in pages:
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
        for attributes, body in re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL):
            assert 'src="/' in attributes
            assert body == ""
    for path in built:
        if path.suffix == ".js":
            assert not re.search(r"\beval\(|new Function\(", path.read_text("utf-8")), path.name


def test_every_file_that_the_page_refers_to_exists(built: list[Path]) -> None:
    pages = [path for path in built if path.suffix == ".html"]
    screens = {component for component, _ in _SCREENS.values()}
    screens |= {*_GAMES.values(), *_PRIVATE.values()}
    assert {path.stem for path in pages} == {"index", *screens}
    for page in pages:
        for address in re.findall(r'(?:src|href)="/([^"]*)"', page.read_text("utf-8")):
            assert (STATIC / address).is_file(), address


@pytest.mark.parametrize(
    "folder", [WEB, Path(__file__).parents[1] / "browser"], ids=["web", "tests"]
)
def test_the_lock_file_has_no_registry_but_all_hashes_and_platforms(folder: Path) -> None:
    packages = json.loads((folder / "package-lock.json").read_text("utf-8"))["packages"]
    packages.pop("")
    assert packages
    for package in packages.values():
        assert "resolved" not in package
        assert package["integrity"].startswith("sha512-")
        for name in package.get("optionalDependencies", ()):
            assert f"node_modules/{name}" in packages, "npm ci would refuse the lock"
