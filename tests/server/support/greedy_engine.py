"""An engine child that is ready at once: it answers like ``greedy`` and needs no compiled code.

``greedy_engine.py [FILE]``: with a file name, it does not answer until that file exists.
"""

import json
import sys
import time
from pathlib import Path

from patchwork.engine.baselines.greedy import greedy
from patchwork.programs.schema import READY, STOP
from patchwork.rules.position import Position

GATE = Path(sys.argv[1]) if sys.argv[1:] else None


def write_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


write_line(READY)
for line in sys.stdin:
    if line.strip() == STOP:
        continue
    while GATE is not None and not GATE.exists():
        time.sleep(0.01)
    position = Position.parse(json.loads(line)["position"])
    answer = {"best": str(greedy(position)), "seat": position.turn, "win": 0.5, "margin": 0}
    write_line(json.dumps(answer | {"exact": False, "visits": 0, "lines": []}))
