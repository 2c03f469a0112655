"""Fact lines from standard input, moved in time so that the newest happens now."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

MARK = '"time":"'


def time_of(line: str) -> tuple[int, int, datetime]:
    start = line.index(MARK) + len(MARK)
    end = line.index('"', start)
    return start, end, datetime.fromisoformat(line[start:end])


def main() -> None:
    lines = sys.stdin.read().splitlines()
    newest = max(time_of(line)[2] for line in lines)
    shift: timedelta = datetime.now(UTC) - newest
    for line in lines:
        start, end, time = time_of(line)
        moved = (time + shift).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        print(f"{line[:start]}{moved}{line[end:]}")


if __name__ == "__main__":
    main()
