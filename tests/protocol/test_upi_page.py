"""The sessions in the specification are real, except for figures and moves."""

import io
import re
from pathlib import Path

import patchwork as pw
from patchwork.protocol import batch
from protocol.talk import talk

PAGE = (Path(__file__).parents[2] / "docs" / "upi.md").read_text("utf-8")
SESSION, BATCH = re.findall(r"```\n(> .*?)```", PAGE, re.DOTALL)
MOVE = r"(?:A|L[a-i][1-9]|\d{1,2}[A-H][a-i][1-9])"
VARYING = (
    (rf"\bpv(?: {MOVE})+$", "pv MOVES"),
    (rf"^bestmove {MOVE}$", "bestmove MOVE"),
    (rf'"moves": \["{MOVE}"(?:, "{MOVE}")*\]', '"moves": MOVES'),
    (rf'"best": "{MOVE}"', '"best": MOVE'),
    (r"\b(time|nodes|visits|win|margin) -?\d+(?:\.\d+)?", r"\1 FIGURE"),
    (r'"(visits|win|margin)": -?\d+(?:\.\d+)?', r'"\1": FIGURE'),
    (r'"scores": \[-?\d+\.\d+, -?\d+\.\d+\]', '"scores": FIGURES'),
)


def masked(line: str) -> str:
    for pattern, replacement in VARYING:
        line = re.sub(pattern, replacement, line)
    return line


def steps(session: str) -> list[tuple[str, list[str]]]:
    """Each line to the engine with the answers to it."""
    found: list[tuple[str, list[str]]] = []
    for line in session.splitlines():
        if line.startswith("> "):
            found.append((line[2:], []))
        else:
            assert line.startswith("< ")
            found[-1][1].append(line[2:])
    return found


def test_the_session() -> None:
    with talk() as engine:
        for line, expected in steps(SESSION):
            engine.say(line)
            if not expected:
                continue
            word = expected[-1].split()[0]
            said = engine.until(word)
            if word == "bestmove":  # a busy machine may have told of its progress before
                said = said[-len(expected) :]
            elif word == "info":
                said += [engine.next() for _ in expected[1:]]
            assert [masked(answer) for answer in said] == [masked(answer) for answer in expected]


def test_the_batch() -> None:
    requests = "".join(f"{line}\n" for line, _ in steps(BATCH)).encode()
    sink = io.BytesIO()
    batch.serve(io.BytesIO(requests), sink)
    expected = [masked(answer) for _, answers in steps(BATCH) for answer in answers]
    said = sink.getvalue().decode("ascii").splitlines()
    assert [masked(answer) for answer in said] == expected


def test_the_moves_that_vary_are_legal() -> None:
    text = next(line for line, _ in steps(SESSION) if line.startswith("position"))
    head, _, moves = text.removeprefix("position ").partition(" moves ")
    for line in re.findall(r"pv (.*)", SESSION):
        position = pw.Position.parse(head)
        for move in [*moves.split(), *line.split()]:
            position = position.play(pw.parse_move(position, move))
