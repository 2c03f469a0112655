"""Runs the ClickHouse recipe of docs/scaling.md on a log (chDB) and holds it against the export.

recipe.py LOG EXPORT
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from pathlib import Path

import chdb

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scaling.md"
COUNTED = ("completed", "skipped", "failed", "cancelled")


def recipe() -> str:
    found = re.search(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)
    if not found:
        sys.exit(f"spark: {PAGE.name} has no recipe in SQL any more")
    return found[1]


def counts(rows: csv.DictReader) -> Counter[tuple[str, str, str]]:
    """Evaluations by window, usage and outcome."""
    found: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        for outcome in COUNTED:
            found[row["window_start"], row["usage"], outcome] += int(row[outcome])
    return found


def main() -> None:
    log, export = Path(sys.argv[1]), Path(sys.argv[2])
    query = recipe().replace("LOG/", f"{log}/")
    answer = str(chdb.query(query, "CSVWithNames"))
    ours = counts(csv.DictReader(answer.splitlines()))
    with (export / "evaluations.csv").open(newline="") as file:
        theirs = counts(csv.DictReader(file))
    if ours != theirs:
        different = next(key for key in ours | theirs if ours[key] != theirs[key])
        sys.exit(f"spark: ClickHouse: {different}: {ours[different]}, not {theirs[different]}")
    version = chdb.query("SELECT version()", "TSV")
    print(
        f"ClickHouse {str(version).strip()}: its recipe agrees on"
        f" {sum(ours.values()):,} evaluations"
    )


if __name__ == "__main__":
    main()
