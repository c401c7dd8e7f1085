"""Plays a game on a server without knowing the rules: each move takes the most points at once."""

import argparse
import json
import time
from http.client import HTTPException
from typing import Any
from urllib.request import Request, urlopen

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("server", metavar="URL", help="of the server, such as http://127.0.0.1:8327")
parser.add_argument("table", metavar="TABLE", nargs="?", help="default: play the computer")
arguments = parser.parse_args()
headers = {"Content-Type": "application/json"}


def call(path: str, body: Any = None) -> Any:
    """Returns the response of the server as a file."""
    data = None if body is None else json.dumps(body).encode()
    return urlopen(Request(f"{arguments.server}/api{path}", data, headers), timeout=20)


def choose(position: Any) -> str:
    """Returns the move that leads to the most points."""
    if position["leather_choice"]:
        return f"L{place(position['leather_choice'])}"
    found = [(position["advance"]["score"], "A")]
    for offer in position["offers"]:
        for way in offer["orientations"]:
            score = offer["effect"]["score"] + (7 if way["tile"] else 0)
            found.append((score, f"{offer['patch']}{way['letter']}{place(way)}"))
    return max(found)[1]


def place(choice: Any) -> str:
    """Returns the first place of a choice, preferring those that win the 7 x 7 tile."""
    row, column = divmod((choice["tile"] or choice["places"]).index("1"), 9)
    return f"{'abcdefghi'[column]}{row + 1}"


headers["Authorization"] = f"Bearer {json.load(call('/tokens', {}))['token']}"
joined = arguments.table and call(f"/tables/{arguments.table}/join", {"name": "Bot"})
state: Any = json.load(joined or call("/tables", {"opponent": "computer", "name": "Bot"}))
table, seat = f"/tables/{state['table']['id']}", state["you"][0]
while state["status"]["ending"] is None:
    try:
        for line in call(f"{table}/events"):
            message = json.loads(line.strip() or "{}")  # an empty line keeps the stream alive
            state.update({name: message[name] for name in state if message.get(name)})
            status, position = state["status"], state["position"]
            if status["ending"]:
                break
            if "status" in message and position and position["turn"] == seat:
                move = {"t": "move", "seq": status["seq"], "move": choose(position)}
                call(f"{table}/actions", move | {"id": f"after {status['seq']}"}).close()
    except (OSError, HTTPException, ValueError) as error:
        print(f"trying again in a second: {error}")
        time.sleep(1)
print(f"I had seat {seat}.", state["status"]["ending"])
