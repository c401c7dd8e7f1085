"""A child without an engine that misbehaves as told: ``misbehaving_engine.py FOLDER START``.

``START`` says what is wrong from the beginning, the seed of a request what is wrong later. A fault
happens as often as a request wants lines. A seed from 100 on keeps the child busy until there is
a file of that name in the folder. Stops are noted and ignored.
"""

import json
import os
import sys
import time
from pathlib import Path

FOLDER, START = Path(sys.argv[1]), sys.argv[2]
GATED = 100


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def misbehave(fault: int) -> None:
    """The numbers have their names in ``fake_engines``."""
    match fault:
        case 1:
            sys.exit(3)
        case 2:
            time.sleep(60)
        case 3:
            say('{"best": "A", "beast": "\xff"}')
        case 4:
            say(answer("Lc4"))
        case 5:
            sys.stdout.write("A" * 4_000_000)
            sys.stdout.flush()
            time.sleep(60)
        case 6:
            say('{"error": "out of wool"}')
        case 7:
            sys.stdout.write(answer("A"))
            sys.stdout.flush()
            os._exit(0)


def answer(move: str, seconds: float | None = None) -> str:
    """The margin tells which process answers, the probability to win its time limit."""
    fields = {"seat": 0, "best": move, "win": seconds or 0.5, "exact": False, "lines": []}
    return json.dumps(fields | {"margin": os.getpid(), "visits": 0})


def note(name: str) -> int:
    """Writes down that something happens; returns how often it has happened before."""
    file = FOLDER / name
    # Appended at once, so that readers and other writers find whole lines, and all of them.
    with file.open("a+") as lines:
        lines.seek(0)
        before = len(lines.readlines())
        lines.write(f"{os.getpid()}\n")
    return before


starts = note("starts")
match START:
    case "crash":
        sys.exit("no needle")
    case "crash-twice" if starts < 2:
        sys.exit("no needle")
    case "mute" if starts < 1:
        time.sleep(60)
    case "chatty" if starts < 1:
        say("Hello!")
say('{"ready": true}')
if START == "gossip" and starts < 1:
    say(answer("A"))
if START == "short-lived" and starts < 1:
    sys.exit()
for line in sys.stdin:
    if "stop" in line:
        note("stops")
        continue
    request = json.loads(line)
    seed = request["seed"]
    if seed >= GATED:
        while not (FOLDER / str(seed)).exists():
            time.sleep(0.005)
    if 0 < seed < GATED and note(f"fault-{seed}") < request["lines"]:
        misbehave(seed)
    else:
        say(answer("A", request["time"]))
