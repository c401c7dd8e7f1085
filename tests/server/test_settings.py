"""Settings are parsed from texts, and invalid values are reported with the setting's name."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from patchwork.server.settings import _READERS, Allowed, SettingError, Settings, origin_of

HOME = {"XDG_DATA_HOME": "/data"}
OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"


def test_defaults_apply_without_any_settings() -> None:
    settings = Settings.read(HOME)
    assert (settings.host, settings.port) == ("127.0.0.1", 8327)
    assert settings.database == "sqlite:////data/patchwork/server.db"
    assert settings.workers >= 1
    assert settings == Settings(database=settings.database)
    assert Settings.read({**HOME, "PATCHWORK_PORT": "", "PATCHWORK_ORIGINS": "  "}) == settings


def test_options_take_precedence_over_the_environment() -> None:
    environment = {**HOME, "PATCHWORK_PORT": "1000", "PATCHWORK_HOST": "::1"}
    settings = Settings.read(environment, port="2000")
    assert (settings.host, settings.port) == ("::1", 2000)
    assert Settings.read(environment, port="").port == 8327
    with pytest.raises(TypeError, match="prot"):
        Settings.read({}, prot="2000")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("host", "0.0.0.0", "0.0.0.0"),
        ("host", "[::]", "::"),
        ("host", "Play.Example.org", "play.example.org"),
        ("port", "0", 0),
        ("database", "/var/lib/games.db", "sqlite:////var/lib/games.db"),
        ("database", "sqlite:////var/lib/games.db", "sqlite:////var/lib/games.db"),
        ("database", "sqlite:///games.db", f"sqlite:///{Path.cwd()}/games.db"),
        ("database", "games.db", f"sqlite:///{Path.cwd()}/games.db"),
        ("database", "postgresql://p:w@db/games", "postgresql://p:w@db/games"),
        ("database", "postgresql:///games?host=/run", "postgresql:///games?host=/run"),
        ("origins", "https://A.org, http://b.org:80,", ("https://a.org", "http://b.org")),
        ("proxies", "127.0.0.1, ::1,10.0.0.0/8", ("127.0.0.1", "::1", "10.0.0.0/8")),
        ("public_url", "https://example.org/", "https://example.org"),
        ("public_url", "https://[::1]:8443", "https://[::1]:8443"),
        ("secure_cookies", "auto", None),
        ("secure_cookies", "TRUE", True),
        ("workers", "1", 1),
        ("secret", "x" * 32, "x" * 32),
        ("log_format", "json", "json"),
        ("log_level", "WARNING", "warning"),
        ("play_messages", "0", 0),
        ("silence", "0.25", 0.25),
    ],
)
def test_valid_values_are_parsed(name: str, text: str, value: object) -> None:
    settings = Settings.read({f"PATCHWORK_{name.upper()}": text})
    assert getattr(settings, name) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("host", "http://example.org"),
        ("host", "example.org:80"),
        ("host", "256.1.1.1"),
        ("host", "1.2.3"),
        ("host", "-x.org"),
        ("host", "a b"),
        ("host", "*"),
        ("port", "65536"),
        ("port", "-1"),
        ("port", "1_0"),
        ("port", "8O"),
        ("port", "\u0661"),
        ("database", "mysql://host/name"),
        ("database", "postgres://host/name"),
        ("database", "postgresql://host"),
        ("database", "postgresql://host:port/name"),
        ("database", "sqlite://games.db"),
        ("database", "sqlite:///"),
        ("database", "sqlite://"),
        ("database", ":memory:"),
        ("database", "sqlite:///:memory:"),
        ("database", "games.db?mode=ro"),
        ("database", "/"),
        ("database", ".."),
        ("origins", "*"),
        ("origins", "null"),
        ("origins", "x.org"),
        ("origins", "https://x.org/path"),
        ("origins", "https://x.org/"),
        ("origins", "https://x.org, ftp://x.org"),
        ("origins", "https://user@x.org"),
        ("origins", "https://x.org:"),
        ("origins", "https://x.org:0"),
        ("origins", "https://x.org:99999"),
        ("origins", "https://*.x.org"),
        ("origins", "https://x.org https://y.org"),
        ("proxies", "*"),
        ("proxies", "localhost"),
        ("proxies", "10.0.0.1/8"),
        ("proxies", "10.0.0"),
        ("public_url", "example.org"),
        ("public_url", "https://example.org/patchwork"),
        ("public_url", "javascript://x"),
        ("secure_cookies", "perhaps"),
        ("workers", "0"),
        ("workers", "257"),
        ("secret", "short"),
        ("log_format", "xml"),
        ("log_level", "loud"),
        ("frame_bytes", "255"),
        ("play_messages", "-1"),
        ("requests_per_minute", "1.5"),
        ("silence", "0"),
        ("silence", "-3"),
        ("silence", "inf"),
        ("carry_minutes", "0"),
    ],
)
def test_invalid_values_are_refused_with_the_name(name: str, text: str) -> None:
    with pytest.raises(SettingError) as refused:
        Settings.read({f"PATCHWORK_{name.upper()}": text})
    assert refused.value.name == name
    assert isinstance(refused.value.allowed, Allowed)
    assert str(refused.value).startswith(f"{name} is ")


def test_secrets_do_not_appear_in_messages() -> None:
    for name, text in (("secret", "hunter2"), ("database", "mysql://ann:hunter2@host/name")):
        with pytest.raises(SettingError) as refused:
            Settings.read({}, **{name: text})
        assert "hunter2" not in str(refused.value)
        assert "hunter2" not in refused.value.value
    settings = Settings.read({}, secret="hunter2" * 9, database="postgresql://ann:hunter2@host/n")
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"HOME": "/home/ann"}, "/home/ann/.local/share"),
        ({"HOME": "/home/ann", "XDG_DATA_HOME": "data"}, "/home/ann/.local/share"),
        ({"HOME": "/home/ann", "XDG_DATA_HOME": "/data"}, "/data"),
    ],
)
def test_the_default_database_is_in_the_users_data_folder(
    environment: dict[str, str], folder: str
) -> None:
    file = Settings.read(environment).database_file
    assert file == Path(folder) / "patchwork" / "server.db"
    assert Settings.read({"HOME": ""}).database_file not in (None, Path("/.local"))


def test_a_database_server_has_no_file() -> None:
    assert Settings.read({}, database="postgresql://host/name").database_file is None


def test_every_setting_has_a_parser_and_is_documented() -> None:
    names = {setting.name for setting in fields(Settings)}
    assert set(_READERS) == names
    rows = re.findall(r"^\| `PATCHWORK_(\w+)` \|", OPERATIONS.read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(name.upper() for name in names)


def test_documented_defaults_are_correct() -> None:
    rows = dict(
        re.findall(
            r"^\| `PATCHWORK_(\w+)` \| `([^`]+)`", OPERATIONS.read_text("utf-8"), re.MULTILINE
        )
    )
    settings = Settings()
    for name, text in rows.items():
        assert getattr(Settings.read({}, **{name.lower(): text}), name.lower()) == getattr(
            settings, name.lower()
        )
    assert len(rows) >= 15


def test_origins_are_normalised_as_in_browsers() -> None:
    assert origin_of("HTTPS://Example.ORG:443") == "https://example.org"
    assert origin_of("http://[0:0::1]:8327") == "http://[::1]:8327"
