"""``Setup``: what it refuses with which message, and what ``Setup.random`` deals."""

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchwork as pw
from patchwork.rules.setup import _below, _splitmix64
from support.quilts import CIRCLE


def refusal(circle: object, **rest: object) -> str:
    """Returns the message with which a setup is refused."""
    with pytest.raises(pw.SetupError) as caught:
        pw.Setup(circle, **rest)  # type: ignore[arg-type]
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


@pytest.mark.parametrize(
    ("circle", "words"),
    [
        ((2, *range(2, 33), 0), "circle holds patch 2 twice"),
        ((*CIRCLE[:-1], 32), "circle holds patch 32 twice"),
        ((*CIRCLE, 0), "circle holds patch 0 twice"),
        (tuple(range(33)), "circle ends with patch 32; the 1 x 2 patch 0 must be last"),
        (
            (*range(1, 32), 0, 32),
            "circle ends with patch 32; the 1 x 2 patch 0 must be last",
        ),
        ((33, *CIRCLE[1:]), "circle holds 33; patch ids are 0 to 32"),
        ((-1, *CIRCLE[1:]), "circle holds -1; patch ids are 0 to 32"),
        ((*CIRCLE[:-1], -33), "circle holds -33; patch ids are 0 to 32"),
        (CIRCLE[1:], "circle holds 32 patches; all 33 are needed"),
        ((), "circle holds 0 patches; all 33 are needed"),
        ((True, *CIRCLE[1:]), "circle holds True; patch ids are 0 to 32"),
        ((1.0, *CIRCLE[1:]), "circle holds 1.0; patch ids are 0 to 32"),
        (("1", *CIRCLE[1:]), "circle holds '1'; patch ids are 0 to 32"),
        ((None, *CIRCLE[1:]), "circle holds None; patch ids are 0 to 32"),
        ("abc", "circle holds 'a'; patch ids are 0 to 32"),
        (7, "circle must be 33 patch ids, not 7"),
        (None, "circle must be 33 patch ids, not None"),
    ],
)
def test_a_circle_that_is_not_every_patch_once_is_refused(circle: object, words: str) -> None:
    assert refusal(circle) == words


@pytest.mark.parametrize(
    ("edition", "words"),
    [
        ("classic", "edition is 'classic'; it must be CLASSIC or REVISED"),
        (None, "edition is None; it must be CLASSIC or REVISED"),
        (
            pw.Edition("classic", (26, 32, 38, 44, 50)),
            "edition is Edition(name='classic', leather=(26, 32, 38, 44, 50));"
            " it must be CLASSIC or REVISED",
        ),
    ],
)
def test_an_unknown_edition_is_refused(edition: object, words: str) -> None:
    assert refusal(CIRCLE, edition=edition) == words


@pytest.mark.parametrize("first", [2, -1, True, False, "0", 0.0, None])
def test_first_is_a_seat(first: object) -> None:
    assert refusal(CIRCLE, first=first) == f"first is {first!r}; the seats are 0 and 1"


def test_the_circle_is_checked_before_the_edition_and_that_before_the_seat() -> None:
    assert refusal((), edition="classic", first=2).startswith("circle holds 0 patches")
    assert refusal(CIRCLE, edition="classic", first=2).startswith("edition is 'classic'")


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("edition", [pw.CLASSIC, pw.REVISED], ids=lambda e: e.name)
def test_edition_and_first_are_passed_on(edition: pw.Edition, first: int) -> None:
    for setup in (
        pw.Setup(CIRCLE, edition, first),
        pw.Setup.random(edition=edition, first=first),
        pw.Setup.random(4, edition, first),
    ):
        assert (setup.edition, setup.first) == (edition, first)
        start = setup.start()
        assert (start.edition, start.turn, start.leather) == (edition, first, edition.leather)
        assert start.circle == setup.circle


def test_defaults_are_the_classic_edition_and_seat_0() -> None:
    for setup in (pw.Setup(CIRCLE), pw.Setup.random(0), pw.Setup.random()):
        assert setup.edition is pw.CLASSIC
        assert setup.first == 0


def test_any_iterable_is_stored_as_a_tuple() -> None:
    for circle in (list(CIRCLE), iter(CIRCLE)):
        setup = pw.Setup(circle)  # type: ignore[arg-type]
        assert setup.circle == CIRCLE
        assert type(setup.circle) is tuple
        assert setup == pw.Setup(CIRCLE)
        assert hash(setup) == hash(pw.Setup(CIRCLE))


def test_random_refuses_a_bad_first_or_edition_too() -> None:
    with pytest.raises(pw.SetupError, match=r"^first is 2; the seats are 0 and 1$"):
        pw.Setup.random(0, first=2)
    with pytest.raises(pw.SetupError, match=r"^edition is None; "):
        pw.Setup.random(0, edition=None)  # type: ignore[arg-type]


# fmt: off
CIRCLES = {
    0: (14, 18, 8, 27, 22, 15, 19, 2, 21, 9, 17, 30, 11, 7, 3, 23, 10,
        31, 1, 4, 5, 25, 6, 12, 32, 29, 13, 24, 28, 20, 26, 16, 0),
    1: (26, 14, 3, 13, 25, 32, 21, 22, 10, 15, 28, 23, 29, 7, 12, 4, 19,
        20, 27, 5, 17, 8, 11, 30, 9, 18, 31, 6, 16, 1, 24, 2, 0),
    9007199254740991: (7, 11, 10, 14, 24, 23, 21, 4, 6, 30, 16, 5, 13, 2, 22, 18, 3,
                       28, 9, 26, 29, 15, 1, 17, 27, 19, 12, 8, 20, 25, 31, 32, 0),
}
# fmt: on


@pytest.mark.parametrize(("seed", "circle"), CIRCLES.items())
def test_a_seed_deals_the_same_circle_for_ever(seed: int, circle: tuple[int, ...]) -> None:
    assert pw.Setup.random(seed).circle == circle
    assert pw.Setup.random(seed, pw.REVISED, 1).circle == circle


@pytest.mark.parametrize("seed", [-1, 2**53, 1.0, True, False, "0"])
def test_a_seed_is_an_integer_below_two_to_the_53rd(seed: object) -> None:
    with pytest.raises(pw.SetupError) as caught:
        pw.Setup.random(seed)  # type: ignore[arg-type]
    words = f"seed is {seed!r}; seeds are integers from 0 to 9007199254740991"
    assert str(caught.value) == words


def test_without_a_seed_circles_differ() -> None:
    assert len({pw.Setup.random().circle for _ in range(5)}) == 5
    assert len({pw.Setup.random(None).circle for _ in range(5)}) == 5


@settings(deadline=None)
@given(seed=st.integers(0, 2**53 - 1))
def test_every_seed_deals_every_patch_once_with_the_smallest_last(seed: int) -> None:
    circle = pw.Setup.random(seed).circle
    assert sorted(circle) == list(range(33))
    assert circle[-1] == 0


def test_each_patch_comes_to_each_place() -> None:
    circles = [pw.Setup.random(seed).circle for seed in range(1000)]
    for place in range(32):
        assert {circle[place] for circle in circles} == set(range(1, 33))


def test_the_generator_is_splitmix64() -> None:
    # Published results of other implementations for these two states.
    assert list(islice(_splitmix64(1234567), 5)) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert next(_splitmix64(0)) == 0xE220A8397B1DCDAF


def test_numbers_that_would_make_some_places_likelier_are_skipped() -> None:
    last = 2**64 - 1  # of 2**64 numbers, one is too many to be shared among three places
    assert _below(3, iter([last - 1, 4])) == 2
    assert _below(3, iter([last, 4])) == 1
    assert _below(3, iter([last, last, 3])) == 0
    assert _below(32, iter([last, 4])) == 31  # 32 divides 2**64
    assert _below(1, iter([last])) == 0
