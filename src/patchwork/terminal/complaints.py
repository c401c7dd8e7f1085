"""Tells in the user's language what is wrong with a text."""

from patchwork.locales import Messages
from patchwork.notation.errors import NotationError


def complaint(say: Messages, error: NotationError) -> str:
    """Returns what is wrong, without where; English detail only where a programmer needs it."""
    if error.reason is not None:
        return say(f"reason-{error.reason}")
    return say(f"notation-{error.problem}", detail=error.detail)
