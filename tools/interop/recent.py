"""Fact lines from standard input, moved in time so that the newest happens now, all in this month.

Counters are those of a month. Where it is young the lines come closer together, and its last
minutes are waited out: who reads them afterwards has to be in the same month.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta

MARK = '"time":"'


def time_of(line: str) -> tuple[int, int, datetime]:
    start = line.index(MARK) + len(MARK)
    end = line.index('"', start)
    return start, end, datetime.fromisoformat(line[start:end])


def quiet_now() -> datetime:
    """Now, and no month ends within the next minutes."""
    while (now := datetime.now(UTC)).month != (now + timedelta(minutes=5)).month:
        time.sleep(1)
    return now


def main() -> None:
    lines = sys.stdin.read().splitlines()
    times = [time_of(line)[2] for line in lines]
    oldest, newest = min(times), max(times)
    now = quiet_now()
    month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    scale = min(1.0, (now - month) / max(newest - oldest, timedelta(microseconds=1)))
    for line in lines:
        start, end, happened = time_of(line)
        moved = (now - (newest - happened) * scale).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        print(f"{line[:start]}{moved}{line[end:]}")


if __name__ == "__main__":
    main()
