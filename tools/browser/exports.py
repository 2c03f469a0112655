"""The same figures from the CSV of `evalog export`, for comparison."""

from __future__ import annotations

import csv
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# One window that holds whatever a test log has.
ALL_TIME = "3650d"
OUTCOMES = ("completed", "skipped", "failed", "cancelled")


@dataclass
class Export:
    """Runs the command on one log; each export goes to a folder of its own."""

    evalog: str
    log: Path
    scratch: Path
    count: int = field(default=0, init=False)

    def run(self, *flags: str) -> Path:
        self.count += 1
        folder = self.scratch / f"{self.log.name}-{self.count}"
        command = [self.evalog, "export", "--quiet", "--log", self.log, "--to", folder, *flags]
        subprocess.run(command, check=True)
        return folder

    def page(self, *flags: str) -> Path:
        return self.run("--format", "html", *flags) / "evalog.html"

    def total(self, *flags: str) -> dict[str, int | None]:
        """What the tiles show, of everything that the flags let pass."""
        folder = self.run("--window", ALL_TIME, "--by", "none", *flags)
        evaluations = rows(folder, "evaluations")
        row = evaluations[0] if evaluations else {}
        return {
            "evaluations": int(row.get("evaluations", 0)),
            "impressions": sum(int(r["impressions"]) for r in rows(folder, "impressions")),
            "failure-rate": millionths(row.get("failure_rate", "")),
            "p95": microseconds(row.get("duration_p95_ms", "")),
            "skipped": int(row.get("skipped", 0)),
        }


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def millionths(cell: str) -> int | None:
    return int(cell.replace(".", "")) if cell else None


def microseconds(cell: str) -> int | None:
    return int(cell.replace(".", "")) if cell else None


def evaluation_cells(row: dict[str, str]) -> dict[str, int | None]:
    """The cells of a row of evaluations.csv that the page's tables show as well."""
    return {
        "evaluations": int(row["evaluations"]),
        "failure rate": millionths(row["failure_rate"]),
        "95 % from": millionths(row["failure_rate_low"]),
        "95 % to": millionths(row["failure_rate_high"]),
        **{f"p{q}": microseconds(row[f"duration_p{q}_ms"]) for q in (50, 90, 95, 99)},
    }
