"""Runs evalog and its peers in turn on one log, checks that they agree, and prints ratios."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from answers import Answer, difference, read_evalog, read_peer

HERE = Path(__file__).parent


@dataclass
class Cost:
    """What one process took: seconds, seconds of processors, and megabytes at its peak."""

    wall: float
    processor: float
    memory: float


@dataclass
class Runner:
    """One engine: how it is started, and where its answer is."""

    name: str
    command: list[str]
    answer: Path
    costs: list[Cost] = field(default_factory=list)

    def run(self) -> None:
        start = time.monotonic()
        process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        if status != 0:
            sys.exit(f"peers: {self.name} ended with status {os.waitstatus_to_exitcode(status)}")
        self.costs.append(Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))

    def read(self) -> Answer:
        return read_evalog(self.answer) if self.answer.is_dir() else read_peer(self.answer)

    def median(self, what: str) -> float:
        return statistics.median(getattr(cost, what) for cost in self.costs)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="peers", description=__doc__)
    parser.add_argument("--evalog", type=Path, required=True)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True, help="a folder for answers")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def runners(given: argparse.Namespace) -> list[Runner]:
    facts = given.log / "facts"
    parquet = given.scratch / "facts.parquet"
    subprocess.run([sys.executable, HERE / "duck.py", facts, parquet, "parquet"], check=True)

    def peer(name: str, script: str, source: Path) -> Runner:
        answer = given.scratch / f"{name.replace(' ', '-')}.csv"
        command = [sys.executable, HERE / script, source, answer]
        return Runner(name, [str(part) for part in command], answer)

    export = given.scratch / "export"
    ours = [given.evalog, "export", "--quiet", "--log", given.log, "--to", export]
    ours += ["--gap", "30m", "--tables", "evaluations,impressions"]
    return [
        Runner("evalog", [str(part) for part in ours], export),
        peer("DuckDB", "duck.py", facts),
        peer("ClickHouse", "clickhouse.py", facts),
        peer("Polars", "polar.py", facts),
        peer("DuckDB on Parquet", "duck.py", parquet),
    ]


def report(all_runners: list[Runner]) -> None:
    ours = all_runners[0]
    print(f"{'':18} {'wall s':>8} {'cpu s':>8} {'MB':>7} {'wall / ours':>22}")
    for runner in all_runners:
        ratios = [
            theirs.wall / our.wall for theirs, our in zip(runner.costs, ours.costs, strict=True)
        ]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}" if runner is not ours else ""
        print(
            f"{runner.name:18} {runner.median('wall'):8.2f} {runner.median('processor'):8.2f}"
            f" {runner.median('memory'):7.0f} {statistics.median(ratios):6.2f} {spread:>15}"
        )


def main() -> int:
    given = arguments()
    all_runners = runners(given)
    for round_number in range(given.rounds):
        for runner in all_runners:
            print(f"peers: round {round_number + 1}, {runner.name}", file=sys.stderr)
            runner.run()
    expected = all_runners[0].read()
    for runner in all_runners[1:]:
        found = difference(expected, runner.read())
        if found:
            print(f"peers: {runner.name} differs: {found}", file=sys.stderr)
            return 1
    print(f"{len(expected)} rows, all engines agree; median of {given.rounds} rounds")
    report(all_runners)
    return 0


if __name__ == "__main__":
    sys.exit(main())
