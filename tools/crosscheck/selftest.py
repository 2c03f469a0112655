"""Checks the SQL against the naive definition, and the comparison against planted faults."""

from __future__ import annotations

import argparse
import sys
import tempfile
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import naive
import windows
from comparison import compare, write
from opinion import TABLES, Opinion, columns
from settings import Settings, gaps_of
from workload import Workload

SETTINGS = (
    Settings(),
    Settings(window="15m", by=("usage",), max_groups=2),
    Settings(window="day", timezone="Europe/Oslo", gaps=gaps_of(["30m"])),
    Settings(window="week", timezone="America/New_York", gaps=gaps_of(["36h"])),
    Settings(window="day", timezone="Pacific/Apia", by=("os", "app", "device")),
    Settings(window="month", timezone="Asia/Kathmandu", gaps=gaps_of(["scene_text_input=0"])),
    Settings(window="7d", by=("subject", "model"), max_groups=10),
)

# Midnight jumped over, jumped into, twice, a minute long, and a date that never was.
EDGES = (
    ("America/Sao_Paulo", "2018-11-04"),
    ("America/Toronto", "1919-03-31"),
    ("America/Havana", "2024-11-03"),
    ("America/St_Johns", "2010-11-07"),
    ("America/Sao_Paulo", "2018-02-18"),
    ("Pacific/Apia", "2011-12-30"),
    ("Pacific/Kwajalein", "1993-08-21"),
    ("Europe/Amsterdam", "1937-07-01"),
    ("Africa/Monrovia", "1972-01-07"),
    ("Asia/Kathmandu", "1986-01-01"),
)


def check(seed: int, keys: int, settings: Settings) -> list[str]:
    """The tables on which the two computations differ, each with its first differing row."""
    workload = Workload(seed, keys)
    with tempfile.TemporaryDirectory(prefix="crosscheck-selftest-") as folder:
        workload.write(Path(folder) / "log")
        opinion = Opinion(Path(folder) / "log", settings, Path(folder))
        plain = naive.Naive(workload.lines, settings)
        found = []
        for table in TABLES:
            sql, expected = list(opinion.table(table))[1:], plain.rows(table)
            if sql != expected:
                pairs = zip([*sql, None], [*expected, None], strict=False)
                left, right = next(pair for pair in pairs if pair[0] != pair[1])
                found.append(f"{table}: SQL {left!r}, plain {right!r}")
        found += check_comparison(opinion, Path(folder), settings)
        return found


def check_edges() -> list[str]:
    """Where days begin at a changed clock: found by search and by walking minute by minute."""
    found = []
    for name, text in EDGES:
        zone, day = ZoneInfo(name), date.fromisoformat(text)
        searched, walked = windows.edge(day, zone), naive.edge(day, zone)
        if searched != windows.microseconds_of(walked):
            found.append(f"{name} {day}: {searched}, walked {walked}")
    return found


def check_comparison(opinion: Opinion, folder: Path, settings: Settings) -> list[str]:
    """One digit, one row, the order, the line ends: a changed export never passes."""
    found = []
    for table in ("evaluations", "quality", "durations"):
        lines = list(opinion.table(table))
        ours, theirs = folder / f"{table}.csv", folder / "theirs" / f"{table}.csv"
        theirs.parent.mkdir(exist_ok=True)
        write(lines, ours)
        content = "".join(line + "\r\n" for line in lines)
        tampered = {
            "a digit": content[:-3] + ("1" if content[-3] == "0" else "0") + "\r\n",
            "a missing row": content[: content.rindex(lines[-1])],
            "an added row": content + "a,b\r\n",
        }
        if table != "quality":
            swapped = [lines[0], lines[2], lines[1], *lines[3:]]
            tampered["the order"] = "".join(line + "\r\n" for line in swapped)
            tampered["line ends"] = content.replace("\r\n", "\n")
        for fault, text in {"nothing": content, **tampered}.items():
            theirs.write_bytes(text.encode())
            keys = len(columns(table, settings)[0])
            differs = bool(compare(table, ours, theirs, keys, len(lines)).differences)
            if differs != (fault != "nothing"):
                found.append(f"{table}: the comparison misjudged a change of {fault}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="crosscheck --selftest", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keys", type=int, default=200)
    given = parser.parse_args()
    edges = check_edges()
    print(f"{'FAILED' if edges else 'ok'}: edges of windows")
    for difference in edges:
        print(f"  {difference}")
    failed = bool(edges)
    for settings in SETTINGS:
        found = check(given.seed, given.keys, settings)
        failed |= bool(found)
        window = f"{settings.window} {settings.timezone} by {','.join(settings.by)}"
        print(f"{'FAILED' if found else 'ok'}: {window}")
        for difference in found:
            print(f"  {difference}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
