"""Runs evalog and its peers in turn on one log, checks that they agree, and prints ratios."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from answers import Answer, difference, read_evalog, read_peer
from runner import Runner, report, run_in_turn

HERE = Path(__file__).parent


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
        result = given.scratch / f"{name.replace(' ', '-')}.csv"
        command = [sys.executable, HERE / script, source, result]
        return Runner(name, [str(part) for part in command], result)

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


def answer(runner: Runner) -> Answer:
    return read_evalog(runner.result) if runner.result.is_dir() else read_peer(runner.result)


def main() -> int:
    given = arguments()
    all_runners = runners(given)
    run_in_turn(all_runners, given.rounds)
    expected = answer(all_runners[0])
    for runner in all_runners[1:]:
        found = difference(expected, answer(runner))
        if found:
            print(f"peers: {runner.name} differs: {found}", file=sys.stderr)
            return 1
    print(f"{len(expected)} rows, all engines agree; median of {given.rounds} rounds")
    report(all_runners)
    return 0


if __name__ == "__main__":
    sys.exit(main())
