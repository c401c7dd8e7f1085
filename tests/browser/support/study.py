"""A record with everything that one can contain."""

import patchwork as pw
from patchwork.notation.record import Line, Ply, Record


def study() -> Record:
    """Returns a record with comments, annotations, and a variation within a variation."""
    setup = pw.Setup.random(1)
    game = pw.Game(setup)
    for text in ["3Aa1", "13Ba2", "21Af1"]:
        game.push(pw.parse_move(game.position, text))
    deep = Line((Ply(pw.parse_move(game.positions()[1].play(pw.Advance()), "13Ba2")),), "Deeper.")
    slow = (Ply(pw.Advance(), (4,)), Ply(pw.Advance(), (), "Why not?", (deep,)))
    (first, second, third) = game.moves
    line = Line(
        (
            Ply(first, (1, 14), "<img src=x onerror=alert(1)>"),
            Ply(second, (), "Look:", (Line(), Line(slow, "Instead."))),
            Ply(third),
        ),
        "Three moves.",
    )
    return Record(setup, line, ("Ann", "Bob"))
