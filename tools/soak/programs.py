"""The built programs as processes: what they print, what they take, and how they end."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

# Nothing here takes that long; a program that does hangs.
PATIENCE = 120


class BrokenError(Exception):
    """A promise that was not kept."""


def demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BrokenError(otherwise)


class Program:
    """One process whose output is read as it comes."""

    def __init__(self, words: Sequence[str | Path], take: Callable[[bytes], None] | None) -> None:
        self.words = [str(word) for word in words]
        self.lines: list[bytes] = []
        self.complaints: list[bytes] = []
        self.was_killed = False
        self.status = 0
        self._take = take or self.lines.append
        self._process = subprocess.Popen(
            self.words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._readers = [
            threading.Thread(target=self._read_output, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _read_output(self) -> None:
        for line in self._process.stdout:
            # What a kill cut off is no line; whoever printed it does so again.
            if line.endswith(b"\n"):
                self._take(line)

    def _read_errors(self) -> None:
        for line in self._process.stderr:
            self.complaints.append(line)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def errors(self) -> str:
        return b"".join(self.complaints).decode(errors="replace").strip()

    def send(self, number: int) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        """Ends it at once, whatever it does, and reads what it had printed."""
        self.was_killed = self.is_running
        self.send(signal.SIGKILL)
        self._wait()

    def end_input(self) -> None:
        self._process.stdin.close()

    def finish(self, *statuses: int) -> None:
        """Waits for its end, which has to be one of these statuses, 0 by default."""
        self._wait()
        demand(
            self.status in (statuses or (0,)),
            f"{' '.join(self.words)} ended with {self.status}: {self.errors}",
        )

    def _wait(self) -> None:
        try:
            self.status = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise BrokenError(f"{' '.join(self.words)} hangs") from None
        for reader in self._readers:
            reader.join(PATIENCE)


class Tools:
    """Where the programs are, and those that run."""

    def __init__(self, folder: Path) -> None:
        self.evalog = folder / "evalog"
        self.bench = folder / "bench"
        self._started: list[Program] = []
        self._starting = threading.Lock()

    def start(
        self, words: Sequence[str | Path], take: Callable[[bytes], None] | None = None
    ) -> Program:
        program = Program(words, take)
        with self._starting:
            self._started = [each for each in self._started if each.is_running]
            self._started.append(program)
        return program

    def run(self, *words: str | Path, statuses: Sequence[int] = (0,)) -> list[bytes]:
        program = self.start(words)
        program.end_input()
        program.finish(*statuses)
        return program.lines

    def lines(self, log: Path, stream: str = "facts") -> list[bytes]:
        """Every line of a log, as evalog gives them."""
        more = ["--reveal"] if stream == "content" else []
        since = "1970-01-01T00:00:00Z"
        return self.run(self.evalog, "tail", "--json", "--since", since, *more, "--log", log)

    def end_all(self) -> None:
        for program in self._started:
            if program.is_running:
                program.kill()


def wait_until(holds: Callable[[], bool], otherwise: str) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        demand(time.monotonic() < end, otherwise)
        time.sleep(0.02)
