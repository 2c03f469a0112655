"""Polars: polar.py FOLDER OUT.csv, a lazy scan on the streaming engine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", "2")
import polars as pl

SCHEMA = {
    "type": pl.String,
    "id": pl.String,
    "time": pl.String,
    "usage": pl.String,
    "subject": pl.String,
    "session": pl.String,
    "model": pl.String,
    "os": pl.String,
    "outcome": pl.String,
    "duration_us": pl.Int64,
    "attempts": pl.Int32,
}
NAMES = ["usage", "model", "os"]
SORT = ["session", "subject", "usage", "time", "id"]


def before(name: str) -> pl.Expr:
    return pl.col(name).shift()


def rows(folder: Path) -> pl.LazyFrame:
    lines = pl.scan_ndjson(sorted(folder.glob("*.gz")), schema=SCHEMA)
    return (
        lines.filter(pl.col("type") == "evaluation")
        .drop("type")
        .with_columns(
            pl.col("model", "os").fill_null(""),
            pl.col("time").str.to_datetime("%Y-%m-%dT%H:%M:%S%.6fZ", time_unit="us"),
        )
        .with_columns(pl.col("usage", "model", "os").cast(pl.Categorical))
        .sort(SORT)
    )


def query(lines: pl.LazyFrame) -> pl.LazyFrame:
    same_key = pl.lit(True)
    for name in ("session", "subject", "usage"):
        same_key = same_key & (pl.col(name) == before(name))
    pause = pl.col("time") - before("time") > pl.duration(minutes=30)
    ran = pl.col("duration_us").filter(
        pl.col("duration_us").is_not_null()
        & (pl.col("attempts") > 0)
        & (pl.col("outcome") != "cancelled")
    )
    counted = (
        lines.filter((pl.col("id") != before("id")).fill_null(True))
        .with_columns(
            starts=(~same_key.fill_null(False) | pause).fill_null(True),
            window=pl.col("time").dt.truncate("1h"),
        )
        .group_by(*NAMES, "window")
        .agg(
            evaluations=pl.len(),
            impressions=pl.col("starts").sum(),
            **{
                outcome: (pl.col("outcome") == outcome).sum()
                for outcome in ("completed", "skipped", "failed", "cancelled")
            },
            retried=(pl.col("attempts") > 1).sum(),
            ran=ran.sort(),
        )
    )
    count = pl.col("ran").list.len().cast(pl.Int64)
    return counted.sort(*NAMES, "window").select(
        *NAMES,
        pl.col("window").dt.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "evaluations",
        "impressions",
        "completed",
        "skipped",
        "failed",
        "cancelled",
        "retried",
        *(
            pl.col("ran")
            .list.get((count * percent + 99) // 100 - 1, null_on_oob=True)
            .alias(f"p{percent}")
            for percent in (50, 90, 95, 99)
        ),
    )


def main() -> None:
    folder, target = Path(sys.argv[1]), Path(sys.argv[2])
    query(rows(folder)).collect(engine="streaming").write_csv(target)


if __name__ == "__main__":
    main()
