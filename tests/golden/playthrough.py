"""Golden playthroughs: whole games written out so that a person can follow them.

A file begins with a game record, followed by the positions that the rules compute from it.
`make golden` regenerates all files; review the diff before you commit it.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from patchwork.notation.record import Record
from patchwork.render import ascii as drawing
from patchwork.rules.moves import Buy, Move
from patchwork.rules.position import Phase, Position

FOLDER = Path(__file__).parent
RULER = "\n" + "=" * 80 + "\n"


def playthrough(record: Record) -> str:
    """Returns the text of a golden file."""
    game = record.game
    steps = [record.format(), describe(game.positions()[0])]
    for number, (move, after) in enumerate(
        zip(game.moves, game.positions()[1:], strict=True), start=1
    ):
        steps.append(f"{number}. {move}\n\n{describe(after)}")
    return RULER.join(steps)


def describe(position: Position) -> str:
    return "\n".join((str(position), "", drawing.compact(position), "", *summary(position), ""))


def summary(position: Position) -> Iterator[str]:
    """Yields the choices: each patch with the number of its places, or the outcome."""
    moves = position.legal_moves()
    yield f"legal moves: {len(moves)}"
    if position.phase is Phase.LEATHER:
        yield "free spaces: " + " ".join(str(move)[1:] for move in moves)
    elif position.phase is Phase.TURN:
        places = Counter(patch_of(move) for move in moves)
        yield "places: " + ", ".join(f"{patch}: {places[patch]}" for patch in position.offer)
    yield f"scores: {position.scores[0]} {position.scores[1]}"
    if position.outcome is not None:
        yield str(position.outcome)


def patch_of(move: Move) -> int | None:
    return move.patch if isinstance(move, Buy) else None


def record_in(path: Path) -> Record:
    """Returns the record at the start of a golden file."""
    return Record.parse(path.read_text(encoding="utf-8").partition(RULER)[0])


if __name__ == "__main__":
    for path in FOLDER.glob("*.txt"):
        path.write_text(playthrough(record_in(path)), encoding="utf-8", newline="\n")
