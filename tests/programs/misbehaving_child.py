"""A child that misbehaves as it is asked to: ``misbehaving_child.py [START]``.

``START`` says how it misbehaves from the beginning, a request how it does so later.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from patchwork.programs.child import Child
from patchwork.programs.schema import LONGEST_MESSAGE

START = sys.argv[1] if sys.argv[1:] else ""


def write(text: str) -> None:
    """Writes raw text in place of a message."""
    os.write(child._answers, text.encode("latin-1"))


def obey(request: dict[str, Any]) -> None:
    match request["do"]:
        case "echo":
            child.send(request)
        case "print":
            sys.stdout.write("a library says hello\n")
            sys.stdout.flush()
            child.send({"printed": True})
        case "twice":
            child.send({"part": 1})
            child.send({"part": 2})
        case "wait":
            while not Path(request["gate"]).exists():
                time.sleep(0.005)
            child.send({"waited": True})
        case "until stopped":
            while not child.stopped:
                time.sleep(0.005)
            child.send({"stopped": True})
        case "crash":
            sys.stderr.write("first words\nout of wool\n")
            sys.stderr.flush()
            os._exit(3)
        case "hang":
            time.sleep(600)
        case "garbage":
            write("\xff\x00 la la la\n")
        case "a list":
            write("[1, 2]\n")
        case "half a line":
            write(json.dumps({"move": "A"}))
            os._exit(0)
        case "flood":
            write("A" * (LONGEST_MESSAGE + 1))
            time.sleep(600)
        case "close":
            os.close(child._answers)
            time.sleep(600)
        case "babble":
            child.send({"first": 1})
            child.send({"nobody": "asked"})
        case "leave an orphan":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            os._exit(0)


if START == "crash":
    sys.exit("no needle")
if START == "mute":
    time.sleep(600)
child = Child(grace=60.0 if START.startswith("tidy:") else 0.0)
if START == "chatty":
    write("Hello!\n")
try:  # the parent may close the pool as soon as the child is ready
    child.ready()
    if START == "short-lived":
        os._exit(0)
    for request in child.requests():
        obey(request)
finally:
    if START.startswith("tidy:"):
        Path(START.removeprefix("tidy:")).touch()
