"""Texts of valid positions, and helpers that swap the seats or expect a refusal."""

import pytest

import patchwork as pw

EMPTY = "9/9/9/9/9/9/9/9/9"
FILLED = "/".join(["xxxxxxxxx"] * 9)
SEED_1 = "26,14,3,13,25,32,21,22,10,15,28,23,29,7,12,4,19,20,27,5,17,8,11,30,9,18,31,6,16,1,24,2,0"
START = (
    f"classic 0:turn {EMPTY} b5,i0,t0 {EMPTY} b5,i0,t0"
    f" leather=20,26,32,44,50 tile=- home=- circle={SEED_1}"
)

# One move after the start of seed 1: the third patch of the circle was bought.
BOUGHT = (
    f"classic 1:turn xx7/x8/9/9/9/9/9/9/9 b2,i0,t1 {EMPTY} b5,i0,t0"
    " leather=20,26,32,44,50 tile=- home=- circle="
    "13,25,32,21,22,10,15,28,23,29,7,12,4,19,20,27,5,17,8,11,30,9,18,31,6,16,1,24,2,0,26,14"
)
MIDDLE = (
    "classic 0:turn xxx2x3/xxxxxxxxx/xxxx4x/xx7/9/7xx/8x/8x/7xx b0,i1,t13"
    " 9/1x7/1x7/xx7/x8/5x3/4xx3/4x4/9 b7,i4,t15 leather=20,26,32,44,50 tile=- home=-"
    " circle=4,19,20,27,5,17,8,11,30,9,18,31,6,16,1,24,2,0,26,14,25,32,15,28,29,7"
)
LEATHER = (
    "classic 0:leather xxx2x3/xxxxxxxxx/xxxxx3x/xxxxxxx2/4x4/6xxx/5xxxx/6x1x/6xxx b3,i3,t22"
    " 9/1x7/1x7/xx4xx1/x5x2/5xxx1/1x2xx3/xx2x4/x8 b8,i5,t19 leather=26,32,44,50 tile=- home=-"
    " circle=9,18,31,6,16,1,24,2,0,26,14,25,32,15,28,29,7,4,19,27,17,8"
)
# Twenty advances and nothing else; the token is on the line itself.
ON_THE_LINE = (
    f"classic 1:leather {EMPTY} b24,i0,t19 {EMPTY} b25,i0,t20"
    f" leather=26,32,44,50 tile=- home=- circle={SEED_1}"
)
HOME = (
    "classic 0:turn xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/1xxxxxxxx/xxxxxxxxx/xxx1xxxxx/1x2xxxxx"
    "/xxx2xxxx b17,i5,t52 2x1xxxxx/1xx2xx2/1xxx1xxx1/xxxxx1xx1/x1xx2x2/xxxxxxxxx/xx2xxxx1/xx2x1xxx"
    "/x4xx2 b58,i16,t53 leather=- tile=- home=1 circle=26,32,15,29,19,27,18,16"
)
OVER = (
    "classic 0:over xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/1xxxxxxxx/xxxxxxxxx/xxx1xxxxx/1x2xxxxx"
    "/xxx2xxxx b23,i5,t53 2x1xxxxx/1xx2xx2/1xxx1xxx1/xxxxx1xx1/x1xx2x2/xxxxxxxxx/xx2xxxx1/xx2x1xxx"
    "/x4xx2 b58,i16,t53 leather=- tile=- home=1 circle=26,32,15,29,19,27,18,16"
)
# A full quilt while one leather patch is still on the board; that one will be discarded (M3).
FULL = (
    f"classic 1:turn {FILLED} b4,i11,t46 {EMPTY} b48,i0,t43 leather=50 tile=0 home=-"
    " circle=31,12,16,29,26,19,17,9,28,18,21,24,4,27,14,10,6"
)
DISCARDED = (
    f"classic 0:over {FILLED} b33,i11,t53 {EMPTY} b58,i0,t53 leather=- tile=0 home=1"
    " circle=31,12,16,29,26,19,17,9,28,18,21,24,4,27,14,10,6"
)
# A quilt filled with patches alone, so that all five leather patches were discarded.
ALL_DISCARDED = (
    f"classic 0:over {FILLED} b0,i14,t53 {EMPTY} b37,i0,t53 leather=- tile=0 home=1"
    " circle=2,3,4,5,7,9,10,13,15,17,18,22,27,28,29,30,32"
)
# The largest lead: patch 8 was bought, which takes 6 time and pays 2 buttons at line 5.
LEAD = (
    f"classic 1:turn xxx6/x8/9/9/9/9/9/9/9 b3,i2,t6 {EMPTY} b5,i0,t0"
    " leather=20,26,32,44,50 tile=- home=- circle="
    "1,2,3,4,5,6,7,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,0"
)
# The fastest way to the 1 x 2 patch: the third patch on offer, eleven times.
GONE = (
    "classic 1:turn 1x2xxx2/xxxxxxxxx/1xxxx2x1/2x1xxxx1/xxxx2x2/x2x5/9/9/9 b4,i2,t18"
    " xxx1xxx2/xxxxxxx2/xxxxxxxxx/1x4x2/xxx6/9/9/9/9 b6,i1,t18 leather=20,26,32,44,50 tile=- home=-"
    " circle=25,32,29,14,2,9,17,16,13,10,19,7,26,5,3,24,28,18,27,15,8,6"
)
# Seat 0 has bought patches that take 58 time: 5 beyond the last space, which a last purchase
# can overshoot. Both seats together have as few buttons as possible.
OVERSHOT = (
    "classic 0:over xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxx3/9"
    f" b0,i22,t53 {EMPTY} b1,i0,t53 leather=- tile=0 home=1"
    " circle=2,3,4,5,7,11,12,14,17,18,19,20,21,25,26,27,30,31,32,0"
)
RICHEST = OVERSHOT.replace("b0,", "b151,").replace("b1,", "b58,")
# Patch 23 was bought, which takes 1 time; patch 25 has the same size and takes 2.
QUICK = (
    f"classic 1:turn 1x7/xxxx5/2x6/9/9/9/9/9/9 b3,i0,t1 {EMPTY} b5,i0,t0"
    " leather=20,26,32,44,50 tile=- home=- circle="
    "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,24,25,26,27,28,29,30,31,32,0"
)
VALID = {
    "start": START,
    "bought": BOUGHT,
    "middle": MIDDLE,
    "leather": LEATHER,
    "on the line": ON_THE_LINE,
    "home": HOME,
    "over": OVER,
    "full": FULL,
    "discarded": DISCARDED,
    "all discarded": ALL_DISCARDED,
    "lead of 6": LEAD,
    "1 x 2 gone": GONE,
    "overshot": OVERSHOT,
    "richest": RICHEST,
    "quick": QUICK,
    "revised": START.replace("classic", "revised").replace("20,26,32,44,50", "26,32,38,44,50"),
}


def swapped(text: str) -> str:
    """Returns the text with the seats swapped."""
    edition, decision, quilt_0, purse_0, quilt_1, purse_1, leather, tile, home, circle = (
        text.split()
    )
    other = str.maketrans("01", "10")
    words = (quilt_1, purse_1, quilt_0, purse_0, leather)
    flags = (tile.translate(other), home.translate(other))
    return " ".join((edition, decision.translate(other), *words, *flags, circle))


def refusal(text: str) -> pw.NotationError:
    with pytest.raises(pw.NotationError) as caught:
        pw.Position.parse(text)
    error = caught.value
    assert (error.line, error.column, error.number, error.reason) == (None, None, None, None)
    return error
