"""The tables of a log on Apache Spark, from its segments: main.py --log LOG --to DIR.

LOG and DIR are folders or any path that Hadoop knows (hdfs://…, s3a://…). Each table becomes a
folder with its CSV; docs/scaling.md says when and how.
"""

from __future__ import annotations

import argparse
import re

from facts import read
from pyspark.sql import SparkSession
from tables import Rules, tables

UNITS_US = {"s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}
COLUMNS = ("usage", "model", "os", "device", "app")
CALENDAR = ("day", "week", "month")


def microseconds(text: str) -> int:
    match = re.fullmatch(r"(\d+)([smhd])", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text} is no length; write 90s, 30m, 1h or 1d")
    return int(match[1]) * UNITS_US[match[2]]


def gap(text: str) -> tuple[str | None, int]:
    """Of one usage, or of all others."""
    usage, equals, length = text.rpartition("=")
    if equals and not re.fullmatch("[a-z][a-z0-9_]{0,63}", usage):
        raise argparse.ArgumentTypeError(f"{usage!r} is no usage; write usage=10m")
    return usage or None, microseconds(length)


def columns(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if unknown := [name for name in names if name not in COLUMNS]:
        raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(COLUMNS)}")
    return names


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="main.py", description=__doc__)
    parser.add_argument("--log", required=True, help="the log's folder or URL")
    parser.add_argument("--to", required=True, help="where the folders of tables go")
    parser.add_argument("--window", default="1h", help="30m, 1h, day, week, month (default 1h)")
    parser.add_argument("--timezone", default="UTC", help="for day, week and month")
    parser.add_argument("--by", type=columns, default=Rules.by, help="usage,model,os,device,app")
    parser.add_argument(
        "--gap", type=gap, action="append", default=[], help="30m or usage=10m; repeatable"
    )
    parser.add_argument("--max-groups", type=int, default=Rules.max_groups)
    parser.add_argument("--partitions", type=int, default=200, help="tasks of a shuffle")
    parser.add_argument("--master", help="local[2], where spark-submit does not say it")
    return parser.parse_args()


def rules_of(given: argparse.Namespace) -> Rules:
    gaps = dict(given.gap)
    # A general gap is that of suppressions as well.
    gaps = gaps if None in gaps else Rules().gaps_us | gaps
    return Rules(
        window=given.window,
        window_us=None if given.window in CALENDAR else microseconds(given.window),
        by=given.by,
        gaps_us=gaps,
        max_groups=given.max_groups,
    )


def main() -> None:
    given = arguments()
    rules = rules_of(given)
    builder = SparkSession.builder.appName("evalog")
    if given.master:
        builder = builder.master(given.master)
    spark = (
        builder.config("spark.sql.session.timeZone", given.timezone)
        .config("spark.sql.shuffle.partitions", given.partitions)
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.ansi.enabled", "false")
        .config("spark.sql.json.enablePartialResults", "true")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    for name, table in tables(spark, rules, read(spark, given.log)):
        # Rows are in order, and few beside the facts: one file each.
        table.coalesce(1).write.mode("overwrite").csv(
            f"{given.to.rstrip('/')}/{name}",
            header=True,
            lineSep="\n",
            emptyValue="",
            escape='"',
            ignoreLeadingWhiteSpace=False,
            ignoreTrailingWhiteSpace=False,
        )
    spark.stop()


if __name__ == "__main__":
    main()
