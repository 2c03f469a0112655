"""A disk of 4 MiB that fills up while others write, and is freed again."""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

from logs import expect_all, expect_order, id_of, unzipped
from programs import Program, Tools, demand, wait_until

MIB = 1 << 20
SIZE, BALLAST = 4 * MIB, 3 * MIB
LAST = re.compile(r"given (\d+), recorded (\d+), refused (\d+)")
IMPORTED = 5_000


class Writer:
    """A recorder that goes on until its input ends."""

    def __init__(self, tools: Tools, log: Path, seed: int) -> None:
        words = [tools.bench, "confirm", log, "--count", "1000000000", "--flush", "100"]
        self.confirmed: set[bytes] = set()
        self.program = tools.start([*words, "--content", "--seed", str(seed)], self._take)
        self.given = self.refused = 0

    def _take(self, line: bytes) -> None:
        self.confirmed.add(line.strip())

    @property
    def is_refusing(self) -> bool:
        return b"refusing\n" in self.program.complaints

    def close(self) -> None:
        self.program.end_input()
        self.program.finish()
        given, _, refused = LAST.findall(self.program.errors)[-1]
        self.given, self.refused = int(given), int(refused)


class SmallDisk:
    def __init__(self, folder: Path) -> None:
        self.path = folder

    def __enter__(self) -> bool:
        self.path.mkdir()
        return os.geteuid() == 0 and self._mount(f"size={SIZE}")

    def _mount(self, options: str) -> bool:
        words = ["mount", "-t", "tmpfs", "-o", options, "soak", str(self.path)]
        return subprocess.run(words, check=False, capture_output=True).returncode == 0

    def grow(self) -> None:
        demand(self._mount(f"remount,size={16 * SIZE}"), "the disk cannot be made larger")

    def __exit__(self, kind: object, *_: object) -> None:
        if kind:
            # Somebody wants to look at it.
            shutil.copytree(self.path, self.path.with_name("kept"))
        subprocess.run(["umount", str(self.path)], check=False, capture_output=True)


def fill(writers: list[Writer], importing: Program, ballast: Path) -> None:
    wait_until(lambda: all(each.is_refusing for each in writers), "the disk does not fill up")
    demand(importing.is_running, f"the import does not wait: {importing.errors}")
    before = [len(each.confirmed) for each in writers]
    ballast.unlink()
    wait_until(
        lambda: all(len(w.confirmed) > count for w, count in zip(writers, before, strict=True)),
        "a writer does not go on when there is space again",
    )


def expect_exact(tools: Tools, log: Path, writers: list[Writer], imported: set[bytes]) -> str:
    facts = [json.loads(line) for line in tools.lines(log)]
    there = [fact["id"].encode() for fact in facts if fact["type"] == "evaluation"]
    recorded = set(there) - imported
    for writer in writers:
        expect_all(writer.confirmed, recorded, "confirmed facts")
    gaps = {"facts": 0, "content": 0}
    for fact in facts:
        if fact["type"] == "log_gap" and fact["id"].encode() not in imported:
            gaps[fact["stream"]] += fact["refused"]
    expect_all(imported, {fact["id"].encode() for fact in facts}, "imported facts")
    given, refused = sum(w.given for w in writers), sum(w.refused for w in writers)
    missing = given - len(recorded)
    demand(missing > 0, "no fact was refused")
    demand(gaps["facts"] == missing, f"the log tells of {gaps['facts']} of {missing} lost facts")
    content = len(unzipped(log, "content"))
    demand(
        content + gaps["content"] == len(recorded),
        f"of {len(recorded)} facts {content} have content, {gaps['content']} tell of it",
    )
    demand(sum(gaps.values()) == refused, f"the log tells of {gaps}, the writers of {refused}")
    return f"{given} facts given, {missing} refused and told, with {gaps['content']} of content"


def run(_: argparse.Namespace, tools: Tools, folder: Path, chance: random.Random) -> str:
    path = folder / "facts"
    seed = str(chance.getrandbits(60))
    lines = tools.run(tools.bench, "facts", "--clean", "--count", str(IMPORTED), "--seed", seed)
    path.write_bytes(b"".join(lines))
    disk = SmallDisk(folder / "disk")
    with disk as is_there:
        if not is_there:
            return "skipped: only root can mount a small disk"
        log, ballast = disk.path / "log", disk.path / "ballast"
        ballast.write_bytes(os.urandom(BALLAST))
        writers = [Writer(tools, log, chance.getrandbits(60)) for _ in range(2)]
        wait_until(lambda: writers[0].is_refusing, "the disk does not fill up")
        importing = tools.start([tools.evalog, "import", "--quiet", "--log", log, path])
        fill(writers, importing, ballast)
        # Whoever goes on writing fills it again; what they hold must fit before they close.
        disk.grow()
        for writer in writers:
            writer.close()
        importing.end_input()
        importing.finish()
        text = expect_exact(tools, log, writers, {id_of(line) for line in lines})
        expect_order(tools, log)
        return text
