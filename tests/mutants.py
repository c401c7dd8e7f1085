"""Mutation testing: changes the code in a thousand small ways and checks that the tests notice.

    make mutants

Prints the share of mutants killed in each package and every survivor; fails below the threshold.
"""

import resource
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

BARS = {"rules": 0.95, "notation": 0.90}
"""Share of mutants that must be killed."""

MEMORY = 4 << 30
"""Bytes a process may use, to stop mutants that allocate without end."""

MUTMUT = Path(sys.executable).with_name("mutmut")


def main() -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    subprocess.run([MUTMUT, "run"], check=True)
    results = subprocess.run(
        [MUTMUT, "results", "--all", "true"], check=True, capture_output=True, text=True
    ).stdout
    fates: dict[str, list[str]] = defaultdict(list)
    survivors = []
    for line in results.splitlines():
        name, _, fate = line.strip().rpartition(": ")
        if not name:
            continue
        fates[name.split(".")[1]].append(fate)
        if fate not in ("killed", "timeout"):
            survivors.append(f"{name}: {fate}")
    print("\n".join(survivors))
    good = True
    for part, bar in BARS.items():
        killed = sum(fate in ("killed", "timeout") for fate in fates[part])
        share = killed / len(fates[part])
        good &= share >= bar
        print(f"{part}: {killed} of {len(fates[part])} killed, {share:.1%} (at least {bar:.0%})")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
