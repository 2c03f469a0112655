"""Runs the built programs on a real disk and holds what they leave against what was promised.

Three parts: programs killed at random (storm), a disk that fills up and is freed (disk), a phone's
thousands of short sessions (phone). What is drawn follows from the seed; when things happen does
not, for the machine has its say. Ends with status 1, the log kept, where a promise is broken.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import full_disk
import phone
import storm
from programs import BrokenError, Tools

ROOT = Path(__file__).resolve().parents[2]
PARTS = {"storm": storm.run, "disk": full_disk.run, "phone": phone.run}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, help="kills in the storm, 200 by default")
    parser.add_argument("--sessions", type=int, help="of the phone, 2,000 by default")
    parser.add_argument("--short", action="store_true", help="40 kills, 150 sessions")
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--tools", type=Path, default=ROOT / ".build/release")
    given = parser.parse_args()
    given.rounds = given.rounds or (40 if given.short else 200)
    given.sessions = given.sessions or (150 if given.short else 2_000)
    return given


def main() -> int:
    given = arguments()
    tools = Tools(given.tools)
    for name in [given.only] if given.only else PARTS:
        folder = Path(tempfile.mkdtemp(prefix=f"soak-{name}-"))
        begin = time.monotonic()
        try:
            text = PARTS[name](given, tools, folder, random.Random(f"{given.seed} {name}"))
        except BrokenError as broken:
            print(f"soak: {name}: {broken}", file=sys.stderr)
            print(f"soak: seed {given.seed}; what is left lies in {folder}", file=sys.stderr)
            return 1
        finally:
            tools.end_all()
        shutil.rmtree(folder)
        print(f"soak: {name}: {text} ({time.monotonic() - begin:.0f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
