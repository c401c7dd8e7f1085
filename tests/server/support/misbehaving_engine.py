"""A fake engine process that misbehaves on request: ``misbehaving_engine.py FOLDER START``.

``START`` names a fault at the start, the seed of a request one at that request, which occurs as
often as the request wants lines. A seed of 100 or more keeps the process busy until the folder
holds a file of that name. Stops are noted and ignored.
"""

import json
import os
import sys
import time
from pathlib import Path

FOLDER, START = Path(sys.argv[1]), sys.argv[2]
GATED = 100


def write_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def misbehave(fault: int) -> None:
    """Commits a fault; ``fake_engines`` names the numbers."""
    match fault:
        case 1:
            sys.exit(3)
        case 2:
            time.sleep(60)
        case 3:
            write_line('{"best": "A", "beast": "\xff"}')
        case 4:
            write_line(answer("Lc4"))
        case 5:
            sys.stdout.write("A" * 4_000_000)
            sys.stdout.flush()
            time.sleep(60)
        case 6:
            write_line('{"error": "out of wool"}')
        case 7:
            sys.stdout.write(answer("A"))
            sys.stdout.flush()
            os._exit(0)


def answer(move: str, seconds: float | None = None) -> str:
    """Returns an answer with the process id as its margin, and the time limit as its win rate."""
    fields = {"seat": 0, "best": move, "win": seconds or 0.5, "exact": False, "lines": []}
    return json.dumps(fields | {"margin": os.getpid(), "visits": 0})


def note(name: str) -> int:
    """Notes an occurrence of something, and returns how often it has occurred before."""
    file = FOLDER / name
    # A single append, so that other processes see only whole lines and lose none.
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
    case "gated":
        while not (FOLDER / str(GATED)).exists():
            time.sleep(0.005)
    case "chatty" if starts < 1:
        write_line("Hello!")
write_line('{"ready": true}')
if START == "gossip" and starts < 1:
    write_line(answer("A"))
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
        write_line(answer("A", request["time"]))
