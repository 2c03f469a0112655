"""Runs the SQL of `sql/` over a log: first the steps, then one query a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
from settings import GROUPABLE, Settings
from windows import calendar_windows

SQL = Path(__file__).parent / "sql"
WINDOW = ("window_start", "window_end")
ROWS_AT_ONCE = 10_000

# For each table: the columns that name a row (G stands for the group) and those that measure it.
TABLES: dict[str, tuple[str, str]] = {
    "evaluations": (
        "W G",
        "evaluations completed skipped failed cancelled"
        " failure_rate failure_rate_low failure_rate_high retried attempts"
        " duration_count duration_sum_us duration_min_ms duration_mean_ms"
        " duration_p50_ms duration_p90_ms duration_p95_ms duration_p99_ms duration_max_ms",
    ),
    "impressions": (
        "W G",
        "impressions re_evaluations completed skipped failed cancelled suppressed not_suppressed",
    ),
    "outcomes": ("W G outcome reason detail", "evaluations"),
    "inferences": ("W subject status", "inferences"),
    "inference_values": ("W subject field value", "inferences"),
    "durations": ("W G lower_us upper_us", "evaluations"),
    "quality": ("name", "value"),
}


def columns(table: str, settings: Settings) -> tuple[list[str], list[str]]:
    """The key columns and the measures of a table."""
    keys, measures = TABLES[table]
    stands_for = {"W": WINDOW, "G": settings.by}
    named = [name for key in keys.split() for name in stands_for.get(key, (key,))]
    return named, measures.split()


def segments(log: Path) -> list[str]:
    """The fact segments of a log; a file that is still being made starts with a dot."""
    return sorted(
        str(path) for path in (log / "facts").glob("*.gz") if not path.name.startswith(".")
    )


class Opinion:
    """The tables of one log under one set of settings."""

    def __init__(self, log: Path, settings: Settings, scratch: Path, memory: str = "2GiB") -> None:
        """Computes everything; `scratch` holds what does not fit into `memory`."""
        self.settings = settings
        limits = {"memory_limit": memory, "temp_directory": str(scratch / "spill")}
        self.database = duckdb.connect(str(scratch / "crosscheck.duckdb"), config=limits)
        self.database.execute("SET preserve_insertion_order = false")
        self.database.execute("SET VARIABLE segments = ?::VARCHAR[]", [segments(log)])
        self.database.execute("SET VARIABLE max_groups = ?", [settings.max_groups])
        self._define_groups()
        for step in sorted((SQL / "steps").glob("*.sql")):
            if step.name.startswith("50"):
                self._make_windows()
                self._make_gaps()
            self.database.execute(step.read_text())

    def table(self, name: str) -> Iterator[str]:
        """The lines of a table's CSV, header first, without their ends."""
        keys, measures = columns(name, self.settings)
        yield ",".join(keys + measures)
        result = self.database.execute((SQL / "tables" / f"{name}.sql").read_text())
        while rows := result.fetchmany(ROWS_AT_ONCE):
            yield from (line for (line,) in rows)

    def _define_groups(self) -> None:
        names = ", ".join(f"coalesce({column}, '')" for column in self.settings.by)
        self.database.execute(f"CREATE MACRO group_names({', '.join(GROUPABLE)}) AS [{names}]")

    def _make_gaps(self) -> None:
        self.database.execute("CREATE TABLE gaps (usage VARCHAR, gap_us BIGINT)")
        self.database.executemany(
            "INSERT INTO gaps VALUES (?, ?)", list(self.settings.gaps.items())
        )

    def _make_windows(self) -> None:
        """The windows in which something happened; a time before 1970 rounds down, too."""
        width = self.settings.window_us or 86_400_000_000
        starts = self.database.execute(
            """
            SELECT DISTINCT time_us - ((time_us % $width) + $width) % $width AS start_us
            FROM facts WHERE type IN ('evaluation', 'form_inference') ORDER BY start_us
            """,
            {"width": width},
        ).fetchall()
        if self.settings.window_us:
            windows = [(start, start + width) for (start,) in starts]
        else:
            days = (start // width for (start,) in starts)
            windows = calendar_windows(days, self.settings.window, ZoneInfo(self.settings.timezone))
        self.database.execute("CREATE TABLE windows (start_us BIGINT, end_us BIGINT)")
        if windows:
            self.database.execute(
                "INSERT INTO windows SELECT unnest($starts), unnest($ends)",
                {"starts": [start for start, _ in windows], "ends": [end for _, end in windows]},
            )
