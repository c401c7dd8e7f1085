"""Games as the server keeps them, brought quickly to any state."""

from itertools import count

from patchwork.rules.moves import ADVANCE, Move
from patchwork.rules.position import Phase
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import CLASSIC, Edition
from patchwork.server import wire
from patchwork.server.game.events import Event, Kind
from patchwork.server.game.match import Course
from patchwork.server.game.terms import SECOND, Clock, Opponent, Terms

NOW = 1_800_000_000_000
ANN, BOB, EVE = "ann", "bob", "eve"
COMPUTER, SCREEN, FRIEND = Opponent
MINUTE_CLOCK = Clock(60 * SECOND, 5 * SECOND)
BOTH_GONE = frozenset({0, 1})

_ids = count(1)


def terms(
    opponent: Opponent,
    *,
    first: int | None = 0,
    clock: Clock | None = None,
    computer: int = 1,
    edition: Edition = CLASSIC,
    seed: int = 1,
) -> Terms:
    against = opponent is COMPUTER
    return Terms(
        opponent=opponent,
        edition=edition,
        circle=Setup.random(seed).circle,
        first=first,
        clock=clock,
        computer=computer if against else None,
        level=3 if against else None,
    )


def waiting(first: int | None = 0, clock: Clock | None = None) -> Course:
    """Ann waits for a friend on seat 0."""
    return Course(
        terms(FRIEND, first=first, clock=clock), [Event(1, Kind.JOIN, 0, NOW, "Ann", player=ANN)]
    )


def seated(agreed: Terms, now: int = NOW) -> Course:
    """Everybody is there: Ann, and Bob if she plays with a friend."""
    course = Course(agreed)
    for seat in (0, 1):
        if seat != agreed.computer:
            player, name = (BOB, "Bob") if agreed.opponent is FRIEND and seat else (ANN, "Ann")
            course.apply(Event(course.seq + 1, Kind.JOIN, seat, now, name, player=player))
    return course


def do(
    course: Course,
    kind: type[wire.AnyAction],
    player: str = ANN,
    now: int = NOW,
    *,
    gone: frozenset[int] = frozenset(),
    **data: object,
) -> Event:
    """Asks for something that answers the last event, and lets it happen."""
    event = course.respond(action(course, kind, **data), player, now, gone)
    course.apply(event)
    return event


def action(course: Course, kind: type[wire.AnyAction], **data: object) -> wire.AnyAction:
    return kind.model_validate({"id": f"x{next(_ids)}", "seq": course.seq, **data})


def decide(course: Course, move: Move | None = None, now: int = NOW) -> Event:
    """Lets whoever has to decide make a move: any, but rather an advance than a purchase."""
    assert course.game is not None
    position = course.game.position
    if move is None:
        move = ADVANCE if position.phase is Phase.TURN else position.legal_moves()[0]
    if course.computer_decides:
        event = course.computer_move(move, now)
        course.apply(event)
        return event
    sitting = course.seats[position.turn]
    assert sitting is not None
    assert sitting.player is not None
    return do(course, wire.Move, sitting.player, now, move=str(move))


def decisions(course: Course, number: int, now: int = NOW) -> Course:
    for _ in range(number):
        decide(course, now=now)
    return course


def played_out(course: Course) -> Course:
    while course.running:
        decide(course)
    return course


def begun(opponent: Opponent) -> Course:
    return seated(terms(opponent))


def asked(course: Course) -> Course:
    """Ann has moved, Bob too, and in a game of two people Ann would like to take hers back."""
    decisions(course, 2)
    if course.terms.opponent is FRIEND:
        do(course, wire.Undo)
    return course


def resigned(course: Course) -> Course:
    do(course, wire.Resign)
    return course


def aborted(course: Course) -> Course:
    do(course, wire.Abort)
    return course
