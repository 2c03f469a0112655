"""Inserts the lines of a file of facts into SQLite, ids unique: WAL, batches of 1,000."""

from __future__ import annotations

import itertools
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

BATCH = 1_000


def rows(source: Path) -> Iterator[tuple[str, str]]:
    with source.open() as file:
        for line in file:
            start = line.index('"id":"') + 6
            yield line[start : line.index('"', start)], line


def main() -> None:
    source, database = map(Path, sys.argv[1:])
    for name in (database, Path(f"{database}-wal"), Path(f"{database}-shm")):
        name.unlink(missing_ok=True)
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = normal")
    connection.execute("create table facts (id text unique, line text)")
    every = rows(source)
    while batch := list(itertools.islice(every, BATCH)):
        connection.execute("begin")
        connection.executemany("insert or ignore into facts values (?, ?)", batch)
        connection.execute("commit")
    connection.close()


if __name__ == "__main__":
    main()
