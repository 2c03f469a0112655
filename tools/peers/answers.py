"""The one question that every engine is asked, and what an answer to it looks like."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

KEY = ("usage", "model", "os", "window")
COUNTS = ("evaluations", "impressions", "completed", "skipped", "failed", "cancelled", "retried")
PERCENTILES = (50, 90, 95, 99)
COLUMNS = (*KEY, *COUNTS, *(f"p{percent}" for percent in PERCENTILES))
# Our percentiles are those of bins, docs/metrics.md says how wide.
TOLERANCE = 0.002

Answer = dict[tuple[str, ...], tuple[list[int], list[float | None]]]


@dataclass
class Difference:
    """The first cell in which two answers are not the same."""

    key: tuple[str, ...]
    what: str

    def __str__(self) -> str:
        return f"{' '.join(self.key)}: {self.what}"


def read_peer(path: Path) -> Answer:
    """Reads what a peer wrote: COLUMNS, microseconds, an empty cell where nothing ran."""
    answer: Answer = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            counts = [int(row[name]) for name in COUNTS]
            cells = [row[f"p{percent}"] for percent in PERCENTILES]
            answer[tuple(row[name] for name in KEY)] = (
                counts,
                [float(cell) if cell else None for cell in cells],
            )
    return answer


def read_evalog(folder: Path) -> Answer:
    """Joins evaluations.csv and impressions.csv of an export."""
    answer: Answer = {}
    impressions: dict[tuple[str, ...], int] = {}
    with (folder / "impressions.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            impressions[key_of(row)] = int(row["impressions"])
    with (folder / "evaluations.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = key_of(row)
            counts = {**row, "impressions": impressions.get(key, 0)}
            cells = [row[f"duration_p{percent}_ms"] for percent in PERCENTILES]
            answer[key] = (
                [int(counts[name]) for name in COUNTS],
                [float(cell) * 1000 if cell else None for cell in cells],
            )
    return answer


def key_of(row: dict[str, str]) -> tuple[str, ...]:
    return (row["usage"], row["model"], row["os"], row["window_start"])


def difference(ours: Answer, theirs: Answer) -> Difference | None:
    """Counts must be equal, percentiles within the tolerance."""
    for key in sorted(ours.keys() | theirs.keys()):
        if key not in ours or key not in theirs:
            return Difference(key, "only one of the answers has this row")
        (our_counts, our_values), (their_counts, their_values) = ours[key], theirs[key]
        for name, left, right in zip(COUNTS, our_counts, their_counts, strict=True):
            if left != right:
                return Difference(key, f"{name} {left} and {right}")
        for percent, left, right in zip(PERCENTILES, our_values, their_values, strict=True):
            if (left is None) != (right is None):
                return Difference(key, f"p{percent} {left} and {right}")
            # A millisecond cell has three decimals, so half a microsecond comes on top.
            if left is None or right is None:
                continue
            if abs(left - right) > TOLERANCE * right + 1:
                return Difference(key, f"p{percent} {left} and {right}")
    return None
