"""Computes the tables of a log in SQL and compares them with `evalog export`, to the byte."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import duckdb
from comparison import Verdict, compare, write
from opinion import TABLES, Opinion, columns, segments
from settings import SettingError, Settings, gaps_of, group_columns


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="crosscheck", description=__doc__)
    parser.add_argument("--log", type=Path, required=True, help="the log's folder")
    parser.add_argument("--export", type=Path, help="the exported CSV (with --evalog: made there)")
    parser.add_argument("--write", type=Path, help="keep our own CSV in this folder")
    parser.add_argument("--evalog", type=Path, help="run this program's export first")
    parser.add_argument("--window", default="1h", help="1h, 30m, day, week, month")
    parser.add_argument("--timezone", default="UTC", help="for day, week and month")
    parser.add_argument("--gap", action="append", default=[], help="30m, or usage=10m; repeatable")
    parser.add_argument("--by", default="usage,model,os", help="the group's columns")
    parser.add_argument("--max-groups", type=int, default=2_000)
    parser.add_argument("--memory", default="2GiB", help="what the database may use")
    given = parser.parse_args()
    if not given.export and not given.write:
        parser.error("name the exported folder with --export, or a folder of ours with --write")
    if given.evalog and not given.export:
        parser.error("--evalog exports into --export DIR")
    return given


def settings_of(given: argparse.Namespace) -> Settings:
    settings = Settings(
        window=given.window,
        timezone=given.timezone,
        by=group_columns(given.by),
        gaps=gaps_of(given.gap),
        max_groups=given.max_groups,
    )
    if settings.window_us == 0:
        raise SettingError("--window 0 holds no time")
    try:
        ZoneInfo(settings.timezone)
    except (ZoneInfoNotFoundError, ValueError):
        raise SettingError(f"--timezone {settings.timezone} is not known") from None
    if not segments(given.log):
        raise SettingError(f"{given.log}/facts holds no segment")
    return settings


def export(given: argparse.Namespace) -> None:
    """Runs the export that is to be checked, with the same settings."""
    command = [given.evalog, "export", "--log", given.log, "--to", given.export, "--format", "csv"]
    command += ["--window", given.window, "--timezone", given.timezone, "--by", given.by]
    if given.max_groups != Settings.max_groups:
        command += ["--max-groups", str(given.max_groups)]
    for gap in given.gap:
        command += ["--gap", gap]
    subprocess.run(command, check=True)


def judge(given: argparse.Namespace, settings: Settings, scratch: Path) -> list[Verdict]:
    ours = given.write or scratch / "csv"
    ours.mkdir(parents=True, exist_ok=True)
    opinion = Opinion(given.log, settings, scratch, given.memory)
    verdicts = []
    for table in TABLES:
        file = f"{table}.csv"
        rows = write(opinion.table(table), ours / file)
        if given.export:
            keys = len(columns(table, settings)[0])
            verdicts.append(compare(table, ours / file, given.export / file, keys, rows))
    return verdicts


def report(verdicts: list[Verdict], seconds: float) -> bool:
    """Prints what was found; true if the two opinions agree."""
    for verdict in verdicts:
        word = "differ" if verdict.differences else "agree"
        print(f"{verdict.table}: {verdict.rows} rows {word}")
        for difference in verdict.differences:
            print(f"  {difference}")
    agree = not any(verdict.differences for verdict in verdicts)
    if verdicts:
        print(f"crosscheck: {'all tables agree' if agree else 'DIFFERENCES'} ({seconds:.1f} s)")
    return agree


def main() -> int:
    given = arguments()
    started = time.monotonic()
    try:
        settings = settings_of(given)
        if given.evalog:
            export(given)
        with tempfile.TemporaryDirectory(prefix="crosscheck-") as scratch:
            verdicts = judge(given, settings, Path(scratch))
    except SettingError as problem:
        print(f"crosscheck: {problem}", file=sys.stderr)
        return 2
    except duckdb.Error as problem:
        print(f"crosscheck: {str(problem).splitlines()[0]}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as problem:
        print(f"crosscheck: export ended with status {problem.returncode}", file=sys.stderr)
        return 2
    return 0 if report(verdicts, time.monotonic() - started) else 1


if __name__ == "__main__":
    sys.exit(main())
