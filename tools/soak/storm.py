"""Writers, importers, maintainers and followers at once, killed at random moments."""

from __future__ import annotations

import argparse
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from logs import expect_all, expect_order, id_of, let_time_pass, unzipped
from programs import BrokenError, Program, Tools, demand, wait_until

WRITERS, IMPORTS, MAINTAINERS = 3, 1, 2
KILLS_BETWEEN_AGES = 5


class Follower:
    """`tail -f` that goes on from its position whenever it was killed."""

    def __init__(self, tools: Tools, log: Path, position: Path) -> None:
        self._tools = tools
        self._words = [tools.evalog, "tail", "-f", "--json"]
        self._words += ["--position", position, "--log", log]
        self.runs: list[list[bytes]] = []
        self.samples: list[tuple[int, int]] = []
        self.start()

    def start(self) -> None:
        lines: list[bytes] = []
        self.runs.append(lines)
        self.program = self._tools.start(self._words, lines.append)

    @property
    def count(self) -> int:
        return sum(map(len, self.runs))

    def look(self) -> None:
        """Notes its resident memory and how many files it has open."""
        process = Path(f"/proc/{self.program.pid}")
        try:
            pages = int((process / "statm").read_text().split()[1])
            self.samples.append((pages * 4_096, len(list((process / "fd").iterdir()))))
        except (FileNotFoundError, PermissionError):
            raise BrokenError(f"a follower ended by itself: {self.program.errors}") from None

    def end(self) -> None:
        self.program.send(signal.SIGTERM)
        self.program.finish(-signal.SIGTERM, 143)

    def expect_flat(self) -> str:
        """Holds the last third of its life against the second."""
        third = len(self.samples) // 3
        demand(third > 0, "the storm was too short to compare a follower's memory")
        middle, late = self.samples[third : 2 * third], self.samples[2 * third :]
        (before, opened), (after, opened_late) = (
            (max(memory for memory, _ in part), max(files for _, files in part))
            for part in (middle, late)
        )
        demand(after <= before * 5 // 4, f"a follower grew from {before} to {after} bytes")
        # A look at the log opens its folder and a segment.
        demand(opened_late <= opened + 2, f"a follower's files: {opened}, later {opened_late}")
        return f"{before // 1_000_000} MB, later {after // 1_000_000} MB, {opened_late} files"


class Storm:
    def __init__(
        self, given: argparse.Namespace, tools: Tools, folder: Path, chance: random.Random
    ) -> None:
        self.tools, self.folder, self.chance = tools, folder, chance
        self.rounds = given.rounds
        self.log = folder / "log"
        # Ids of facts that are in the log for certain.
        self.confirmed: set[bytes] = set()
        self.killed: Counter[str] = Counter()
        self.imports: dict[Program, set[bytes]] = {}
        self.number = 0
        # The log is there before anybody follows it.
        first = tools.start(self.confirm(1), self.take)
        first.end_input()
        first.finish()

    # MARK: Programs

    def take(self, line: bytes) -> None:
        self.confirmed.add(line.strip())

    def confirm(self, count: int) -> list[str | Path]:
        flush = self.chance.choice([1, 10, 100, 1_000])
        numbers = ["--count", str(count), "--flush", str(flush)]
        seed = str(self.chance.getrandbits(60))
        return [self.tools.bench, "confirm", self.log, *numbers, "--seed", seed]

    def start_writer(self) -> Program:
        count = self.chance.choice([10, 300, 3_000, 30_000])
        return self.tools.start(self.confirm(count), self.take)

    def start_import(self) -> Program:
        self.number += 1
        path = self.folder / f"facts-{self.number}"
        count, seed = str(self.chance.choice([50, 5_000])), str(self.chance.getrandbits(60))
        lines = self.tools.run(
            self.tools.bench, "facts", "--clean", "--count", count, "--seed", seed
        )
        path.write_bytes(b"".join(lines))
        words = [self.tools.evalog, "import", "--quiet", "--log", self.log, path]
        program = self.tools.start(words)
        self.imports[program] = {id_of(line) for line in lines}
        return program

    def start_maintainer(self) -> Program:
        return self.tools.start([self.tools.evalog, "maintain", "--quiet", "--log", self.log])

    # MARK: The storm

    def blow(self) -> None:
        starts: dict[str, Callable[[], Program]] = {
            "writer": self.start_writer,
            "import": self.start_import,
            "maintainer": self.start_maintainer,
        }
        kinds = ["writer"] * WRITERS + ["import"] * IMPORTS + ["maintainer"] * MAINTAINERS
        running = [(kind, starts[kind]()) for kind in kinds]
        calm = Follower(self.tools, self.log, self.folder / "calm")
        other = Follower(self.tools, self.log, self.folder / "other")
        for number in range(self.rounds):
            self.wait(running, starts, calm)
            place = self.chance.randrange(len(running) + 1)
            if place == len(running):
                self.kill("follower", other.program)
                other.start()
            else:
                kind, program = running[place]
                self.kill(kind, program)
                running[place] = (kind, starts[kind]())
            if number % KILLS_BETWEEN_AGES == 0:
                let_time_pass(self.log)
        for kind, program in running:
            program.end_input()
            self.ended(kind, program)
        self.followers = [calm, other]

    def wait(
        self,
        running: list[tuple[str, Program]],
        starts: dict[str, Callable[[], Program]],
        calm: Follower,
    ) -> None:
        """Some time, in which what ends begins again."""
        end = time.monotonic() + self.chance.random() * 0.4
        while True:
            calm.look()
            for place, (kind, program) in enumerate(running):
                if not program.is_running:
                    self.ended(kind, program)
                    running[place] = (kind, starts[kind]())
            if time.monotonic() >= end:
                return
            time.sleep(0.02)

    def kill(self, kind: str, program: Program) -> None:
        program.kill()
        if program.was_killed:
            self.killed[kind] += 1
            self.imports.pop(program, None)
        else:
            self.ended(kind, program)

    def ended(self, kind: str, program: Program) -> None:
        # One of two maintainers has to wait, and says so.
        program.finish(0, 2) if kind == "maintainer" else program.finish()
        if ids := self.imports.pop(program, None):
            self.confirmed |= ids

    # MARK: What is left

    def expect_whole(self) -> str:
        lines = self.tools.lines(self.log)
        expect_all(self.confirmed, {id_of(line) for line in lines}, "confirmed facts")
        demand(len(set(lines)) == len(lines), "the log gives a line twice")
        calm, other = self.followers
        wait_until(
            lambda: calm.count >= len(lines) and len(set().union(*other.runs)) >= len(lines),
            f"of {len(lines)} lines a follower gave {calm.count}, another one {other.count}",
        )
        for follower in self.followers:
            follower.end()
        demand(sorted(calm.runs[0]) == sorted(lines), "a follower did not give each line once")
        demand(set().union(*other.runs) == set(lines), "after kills a follower gave other lines")
        demand(all(len(set(run)) == len(run) for run in other.runs), "a run gave a line twice")
        expect_order(self.tools, self.log)
        demand(sorted(self.tools.lines(self.log)) == sorted(lines), "maintenance changed lines")
        demand(sorted(unzipped(self.log)) == sorted(lines), "gzip reads other lines")
        kills = ", ".join(f"{count} of {kind}s" for kind, count in sorted(self.killed.items()))
        return (
            f"{len(lines)} lines, {len(self.confirmed)} confirmed, killed {kills}; "
            f"a follower had {calm.expect_flat()}"
        )


def run(given: argparse.Namespace, tools: Tools, folder: Path, chance: random.Random) -> str:
    storm = Storm(given, tools, folder, chance)
    storm.blow()
    return storm.expect_whole()
