"""A worker without an engine that misbehaves as it is told to: ``fake_thinker.py FOLDER START``.

``START`` says what is wrong from the beginning, the seed of a question what is wrong later. A fault
happens as often as a question wants lines. A seed from 100 on keeps the worker busy until there is
a file of that name in the folder. What is to stop is noted, and goes on.
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
    """The numbers have their names in ``test_thinkers``."""
    match fault:
        case 1:
            sys.exit(3)
        case 2:
            time.sleep(60)
        case 3:
            say('{"move": "A", "beast": "\xff"}')
        case 4:
            say(thought("Lc4"))
        case 5:
            sys.stdout.write("A" * 4_000_000)
            sys.stdout.flush()
            time.sleep(60)
        case 6:
            say('{"error": "out of wool"}')
        case 7:
            sys.stdout.write(thought("A"))
            sys.stdout.flush()
            os._exit(0)


def thought(move: str, seconds: float | None = None) -> str:
    """The margin tells which worker answers, the chance to win how long it might have thought."""
    fields = {"seat": 0, "move": move, "win": seconds or 0.5, "exact": False, "lines": []}
    return json.dumps(fields | {"margin": os.getpid()})


def note(name: str) -> int:
    """Writes down that something happens; returns how often it has happened before."""
    file = FOLDER / name
    before = file.read_text().splitlines() if file.exists() else []
    file.write_text("".join(f"{line}\n" for line in [*before, str(os.getpid())]))
    return len(before)


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
say('{"ready":true}')
if START == "gossip" and starts < 1:
    say(thought("A"))
if START == "short-lived" and starts < 1:
    sys.exit()
for line in sys.stdin:
    if line == "stop\n":
        note("stops")
        continue
    question = json.loads(line)
    seed = question["seed"]
    if seed >= GATED:
        while not (FOLDER / str(seed)).exists():
            time.sleep(0.005)
    if 0 < seed < GATED and note(f"fault-{seed}") < question["lines"]:
        misbehave(seed)
    else:
        say(thought("A", (question["limit"] or {}).get("time")))
