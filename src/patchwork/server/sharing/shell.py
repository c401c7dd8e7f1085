"""The page's HTML, with what it is about filled in. All text that comes from outside is escaped."""

from html import escape

from patchwork.locales import Messages
from patchwork.render.preview import HEIGHT, WIDTH
from patchwork.server.sharing.about import About

_TITLE = "<title>Patchwork</title>"
_END = "</body>"
"""What the built page contains (``web/index.html``)."""


def filled(shell: str, about: About, url: str, base: str, say: Messages) -> str:
    """Returns the page with its title, its description, and text for browsers without JavaScript.

    Args:
        shell: the page as it is built.
        about: what it is about.
        url: the address of the page.
        base: that of the server.
        say: the messages of the reader's language.
    """
    shell = shell.replace(_TITLE, _head(about, url, f"{base}{about.image}"), 1)
    return shell.replace(_END, f"{_without_script(about, say)}{_END}", 1)


def _head(about: About, url: str, image: str) -> str:
    properties = {
        "og:site_name": "Patchwork",
        "og:type": "website",
        "og:title": about.title,
        "og:description": about.text,
        "og:url": url,
        "og:image": image,
        "og:image:type": "image/png",
        "og:image:width": str(WIDTH),
        "og:image:height": str(HEIGHT),
    }
    names = {
        "description": about.text,
        "twitter:card": "summary_large_image",
        "twitter:title": about.title,
        "twitter:description": about.text,
        "twitter:image": image,
    }
    lines = [f"<title>{escape(about.title)}</title>"]
    lines += [f'<meta name="{name}" content="{escape(text)}" />' for name, text in names.items()]
    lines += [
        f'<meta property="{name}" content="{escape(text)}" />' for name, text in properties.items()
    ]
    return "\n    ".join(lines)


def _without_script(about: About, say: Messages) -> str:
    parts = [f"<h1>{escape(about.title)}</h1>", f"<p>{escape(about.text)}</p>"]
    if about.drawing is not None:
        alt = escape(say("link-drawing"))
        parts.append(f'<p><img src="{escape(about.drawing)}" alt="{alt}" /></p>')
    if about.record is not None:
        words = escape(say("page-table-record"))
        parts.append(f'<p><a href="{escape(about.record)}">{words}</a></p>')
    parts.append(f"<p>{escape(say('link-script'))}</p>")
    main = f'<main lang="{say.language}">{"".join(parts)}</main>'
    return f"<noscript>{main}</noscript>"
