"""Compares what Spark wrote with `evalog export`, cell by cell: compare.py EXPORT SPARK BY."""

from __future__ import annotations

import csv
import sys
from itertools import islice
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "crosscheck"))
from comparison import differences, read

# How many columns name a row; G stands for those of the group.
KEYS = {
    "evaluations": "2G", "impressions": "2G", "outcomes": "5G", "inferences": "4",
    "inference_values": "5", "durations": "4G", "quality": "1",
}  # fmt: skip
SHOWN = 5


def rows_of(folder: Path) -> list[list[str]]:
    """The records of a table's parts, its header once."""
    records: list[list[str]] = []
    for part in sorted(folder.glob("part-*.csv")):
        with part.open(encoding="utf-8", newline="") as file:
            found = list(csv.reader(file, strict=True))
        records += found[1 if records else 0 :]
    return records


def main() -> int:
    export, spark, by = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3].split(",")
    failed = False
    counts = []
    for table, named in KEYS.items():
        keys = int(named.removesuffix("G")) + (len(by) if named.endswith("G") else 0)
        theirs, ours = read(export / f"{table}.csv"), rows_of(spark / table)
        found = list(islice(differences(ours, theirs, keys), SHOWN))
        if not found and table != "quality" and ours != theirs:
            found = ["same cells in another order"]
        failed |= bool(found)
        counts.append(f"{table} {len(ours) - 1}")
        for difference in found:
            print(f"spark: {table}: {difference}")
    print(f"spark: {', '.join(counts)}: {'DIFFERENCES' if failed else 'all cells agree'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
