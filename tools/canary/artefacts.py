"""Runs every command on logs full of markers, and gathers all that is not content."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from markers import Planter

FORMATS = ("csv", "textfile", "otlp", "html")

# Runs of each command on a log, told apart where they need more than the log: "{out}" is a folder
# whose files are artefacts too, the others are filled in from the log itself.
COMMANDS: dict[str, list[str]] = {
    "tail": [
        "-n 100000 --json",
        "--color always --position {out}/position",
        "--json --position {out}/position --quiet",
        "-n 50 --outcome failed",
        "--since 3650d --type form_inference --type catalog --type gate",
        "--subject {subject} --min-attempts 1 --until 2100-01-01",
    ],
    "top": ["", "--window 24h --color always", "--window 24h --json"],
    "replay": [
        "",
        "--json --by usage,model,os,device,app,tier",
        "--diff {exported}",
        "--diff-as-of 1m --json",
    ],
    "export": [*(f"--to {{out}} --format {name}" for name in FORMATS), "--to {out} --by app"],
    "report": [
        "--to {out}",
        "--to {out} --catalog {reviewed}",
        "--to {out} --no-events --window 1s --min-count 1",
        "--to {out} --no-events --window day",
        "--draft-catalog",
    ],
    "check": ["--max-failure-rate 1%", "--max-p95 1ms --by usage,app --json", "--max-refused 0"],
    "explain": [
        "{evaluation}",
        "{event} --json",
        "--session {session}",
        "--subject {subject} --json",
    ],
    "drift": [
        "--by os --baseline {os} --candidate other",
        "--by app --baseline {app} --candidate other --json",
    ],
    "coverage": ["", "--json"],
    "testset": ["list", "list --json"],
    "verify": ["", "--json", "--content"],
    "status": ["", "--json"],
    "maintain": ["--dry-run", "--json", ""],
    "erase": ["--session {session} --dry-run", "--session {session} --facts --json"],
    "completions": ["bash", "zsh", "fish"],
    "manual": [""],
    # Done for all logs together, below.
    "import": [],
    "demo": [],
}

# What shows content, because a person asked for it: only what it says besides is searched.
REVEALING = {"tail": ["-n 500 --reveal --json"], "explain": ["--session {session} --reveal"]}

SESSION = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Gathering:
    """Makes artefacts in a folder; each is a file, or a file that something else wrote."""

    def __init__(self, folder: Path, tools: Path) -> None:
        self.folder = folder
        self.evalog = tools / "evalog"
        self.canary = tools / "canary"
        self.files: list[tuple[str, Path]] = []
        self.said = folder / "said"
        self.said.mkdir()
        (folder / "out").mkdir()
        self.run_count = 0

    def keep(self, name: str, data: bytes) -> None:
        """Takes bytes as an artefact."""
        path = self.said / f"{len(self.files):04}"
        path.write_bytes(data)
        self.files.append((name, path))

    def add_all(self, title: str, folder: Path) -> None:
        """Takes every file below a folder, and their names."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.files.append((f"{title}/{path.relative_to(folder)}", path))

    def run(
        self,
        words: list[str],
        *,
        log: Path | None = None,
        shows_content: bool = False,
        statuses: tuple[int, ...] = (0, 1),
    ) -> bytes:
        """Runs evalog and takes what it says; its output not where that is content."""
        self.run_count += 1
        title = "evalog " + " ".join(words)[:60] + (f" ({log.name})" if log else "")
        environment = os.environ | {"EVALOG_LOG": str(log or self.folder / "none"), "TZ": "UTC"}
        run = subprocess.run(
            [self.evalog, *words],
            check=False,
            capture_output=True,
            env=environment,
            cwd=self.folder,
        )
        if run.returncode not in statuses:
            raise SystemExit(f"canary: {title}: status {run.returncode}: {run.stderr.decode()}")
        if not shows_content:
            self.keep(f"{title}: output", run.stdout)
        self.keep(f"{title}: stderr", run.stderr)
        return run.stdout

    # Commands

    def help_of(self, *words: str) -> str:
        return self.run([*words, "--help"]).decode()

    def check_table(self) -> None:
        """Every command that there is has its runs here."""
        known = set(re.findall(r"^  ([a-z]+)  +\S", self.help_of(), re.MULTILINE))
        if known != set(COMMANDS):
            raise SystemExit(
                "canary: tools/canary/artefacts.py and evalog --help list other commands: "
                + ", ".join(sorted(known ^ set(COMMANDS)))
            )
        for command in known:
            has_reveal = "--reveal" in self.help_of(command)
            if has_reveal != (command in REVEALING):
                raise SystemExit(f"canary: does evalog {command} reveal content, or not?")

    def formats(self) -> set[str]:
        """The formats that export has by now."""
        text = self.help_of("export").partition("--format")[2].partition("--window")[0]
        return {name for name in FORMATS if re.search(rf"\b{name}\b", text)}

    def all_commands(self, log: Path) -> None:
        """Every run of every command on that log, those that change it last."""
        formats = self.formats()
        places = self._places(log)
        for command, runs in COMMANDS.items():
            for run in runs:
                if "--format" in run and run.split()[-1] not in formats:
                    continue
                self._run(command, run, log, places)
            for run in REVEALING.get(command, []):
                self._run(command, run, log, places, shows_content=True)

    def _run(
        self, command: str, run: str, log: Path, places: dict[str, str], shows_content: bool = False
    ) -> None:
        out = self.folder / "out" / f"{log.name}-{self.run_count}"
        if "{out}/" in run:
            out.mkdir(parents=True)
        words = [word.format(out=out, **places) for word in run.split()]
        # A log may have no evaluation of one side of a drift.
        statuses = (0, 1, 2) if command == "drift" else (0, 1)
        self.run([command, *words], log=log, shows_content=shows_content, statuses=statuses)
        if "{out}" in run:
            self.add_all(f"{command} {log.name}", out)

    def _places(self, log: Path) -> dict[str, str]:
        """What runs need from the log: ids that are in it, an export to compare with, a review."""
        lines = [json.loads(line) for line in facts(log)[:20_000]]
        evaluations = [line for line in lines if line["type"] == "evaluation"]
        named = [line for line in evaluations if SESSION.fullmatch(line.get("session", ""))]
        events = [line for line in lines if line["type"] == "ai_suppressed"]
        digested = [line for line in evaluations if line.get("subject", "").startswith("~")]
        exported = self.folder / "out" / f"{log.name}-exported"
        self.run(["export", "--to", str(exported)], log=log)
        reviewed = self.folder / "out" / f"{log.name}-reviewed.json"
        reviewed.write_bytes(self.run(["report", "--draft-catalog"], log=log))
        return {
            "evaluation": evaluations[0]["id"],
            "event": events[0]["id"],
            "session": named[0]["session"],
            "subject": digested[0]["subject"],
            "os": self._name(evaluations, "os"),
            "app": self._name(evaluations, "app"),
            "exported": str(exported),
            "reviewed": str(reviewed),
        }

    @staticmethod
    def _name(evaluations: list[dict], key: str) -> str:
        """The first that an evaluation has of a column, but for what did not fit."""
        names = (line.get(key, "other") for line in evaluations)
        return next((name for name in names if name != "other"), "none")

    # Logs

    def add_log(self, log: Path) -> None:
        """Everything in a log's folder that is not content."""
        for path in sorted(log.rglob("*")):
            if path.is_file() and not is_content(path.relative_to(log)):
                self.files.append((f"{log.name}/{path.relative_to(log)}", path))

    def crashes(self) -> None:
        """Programs that end in the middle of an evaluation: what they say, and what they leave."""
        # With the register values Swift's backtracer prints memory: docs/privacy.md tells of it.
        environment = os.environ | {
            "SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no,registers=none,threads=crashed"
        }
        for how in ("trap", "abort", "segmentation", "uncaught"):
            run = subprocess.run(
                [self.canary, "crash", self.folder, how],
                check=False,
                capture_output=True,
                env=environment,
            )
            if run.returncode >= 0 or b"rashed" not in run.stderr:
                raise SystemExit(f"canary: crash {how} did not crash: {run.stderr.decode()}")
            self.keep(f"crash {how}", run.stdout + run.stderr)
            log = self.folder / f"log-crash-{how}"
            for words in (["verify", "--content"], ["maintain"], ["status"], ["replay"]):
                self.run(words, log=log)
            self.add_log(log)

    def damaged(self, log: Path, planter: Planter) -> None:
        """A copy whose segments have a hole in the middle: what is said of it, and put aside."""
        copy = self.folder / "log-damaged"
        shutil.copytree(log, copy)
        for stream in ("facts", "content"):
            segment = sorted((copy / stream).glob("*.gz"))[0]
            data = bytearray(segment.read_bytes())
            for place in planter.random.sample(range(len(data) // 4, len(data)), 5):
                data[place] ^= 0x55
            segment.write_bytes(data)
            # Segments of dead writers are not touched for a minute.
            os.utime(segment, (1e9, 1e9))
        for words in (["verify", "--content"], ["verify", "--json"], ["maintain"], ["replay"]):
            self.run(words, log=copy)
        self.run(["tail", "--reveal"], log=copy, shows_content=True)
        self.add_log(copy)

    def names(self) -> None:
        """The names of all files that anything wrote here."""
        names = [str(path.relative_to(self.folder)) for path in sorted(self.folder.rglob("*"))]
        self.keep("file names", "\n".join(names).encode())


def is_content(path: Path) -> bool:
    """Whether a file of a log is confidential: its content, and damaged bytes of that."""
    return path.parts[0] == "content" or (path.parts[0] == "aside" and ".content." in path.name)


def facts(log: Path) -> list[bytes]:
    return lines_of(log, "facts")


def lines_of(log: Path, stream: str) -> list[bytes]:
    """The lines of a stream that zcat gives."""
    text = b"".join(gzip.decompress(path.read_bytes()) for path in (log / stream).glob("*.gz"))
    return text.splitlines()
