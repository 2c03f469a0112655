"""Processes that are run in turn, what each took, and how they compare with the first."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Cost:
    """What one process took: seconds, seconds of processors, and megabytes at its peak."""

    wall: float
    processor: float
    memory: float


@dataclass
class Runner:
    """One engine: how it is started, and where its result is."""

    name: str
    command: list[str]
    result: Path
    costs: list[Cost] = field(default_factory=list)

    def run(self) -> None:
        start = time.monotonic()
        process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        if status != 0:
            sys.exit(f"peers: {self.name} ended with status {os.waitstatus_to_exitcode(status)}")
        self.costs.append(Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))

    def median(self, what: str) -> float:
        return statistics.median(getattr(cost, what) for cost in self.costs)


def run_in_turn(runners: list[Runner], rounds: int) -> None:
    """One round after the other, so that a machine that slows down does so for all."""
    for number in range(rounds):
        for runner in runners:
            print(f"peers: round {number + 1}, {runner.name}", file=sys.stderr)
            runner.run()


def report(runners: list[Runner]) -> None:
    """Medians, and ratios to the first one with their spread."""
    ours = runners[0]
    print(f"{'':18} {'wall s':>8} {'cpu s':>8} {'MB':>7} {'wall / ours':>22}")
    for runner in runners:
        ratios = [
            theirs.wall / our.wall for theirs, our in zip(runner.costs, ours.costs, strict=True)
        ]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}" if runner is not ours else ""
        print(
            f"{runner.name:18} {runner.median('wall'):8.2f} {runner.median('processor'):8.2f}"
            f" {runner.median('memory'):7.0f} {statistics.median(ratios):6.2f} {spread:>15}"
        )
