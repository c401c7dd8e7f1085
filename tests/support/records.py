"""A record with every kind of annotation, its canonical text, and helpers to build and read."""

from pathlib import Path
from random import Random

import pytest

import patchwork as pw
from patchwork.notation.record import Line, Ply, Termination
from patchwork.rules.moves import Move

SPECIFICATION = Path(__file__).parents[2] / "docs" / "notation.md"
SETUP = pw.Setup.random(seed=1)
CIRCLE = "26,14,3,13,25,32,21,22,10,15,28,23,29,7,12,4,19,20,27,5,17,8,11,30,9,18,31,6,16,1,24,2,0"
HEAD = f'[Circle "{CIRCLE}"]'

ANNOTATED = """\
[Player0 "Ada \\"Countess\\" L."]
[Player1 "C:\\\\Grace"]
[Date "2026.11.15"]
[Edition "classic"]
[Circle "@"]
[First "0"]
[Result "0-1"]
[Scores "-131,-142"]
[Termination "resigned"]
[Event "Caf\u00e9"]
[round "2"]

{The circle of seed 1.} 1. 3Aa1 $1 $14 {Cheap, and 26 is out of reach.} 2. 13Ba2
(2. A {Slow.} 3. A (3. 13Ba2 $2)) (2. 25Aa1) 3. 21Af1 ({Or:} 3. A) () 4. 22Bh6
$6 5. A {a \\} and a \\\\ and a "
on two lines} 0-1
""".replace("@", CIRCLE)


def annotated() -> pw.Record:
    """Returns the record whose canonical text is ``ANNOTATED``, built by hand."""

    def move(text: str, *before: str) -> Move:
        position = SETUP.start()
        for played in before:
            position = position.play(pw.parse_move(position, played))
        return pw.parse_move(position, text)

    advance = pw.Advance()
    third = Ply(advance, variations=(Line((Ply(move("13Ba2", "3Aa1"), (2,)),)),))
    return pw.Record(
        SETUP,
        Line(
            (
                Ply(move("3Aa1"), (1, 14), "Cheap, and 26 is out of reach."),
                Ply(
                    move("13Ba2", "3Aa1"),
                    variations=(
                        Line((Ply(advance, comment="Slow."), third)),
                        Line((Ply(move("25Aa1", "3Aa1")),)),
                    ),
                ),
                Ply(
                    move("21Af1", "3Aa1", "13Ba2"),
                    variations=(Line((Ply(advance),), "Or:"), Line()),
                ),
                Ply(move("22Bh6", "3Aa1", "13Ba2", "21Af1"), (6,)),
                Ply(advance, comment='a } and a \\ and a "\non two lines'),
            ),
            "The circle of seed 1.",
        ),
        players=('Ada "Countess" L.', "C:\\Grace"),
        date="2026.11.15",
        termination=Termination.RESIGNED,
        winner=1,
        tags={"round": "2", "Event": "Caf\u00e9"},
    )


def played(style: str = "whim", seed: int = 1, setup: pw.Setup = SETUP) -> pw.Game:
    """Returns a finished game, played at random or with advances only."""
    rng, game = Random(seed), pw.Game(setup)
    while game.position.outcome is None:
        moves = game.position.legal_moves()
        game.push(moves[0] if style == "saver" else rng.choice(moves))
    return game


def record_of(movetext: str, *tags: str) -> pw.Record:
    return pw.Record.parse("\n".join((HEAD, *tags, "", movetext)))


def movetext_of(record: pw.Record) -> str:
    return record.format().partition("\n\n")[2]


def refusal(text: str) -> pw.NotationError:
    with pytest.raises(pw.NotationError) as caught:
        pw.Record.parse(text)
    return caught.value
