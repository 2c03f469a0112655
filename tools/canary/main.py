"""Plants markers in everything confidential, runs everything, and searches what is not content.

Ends with status 1 if a marker, a digest of one, of a content line or of a prompt is found; if a
leak that was planted on purpose is not; or if nothing was planted where something should be.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import imports
import leaks
import testsets
from artefacts import Gathering, facts, lines_of
from markers import KEPT, KINDS, NUMBER_PREFIX, NUMBERS, PREFIX, UNHEARD, Planter, found_in
from search import Hit, Tokens, look
from server import Server

ROOT = Path(__file__).resolve().parents[2]
SEPARATOR = b"\xff"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="canary", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="evaluations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tools", type=Path, default=ROOT / ".build/release")
    parser.add_argument("--keep", type=Path, help="a new folder for all that is made")
    parser.add_argument("--verbose", action="store_true", help="what was planted where")
    return parser.parse_args()


class Plantings:
    """What was planted, who saw it, and where it may stand."""

    def __init__(self) -> None:
        self.planted: list[bytes] = []
        self.seen: list[bytes] = []
        self.lines: list[bytes] = []
        self.opted_in: set[bytes] = set()
        self.told: list[bytes] = []
        """The facts that the evaluator's log had before a command erased some of them."""

    def read(self, folder: Path) -> None:
        """What the canary program wrote down."""
        for path in folder.glob("planted-*"):
            self.planted += _texts(path)
        for path in folder.glob("seen-*"):
            self.seen += _texts(path)
        for path in folder.glob("opted-*"):
            self.opted_in |= set(_texts(path))

    def read_content(self, logs: Iterable[Path]) -> None:
        for log in logs:
            self.lines += lines_of(log, "content")

    def problems(self, markers: set[bytes], verbose: bool) -> list[str]:
        """Kinds of which nothing was planted, kept or seen although it should have been."""
        planted = _by_kind(markers)
        kept, seen = (_by_kind(found_in(b"\n".join(texts))) for texts in (self.lines, self.seen))
        found = []
        for code, name in [*KINDS.items(), (NUMBER_PREFIX[:2], NUMBERS)]:
            if verbose:
                counts = f"{planted[code]} planted, {kept[code]} in content, {seen[code]} seen"
                print(f"  {name}: {counts}")
            if not planted[code]:
                found.append(f"no {name} were planted")
            if code in KEPT and not kept[code]:
                found.append(f"content has no {name}")
            if not (seen[code] or kept[code] or code in UNHEARD):
                found.append(f"nobody saw any {name}")
        return found

    @property
    def markers(self) -> set[bytes]:
        return found_in(b"\n".join(self.planted))


def _texts(path: Path) -> list[bytes]:
    return path.read_bytes().split(SEPARATOR)[:-1]


def _by_kind(markers: set[bytes]) -> Counter[bytes]:
    """How many there are of each kind; the two letters of a number's are its first digits."""
    counts = Counter(marker[len(PREFIX) : len(PREFIX) + 2] for marker in markers)
    numbers = sum(marker.isdigit() for marker in markers)
    counts[NUMBER_PREFIX[:2]] = numbers
    return counts


def plant(given: argparse.Namespace, folder: Path, gathering: Gathering) -> Plantings:
    """Random evaluations by the program, and files of others that evalog imports."""
    plantings = Plantings()
    numbers = ["--count", str(given.count), "--seed", str(given.seed)]
    with Server(given.seed) as server:
        run = subprocess.run(
            [gathering.canary, "plant", folder, *numbers, "--server", server.address],
            check=False,
            capture_output=True,
        )
        if run.returncode != 0:
            raise SystemExit(f"canary: planting failed: {run.stderr.decode(errors='replace')}")
        gathering.keep("canary plant: what it says", run.stdout + run.stderr)
        planter = Planter(given.seed)
        testsets.run(gathering, folder, planter, server.address)
    plantings.planted += server.planted
    plantings.seen += server.seen

    files = imports.files(planter, max(200, given.count // 50))
    for name, data in files.items():
        (folder / name).write_bytes(data)
    imported = folder / "log-imported"
    gathering.run(["import", "--content", "all", *files], log=imported)
    # Again, so that duplicates and their conflicts are there.
    again = ["import", "--content", "failures", "--source", "other", "records.ndjson"]
    gathering.run(again, log=imported)
    gathering.run(["import", str(imported)], log=folder / "log-copied")
    sample = folder / "sample"
    sample.mkdir()
    (sample / "evaluations.ndjson").write_bytes(_recording(planter))
    gathering.run(["demo", "--sample", str(sample), "--to", str(folder / "demo"), "--quiet"])
    gathering.add_all("demo csv", folder / "demo" / "csv")
    plantings.planted += planter.planted
    return plantings


def _recording(planter: Planter) -> bytes:
    """Exchanges for the demonstration, each with a marker in its answer and its error."""
    answers = {
        "in_app_message_suppression": '{"reason":"%s","allow":true}',
        "embedded_selection": '{"reason":"%s","scores":[{"id":"x","score":7}]}',
        "scene_text_input": '{"summary":"%s","category":"billing","urgent":true}',
    }
    lines = []
    for usage, answer in answers.items():
        head = f'{{"usage":"{usage}","model":"m","duration":0.2,"attempts":1,'
        lines += [
            head + f'"outcome":"completed","output":{answer % planter.mark("ov")}}}',
            head + f'"outcome":"failed","error":"{planter.mark("er")}","error_class":"truncated"}}',
            head + f'"outcome":"failed","error":"{planter.mark("er")}"}}',
        ]
    return "\n".join(lines).encode()


def _look(task: tuple[str, Path]) -> tuple[int, list[Hit], Tokens]:
    name, path = task
    data = path.read_bytes()
    hits, tokens = look(name, data)
    return len(data), hits, tokens


_judge_by = Tokens()
"""In the processes that judge: what all artefacts have of the shape of a digest."""


def _begin_judging(tokens: Tokens) -> None:
    _judge_by.merge(tokens)


def _judge(texts: list[bytes]) -> list[Hit]:
    return _judge_by.judge(texts)


def search(files: list[tuple[str, Path]], secrets: list[bytes]) -> tuple[int, list[Hit], list[Hit]]:
    """The bytes searched, every hit in them, and checksums that chance alone explains."""
    size = 0
    hits: list[Hit] = []
    tokens = Tokens()
    # The largest first, so that no process waits long for another at the end.
    tasks = sorted(files, key=lambda task: -task[1].stat().st_size)
    with ProcessPoolExecutor() as pool:
        for count, found, its_tokens in pool.map(_look, tasks):
            size += count
            hits += found
            tokens.merge(its_tokens)
    pieces = [secrets[start : start + 100_000] for start in range(0, len(secrets), 100_000)]
    with ProcessPoolExecutor(initializer=_begin_judging, initargs=(tokens,)) as pool:
        judged = [hit for found in pool.map(_judge, pieces) for hit in found]
    judged, by_chance = tokens.without_chance(judged, len(secrets))
    return size, hits + judged, by_chance


Answer = tuple[str, str, str]
"""A field, a property and its value."""


def _answers_in_lines(lines: Iterable[bytes]) -> set[Answer]:
    """Those of facts and of a report's events."""
    found = set()
    for line in lines:
        event = json.loads(line)
        field = event.get("subject") or f"{event.get('form')}/{event.get('field')}"
        values = event.get("ai_inference", event)
        for name, value in values.get("report", values.get("output", {})).items():
            found.add((field, name, value if isinstance(value, str) else json.dumps(value)))
    return found


def _answers_in_table(path: Path) -> set[Answer]:
    """Those of an export's table of values and of a report's summary."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        (
            row.get("subject") or f"{row.get('form')}/{row.get('field')}",
            row.get("property") or row["field"],
            row["value"],
        )
        for row in rows
        if row["value"]
    }


def absent(gathering: Gathering, plantings: Plantings) -> list[str]:
    """Opted-in answers that did not get to where they are meant to be."""
    wanted = {tuple(text.decode().split("\n")) for text in plantings.opted_in}
    kinds = {value in ("true", "false") for _, _, value in wanted}
    if kinds != {True, False}:
        return ["no form reported an opted-in choice, or none a flag"]

    def paths(file: str) -> list[Path]:
        return [path for name, path in gathering.files if name.endswith(f"/{file}")]

    places = {
        "the facts": _answers_in_lines(
            line for line in plantings.told if b'"type":"form_inference"' in line
        ),
        "the export": set().union(*map(_answers_in_table, paths("inference_values.csv"))),
        "the report's events": _answers_in_lines(
            line for path in paths("events.ndjson") for line in path.read_bytes().splitlines()
        ),
        "the report's summary": set().union(*map(_answers_in_table, paths("summary.csv"))),
    }
    missing = []
    for place, found in places.items():
        if lost := wanted - found:
            missing.append(f"{len(lost)} of {len(wanted)} opted-in answers are not in {place}")
    return missing


GATED = b"canary-gated-"
"""How names of forms begin that are submitted while on-device AI is off."""


def let_out(gathering: Gathering, plantings: Plantings) -> list[str]:
    """Events from while on-device AI was off that a report tells."""
    if not any(GATED in line and b"form_inference" in line for line in plantings.told):
        return ["nothing was submitted while on-device AI was off"]
    reported = ("/events.ndjson", "/summary.csv")
    return [
        f"{name} tells of events from while on-device AI was off"
        for name, path in gathering.files
        if name.endswith(reported) and GATED in path.read_bytes()
    ]


@dataclass
class Findings:
    """What came of a search."""

    markers: set[bytes]
    secret_count: int
    size: int
    hits: list[Hit]
    by_chance: list[Hit]
    problems: list[str]
    leak_count: int
    misses: list[str]

    @property
    def is_good(self) -> bool:
        return not (self.hits or self.problems or self.misses) and self.leak_count > 0


def gather(given: argparse.Namespace, folder: Path, gathering: Gathering) -> Plantings:
    """Plants, runs everything, and takes all that is not content."""
    gathering.check_table()
    plantings = plant(given, folder, gathering)
    names = ("log", "log-failures", "log-imported", "log-copied", "log-tests")
    logs = [folder / name for name in names]
    gathering.damaged(folder / "log-imported", Planter(given.seed))
    gathering.crashes()
    plantings.read(folder)
    plantings.read_content([*logs, folder / "demo" / "log", *folder.glob("log-crash-*")])
    plantings.told = facts(folder / "log")
    gathering.keep("facts of log before anything is erased", b"\n".join(plantings.told))
    for log in (folder / "log", folder / "log-imported"):
        gathering.all_commands(log)
    for log in [*logs, folder / "demo" / "log"]:
        gathering.add_log(log)
    # Nothing in it is content.
    gathering.add_all("log-off", folder / "log-off")
    gathering.names()
    return plantings


def unfound(folder: Path) -> list[str]:
    """Whether content itself has no hits, which it must have, or the search would show nothing."""
    contents = list(folder.glob("log-crash-trap/content/*.gz"))
    if not contents:
        return ["a crash left no content in which to find something"]
    blind = [path for path in contents if not search([("content", path)], [])[1]]
    return ["the search finds nothing in content itself"] if blind else []


def examine(
    given: argparse.Namespace, folder: Path, gathering: Gathering, plantings: Plantings
) -> Findings:
    markers = plantings.markers
    problems = plantings.problems(markers, given.verbose)
    problems += absent(gathering, plantings)
    problems += let_out(gathering, plantings)
    problems += unfound(folder)
    secrets = [*markers, *plantings.planted, *plantings.seen, *plantings.lines]
    size, hits, by_chance = search(gathering.files, secrets)
    ours = leaks.Planted(
        sorted(markers)[:: len(markers) // 50], plantings.seen[:50], plantings.lines[:50]
    )
    leak_count, misses = leaks.missed(ours, facts(folder / "log-off")[:60])
    return Findings(markers, len(secrets), size, hits, by_chance, problems, leak_count, misses)


def show(findings: Findings) -> None:
    """What went wrong, on stderr."""
    for hit in sorted(findings.hits, key=lambda hit: (hit.artefact, hit.how))[:40]:
        print(f"canary: LEAK in {hit.artefact}: {hit.how}, at byte {hit.offset}", file=sys.stderr)
    for hit in findings.by_chance:
        print(f"canary: taken for chance: {hit.how} in {hit.artefact}", file=sys.stderr)
    for problem in findings.problems:
        print(f"canary: {problem}", file=sys.stderr)
    for miss in findings.misses:
        print(f"canary: not found although planted: {miss}", file=sys.stderr)


def main() -> int:
    given = arguments()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="canary-") as scratch:
        folder = given.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        gathering = Gathering(folder, given.tools)
        plantings = gather(given, folder, gathering)
        gathered_seconds = time.monotonic() - started
        findings = examine(given, folder, gathering, plantings)
    show(findings)
    print(f"canary: {given.count} evaluations, seed {given.seed}")
    megabytes = f"{findings.size / 1e6:.0f} MB as they lie there"
    print(f"canary: {len(gathering.files)} artefacts searched, {megabytes}")
    texts = f"digests of {findings.secret_count} texts looked for"
    print(f"canary: {len(findings.markers)} markers planted; {texts}")
    print(f"canary: {len(findings.hits)} hits, {len(findings.by_chance)} checksums by chance")
    found_count = max(0, findings.leak_count - len(findings.misses))
    print(f"canary: {found_count} of {findings.leak_count} leaks planted on purpose found")
    print(f"canary: {len(plantings.opted_in)} opted-in answers looked for")
    seconds = time.monotonic() - started - gathered_seconds
    print(f"canary: {gathered_seconds:.0f} s planting and running, {seconds:.0f} s searching")
    return 0 if findings.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
