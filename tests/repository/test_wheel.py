"""The wheel works in an otherwise empty environment."""

import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from browser.support.server import LiveServer

ROOT = Path(__file__).parents[2]


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an empty environment with the wheel in it."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", ROOT, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "empty", with_pip=False)
    bin_folder = folder / "empty" / ("Scripts" if sys.platform == "win32" else "bin")
    run(*pip, "--python", bin_folder / "python", "install", "--no-index", wheel, cwd=folder)
    return bin_folder


def test_the_library_can_be_imported(scripts: Path, tmp_path: Path) -> None:
    code = (
        "import patchwork as pw; print(pw.__version__, len(pw.PATCHES), pw.Setup.random(7).start())"
    )
    output = run(scripts / "python", "-c", code, cwd=tmp_path)
    assert output.startswith("0.1.0 33 classic 0:turn 9/9/9/9/9/9/9/9/9 b5,i0,t0")


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_command_gives_help(scripts: Path, tmp_path: Path, language: str) -> None:
    assert "patchwork play" in run(
        scripts / "patchwork", "--help", "--lang", language, cwd=tmp_path
    )


def test_a_table_is_drawn_without_dependencies(scripts: Path, tmp_path: Path) -> None:
    record = run(scripts / "patchwork", "new", "--seed", "7", cwd=tmp_path)
    (tmp_path / "game.patchwork").write_text(record, encoding="utf-8")
    assert run(scripts / "patchwork", "show", "game.patchwork", "--svg", cwd=tmp_path).startswith(
        "<svg"
    )


def test_the_wheel_is_marked_as_typed(scripts: Path) -> None:
    assert list(scripts.parent.rglob("patchwork/py.typed"))


def test_the_wheel_contains_the_network(scripts: Path) -> None:
    networks = list(scripts.parent.rglob("patchwork/engine/weights/*"))
    assert {network.name for network in networks} == {
        "patchwork.json",
        "patchwork.onnx",
        "patchwork.swift",
    }
    assert sum(network.stat().st_size for network in networks) <= 5_000_000


def test_the_wheel_serves_the_page_without_node(scripts: Path, tmp_path: Path) -> None:
    # The packages of the extra ``play`` are those of this environment; patchwork is from the wheel.
    (module,) = scripts.parent.rglob("patchwork/__init__.py")
    with LiveServer(tmp_path, PYTHONPATH=str(module.parents[1]), PATH=str(scripts)) as server:
        page = server.get("/")
        assert page.status_code == 200
        addresses = re.findall(r'(?:src|href)="(/[^"]*)"', page.text)
        assert any(address.endswith(".js") for address in addresses)
        for address in addresses:
            file = module.parent / "server" / "static" / address[1:]
            assert server.get(address).content == file.read_bytes()
            if file.suffix != ".png":
                assert "content-encoding" in server.get(address).headers
