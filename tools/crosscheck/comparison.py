"""Compares a table of ours with the exported file: bytes first, then cell by cell."""

from __future__ import annotations

import csv
import filecmp
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

LINE_END = "\r\n"
SHOWN = 5
LONGEST_CELL = 1 << 30


@dataclass
class Verdict:
    """What was found about one table; `differences` are ready to print, the first few only."""

    table: str
    rows: int
    differences: list[str]


def write(lines: Iterable[str], path: Path) -> int:
    """Writes a table as CSV and returns how many rows it has, the header not counted."""
    count = -1
    with path.open("w", encoding="utf-8", newline="") as file:
        for line in lines:
            file.write(line + LINE_END)
            count += 1
    return count


def compare(table: str, ours: Path, theirs: Path, keys: int, rows: int) -> Verdict:
    """Compares two CSV files whose first `keys` columns name a row."""
    if not theirs.exists():
        return Verdict(table, rows, ["the export has no such file"])
    if table != "quality" and filecmp.cmp(ours, theirs, shallow=False):
        return Verdict(table, rows, [])
    found = list(first(differences(read(ours), read(theirs), keys)))
    if not found and table != "quality":
        found = [order_or_bytes(ours, theirs)]
    return Verdict(table, rows, found)


def first(found: Iterator[str]) -> Iterator[str]:
    """The first few, and how many there are beyond."""
    yield from islice(found, SHOWN)
    if beyond := sum(1 for _ in found):
        yield f"… and {beyond} more"


def read(path: Path) -> list[list[str]]:
    """The records of a CSV file; the log_* rows of quality.csv are a matter of storage."""
    csv.field_size_limit(LONGEST_CELL)
    with path.open(encoding="utf-8", newline="") as file:
        records = list(csv.reader(file, strict=True))
    if path.name == "quality.csv":
        records = [record for record in records if not record[0].startswith("log_")]
    return records


def differences(ours: list[list[str]], theirs: list[list[str]], keys: int) -> Iterator[str]:
    """Header, missing rows, superfluous rows, cells: each difference as one line."""
    if not theirs or ours[0] != theirs[0]:
        yield f"header: ours {','.join(ours[0])}, exported {','.join(theirs[0] if theirs else [])}"
        return
    header = ours[0]
    mine = {tuple(record[:keys]): record for record in ours[1:]}
    other = {tuple(record[:keys]): record for record in theirs[1:]}
    if len(other) != len(theirs) - 1:
        yield f"exported: {len(theirs) - 1 - len(other)} rows have the key of another"
    for key in sorted(mine.keys() | other.keys()):
        yield from row_differences(header, key, mine.get(key), other.get(key))


def row_differences(
    header: list[str], key: tuple[str, ...], ours: list[str] | None, theirs: list[str] | None
) -> Iterator[str]:
    name = " ".join(f"{column}={cell!r}" for column, cell in zip(header, key, strict=False))
    if ours is None or theirs is None:
        yield f"{name}: only {'exported' if ours is None else 'ours'}"
        return
    if len(ours) != len(theirs):
        yield f"{name}: {len(ours)} cells, exported {len(theirs)}"
    for column, mine, other in zip(header, ours, theirs, strict=False):
        if mine != other:
            yield f"{name}: {column} is {mine!r}, exported {other!r}"


def order_or_bytes(ours: Path, theirs: Path) -> str:
    """All cells agree but the bytes do not: names the first line that differs."""
    with ours.open("rb") as mine, theirs.open("rb") as other:
        for number, (left, right) in enumerate(zip(mine, other, strict=False), start=1):
            if left != right:
                return f"same cells, other bytes at line {number}: {left!r}, exported {right!r}"
    return "same cells, but one file goes on after the other's end"
