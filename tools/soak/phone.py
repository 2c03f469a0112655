"""A phone's life: short sessions of an app, half of them killed, and maintenance in the end."""

from __future__ import annotations

import argparse
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from logs import expect_all, expect_order, id_of, segments, unzipped
from programs import Tools, demand

FACTS = 10
AT_ONCE = 4
BYTES_OF_A_FACT = 60
FILES = 20


def live(tools: Tools, log: Path, chance: random.Random) -> tuple[set[bytes], bool]:
    """One session: the ids that it confirmed, and whether it was killed."""
    seed, flush = str(chance.getrandbits(60)), chance.choice(["5", "10"])
    words = [tools.bench, "confirm", log, "--count", str(FACTS), "--flush", flush, "--seed", seed]
    app = tools.start(words)
    if chance.random() < 0.5:
        # At any moment from its start, or as soon as all is confirmed.
        end = time.monotonic() + (chance.random() * 0.06 if chance.random() < 0.5 else 10)
        while len(app.lines) < FACTS and time.monotonic() < end:
            time.sleep(0.001)
        app.kill()
    else:
        app.end_input() if chance.random() < 0.1 else None
        while app.is_running and len(app.lines) < FACTS:
            time.sleep(0.001)
        app.end_input()
        app.finish()
    return {line.strip() for line in app.lines}, app.was_killed


def run(given: argparse.Namespace, tools: Tools, folder: Path, chance: random.Random) -> str:
    log = folder / "log"
    with ThreadPoolExecutor(AT_ONCE) as pool:
        chances = [random.Random(chance.getrandbits(60)) for _ in range(given.sessions)]
        lives = list(pool.map(lambda each: live(tools, log, each), chances))
    confirmed = set[bytes]().union(*(ids for ids, _ in lives))
    killed = sum(was_killed for _, was_killed in lives)
    before = len(segments(log))

    expect_order(tools, log)
    lines = tools.lines(log)
    expect_all(confirmed, {id_of(line) for line in lines}, "confirmed facts")
    demand(sorted(unzipped(log)) == sorted(lines), "gzip reads other lines")
    files = segments(log)
    size = sum(path.stat().st_size for path in files)
    demand(len(files) < FILES, f"{len(files)} files are left")
    demand(size < BYTES_OF_A_FACT * len(lines), f"{size} bytes are left of {len(lines)} facts")
    return (
        f"{given.sessions} sessions, {killed} killed, {len(confirmed)} facts confirmed, "
        f"{len(lines)} there; {before} files, after maintenance {len(files)} with "
        f"{size / len(lines):.0f} bytes a fact"
    )
