"""Loads one file of facts into a new log and into SQLite, in turn, and prints ratios."""

from __future__ import annotations

import argparse
import sys
import zlib
from pathlib import Path

from runner import Runner, report, run_in_turn

HERE = Path(__file__).parent


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="peers", description=__doc__)
    parser.add_argument("--evalog", type=Path, required=True)
    parser.add_argument("--facts", type=Path, required=True, help="fact lines, as NDJSON")
    parser.add_argument("--scratch", type=Path, required=True, help="a folder for what is written")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def gzip_size(source: Path) -> int:
    """What `gzip -6` makes of a file, in bytes."""
    deflater = zlib.compressobj(6, wbits=31)
    size = 0
    with source.open("rb") as file:
        while chunk := file.read(1 << 20):
            size += len(deflater.compress(chunk))
    return size + len(deflater.flush())


def main() -> int:
    given = arguments()
    log, database = given.scratch / "log", given.scratch / "facts.sqlite"
    # Into a log of its own each round: a log is what its folder holds.
    load = f'rm -rf "{log}" && exec "{given.evalog}" import --quiet --log "{log}" "{given.facts}"'
    insert = [sys.executable, str(HERE / "sqlite_append.py"), str(given.facts), str(database)]
    runners = [
        Runner("evalog import", ["sh", "-c", load], log),
        Runner("SQLite", insert, database),
    ]
    run_in_turn(runners, given.rounds)
    report(runners)
    ours = sum(file.stat().st_size for file in (log / "facts").iterdir())
    theirs, plain = database.stat().st_size, gzip_size(given.facts)
    print(f"on disk: {ours / plain:.4f} of gzip -6; SQLite {theirs / ours:.1f} times as much")
    return 0


if __name__ == "__main__":
    sys.exit(main())
