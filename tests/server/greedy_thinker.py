"""A worker that is ready at once: it thinks like ``greedy``, without the engine."""

import json
import sys

from patchwork.engine.baselines.greedy import greedy
from patchwork.rules.position import Position
from patchwork.server.engines.thinker import READY, STOP

sys.stdout.buffer.write(READY)
sys.stdout.flush()
for line in sys.stdin:
    if line == STOP.decode():
        continue
    position = Position.parse(json.loads(line)["position"])
    move = str(greedy(position))
    answer = {"seat": position.turn, "move": move, "win": 0.5, "margin": 0, "exact": False}
    sys.stdout.write(f"{json.dumps(answer | {'lines': []})}\n")
    sys.stdout.flush()
