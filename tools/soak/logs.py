"""What lies in a log's folder, and the passing of time there."""

from __future__ import annotations

import fcntl
import gzip
import os
import re
import time
from pathlib import Path

from programs import BrokenError, Tools, demand

ID = re.compile(rb'"id":"([0-9a-f-]{36})"')
MINUTES = 600


def segments(log: Path, stream: str = "facts") -> list[Path]:
    return sorted((log / stream).glob("[0-9]*.gz"))


def unzipped(log: Path, stream: str = "facts") -> list[bytes]:
    """The lines as anybody reads them who knows nothing but gzip."""
    lines: list[bytes] = []
    for path in segments(log, stream):
        with gzip.open(path) as file:
            lines += file
    return lines


def id_of(line: bytes) -> bytes:
    found = ID.search(line)
    if not found:
        raise BrokenError(f"a line has no id: {line!r}")
    return found[1]


def let_time_pass(log: Path) -> None:
    """Ages segments that no writer holds, so that their writers count as dead."""
    for path in segments(log):
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            before = time.time() - MINUTES
            os.utime(handle, (before, before))
        except BlockingIOError:
            pass
        finally:
            os.close(handle)


def expect_order(tools: Tools, log: Path) -> None:
    """After maintenance there is nothing left to do, no damage, and nothing half done."""
    let_time_pass(log)
    tools.run(tools.evalog, "maintain", "--quiet", "--log", log)
    check = tools.start([tools.evalog, "verify", "--content", "--log", log])
    check.end_input()
    check.finish(0, 1)
    demand(check.status == 0, f"verify finds:\n{b''.join(check.lines).decode()}{check.errors}")
    left = [str(path) for path in log.rglob(".tmp-*")]
    demand(not left, f"temporary files are left: {left}")


def expect_all(wanted: set[bytes], there: set[bytes], what: str) -> None:
    missing = wanted - there
    demand(
        not missing, f"of {len(wanted)} {what} {len(missing)} are not there: {sorted(missing)[:3]}"
    )
