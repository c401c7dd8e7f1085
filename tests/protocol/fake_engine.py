"""A program that speaks UPI with a given fault: ``fake_engine.py FAULT``."""

import signal
import subprocess
import sys
import time

FAULT = sys.argv[1]
OPTIONS = ["option name Level type spin default 1 min 1 max 2"]
if FAULT == "seeded":
    OPTIONS.append("option name seed type spin default 10 min 10 max 19")
GOOD = "info time 5 nodes 70 line 1 visits 40 seat 0 win 0.75 margin -3.5 exact 1 pv 3Aa1 13Ba2"
SECOND = "info time 5 nodes 70 line 2 visits 9 seat 0 win 0.25 margin -9 exact 1 pv A"
INFOS = {
    "good": [GOOD.replace("0.75", "0.5"), "info string hello", GOOD, SECOND, "nonsense pv 1"],
    "no-info": [],
    "half-an-info": ["info line 1 pv 3Aa1"],
    "illegal-line": [GOOD.replace("13Ba2", "3Aa1")],
    "no-line": [GOOD.replace("3Aa1 13Ba2", "")],
    "other-seat": [GOOD.replace("seat 0", "seat 1")],
    "no-number": [GOOD.replace("0.75", "nan")],
    "other-move": [GOOD.replace("3Aa1 13Ba2", "A")],
}


def say(*lines: str) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def answer_go() -> None:
    match FAULT:
        case "crash":
            sys.stderr.write("first words\nout of wool\n")
            sys.exit(3)
        case "silent" | "hang" | "orphan":
            time.sleep(60)
        case "illegal":
            say("bestmove 26Aa1")
        case "no-move":
            say("bestmove")
        case "complain" | "seeded":
            say("info string error I do not feel like it")
        case "binary":
            sys.stdout.buffer.write(b"\xff\x00\xfe" * 100_000 + b"\n\n\xc3\n")
            say("bestmove 3Aa1")
        case "flood":
            while True:
                say("info string la la la" * 100)
        case _:
            say(*INFOS[FAULT], "bestmove 3Aa1")


if FAULT == "hang":  # neither listens to `quit` nor to the system
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if FAULT == "orphan":  # a child of its own keeps the output open
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
if FAULT == "crash-at-start":
    sys.exit("no needle")
if FAULT == "mute":
    time.sleep(60)
for command in sys.stdin:
    if command == "upi\n":
        say("id name Fake it", *OPTIONS, "upiok")
    elif command.startswith("setoption name seed") and FAULT == "seeded":
        sys.stderr.write(command)
    elif command.lower().startswith("setoption name seed"):
        say("info string error I have no seeds")
    elif command == "isready\n" and FAULT == "never-ready":
        time.sleep(60)
    elif command == "isready\n":
        say("readyok")
    elif command.startswith("go"):
        sys.stderr.write(command)
        answer_go()
    elif command == "quit\n":
        sys.exit()
