"""Replays logs of growing size, fits the exponent, and looks at a log of 10,000 segments."""

from __future__ import annotations

import math
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROUNDS = 3
SEGMENTS = 10_000


@dataclass
class Cost:
    """What a process took: seconds, seconds of processors, megabytes at its peak."""

    wall: float
    processor: float
    memory: float


def cost(command: list[str | Path]) -> Cost:
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"growth: {command[1]} ended with status {os.waitstatus_to_exitcode(status)}")
    wall = time.monotonic() - start
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def middle(command: list[str | Path]) -> Cost:
    """The round whose processor time is in the middle."""
    rounds = sorted((cost(command) for _ in range(ROUNDS)), key=lambda each: each.processor)
    return rounds[ROUNDS // 2]


def exponent(points: list[tuple[int, float]]) -> float:
    """The slope of the straight line nearest to the logarithms."""
    xs = [math.log(count) for count, _ in points]
    ys = [math.log(seconds) for _, seconds in points]
    return statistics.linear_regression(xs, ys).slope


def replays(release: Path, scratch: Path, counts: list[int]) -> None:
    points = []
    print(f"{'facts':>10} {'wall s':>8} {'cpu s':>8} {'MB':>7}")
    for count in counts:
        log = scratch / "log"
        write = [release / "bench", "log", log, "--clean", "--count", str(count)]
        subprocess.run(write, check=True)
        taken = middle([release / "evalog", "replay", "--quiet", "--log", log])
        shutil.rmtree(log)
        points.append((count, taken.processor))
        print(f"{count:10} {taken.wall:8.2f} {taken.processor:8.2f} {taken.memory:7.0f}")
    if len(points) > 1:
        print(f"processor time grows with facts to the power {exponent(points):.2f}")


def opened(command: list[str | Path]) -> int | None:
    """How many segments a command opens; nil without strace."""
    if shutil.which("strace") is None:
        return None
    trace = ["strace", "-f", "-e", "trace=openat", *command]
    result = subprocess.run(trace, check=True, capture_output=True, text=True)
    return sum(".facts.ndjson.gz" in line for line in result.stderr.splitlines())


def many_segments(release: Path, scratch: Path) -> None:
    log = scratch / "many"
    lines = str(SEGMENTS * 10)
    subprocess.run([release / "bench", "many", log, "--clean", "--count", lines], check=True)
    evalog = release / "evalog"
    one = scratch / "one.ndjson"
    one.write_bytes(
        subprocess.run(
            [release / "bench", "facts", "--clean", "--count", "1", "--seed", "99"],
            check=True,
            capture_output=True,
        ).stdout
    )
    commands: dict[str, list[str | Path]] = {
        "tail -n 20": [evalog, "tail", "-n", "20", "--log", log],
        "status": [evalog, "status", "--log", log],
        "replay": [evalog, "replay", "--quiet", "--log", log],
        "import of one fact": [evalog, "import", "--quiet", "--log", log, one],
    }
    print(f"a log of {SEGMENTS} segments of ten facts:")
    for name, command in commands.items():
        taken = middle(command)
        count = opened(command)
        seen = "" if count is None else f", opens {count} segments"
        print(f"  {name:20} {taken.wall:6.2f} s, {taken.memory:.0f} MB{seen}")


def main() -> None:
    release, scratch = map(Path, sys.argv[1:3])
    replays(release, scratch, [int(count) for count in sys.argv[3:]])
    many_segments(release, scratch)


if __name__ == "__main__":
    main()
