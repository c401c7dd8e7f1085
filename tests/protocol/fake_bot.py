"""A bot for CodinGame's protocol that knows nothing of our library: ``fake_bot.py FAULT [LOG]``.

It reads all it is told, checks what can be checked and answers by formula: the placement that comes
out of a pseudo-random walk through patches, flips, rotations and places.
The log gets a line for each turn: the moves of the other player, each with a semicolon behind.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

FAULT = sys.argv[1]


def turned(shape: list[str], flip: int, rotations: int) -> list[str]:
    if flip:
        shape = [row[::-1] for row in shape]
    for _ in range(rotations):
        height, width = len(shape), len(shape[0])
        shape = ["".join(shape[height - 1 - x][y] for x in range(height)) for y in range(width)]
    return shape


def spaces(shape: list[str], x: int, y: int) -> list[tuple[int, int]]:
    return [
        (x + column, y + row)
        for row, marks in enumerate(shape)
        for column, mark in enumerate(marks)
        if mark == "O"
    ]


def fits(board: list[str], covered: list[tuple[int, int]]) -> bool:
    return all(x < 9 and y < 9 and board[y][x] == "." for x, y in covered)


def walk(number: int) -> Iterator[tuple[int, int, int, int]]:
    """Yields flip, rotations, x and y, all of them, from another start for every number."""
    for step in range(648):
        place = (number * 211 + step * 257) % 648
        yield place // 324, place // 81 % 4, place % 9, place // 9 % 9


def read_board() -> tuple[list[int], list[str]]:
    figures = [int(word) for word in input().split()]
    board = [input() for _ in range(9)]
    assert len(figures) == 3
    assert all(len(row) == 9 and set(row) <= set("O.") for row in board)
    return figures, board


def answer(number: int) -> str:
    (buttons, _, _), board = read_board()
    read_board()
    patches = []
    for _ in range(int(input())):
        patch, _income, price, _time, shape = input().split()
        patches.append((patch, int(price), shape.split("|")))
    leather = int(input())
    others = [input() for _ in range(int(input()))]
    if len(sys.argv) > 2:
        with Path(sys.argv[2]).open("a") as log:
            log.write("".join(f"{other};" for other in others) + "\n")
    offer = [(str(leather), 0, ["O"])] if leather else patches[:3]
    for name, cost, drawing in offer[number % 3 :] + offer[: number % 3]:
        for flip, rotations, x, y in walk(number):
            covered = spaces(turned(drawing, flip, rotations), x, y)
            if cost <= buttons and fits(board, covered):
                return f"PLAY {name} {x} {y} {flip} {rotations} hello"
    return "SKIP nothing fits"


def main() -> None:
    for _ in range(2):
        count = int(input())
        assert len(input().split()) == count
    turn = 0
    while True:
        text = answer(turn)
        turn += 1
        match FAULT, turn:
            case "slow", 2:
                time.sleep(60)
            case "slow-start", 1:
                time.sleep(0.5)
            case "crash", 2:
                sys.exit("out of thread")
            case "chatter", 2:
                text = "Hello there"
            case "bad", _:
                text = "PLAY 99 0 0 0 0"
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


main()
