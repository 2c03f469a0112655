"""Test sets with markers in all that an author, a model and a server can say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markers import Planter

if TYPE_CHECKING:
    from artefacts import Gathering

Line = dict[str, Any]

CASE_COUNT = 40
# The server wants a key every so often, which stops a run each time.
RUN_COUNT = 12


def _case(planter: Planter, number: int) -> tuple[Line, Line]:
    """A case of one of the four rules, and an answer that is right."""
    field, other = planter.mark("sk"), planter.mark("sk")
    right = planter.text("te")
    fact = planter.mark("te")
    rules: list[tuple[str, Line | None, Line]] = [
        ("class", {field: right}, {field: right}),
        ("exact", {field: right, other: None}, {field: right}),
        (
            "contains",
            {field: {"required": [[planter.text("te"), fact]], "forbidden": [planter.text("te")]}},
            {field: f"{planter.mark('ov')} {fact}"},
        ),
        ("schema", None, {field: planter.text("ov"), other: planter.text("ov")}),
    ]
    rule, expected, answer = rules[number % len(rules)]
    texts = {"type": "string", "description": planter.text("sd")}
    case = {
        "id": f"canary-{number}",
        "task": f"canary_{rule}",
        "instructions": planter.text("in"),
        "schema": {"type": "object", "properties": {field: texts, other: texts}},
        "context": [{"content": planter.text("cx"), "priority": number}],
        "input": planter.text("ut"),
        "rule": rule,
    }
    case["schema"]["required"] = [field]
    return (case if expected is None else case | {"expected": expected}), answer


def _ending(planter: Planter, number: int, answer: Line) -> Line:
    """The right answer, a wrong one, one that is none, or a failure."""
    endings: list[Line] = [
        {"outcome": "completed", "output": answer},
        {"outcome": "completed", "output": dict.fromkeys(answer, planter.text("ov"))},
        {"outcome": "completed", "output": {planter.mark("ok"): planter.number()}},
        {"outcome": "failed", "error": planter.text("er"), "error_class": "truncated"},
        {"outcome": "failed", "error": planter.text("er"), "error_class": planter.text("er")},
    ]
    return endings[number % len(endings)]


def _broken(planter: Planter, case: Line) -> list[Line]:
    """Slips of an author, each with a marker where it is told."""
    text, mark = planter.text("te"), planter.mark("te")
    field = next(iter(case["schema"]["properties"]))
    changes: list[Line] = [
        {planter.mark("uk"): text},
        {"task": text},
        {"rule": text},
        {"rule": text, "types": {mark: "date"}},
        {"rule": "exact", "types": {mark: text}, "expected": {mark: text}},
        {"rule": "exact", "types": {mark: "date"}},
        {"rule": "exact", "expected": {mark: text}},
        {"rule": "exact", "expected": {mark: text}, "types": {mark: "date"}},
        {"rule": "contains", "expected": {field: {mark: text}}},
        {"rule": "contains", "expected": {field: {"required": {mark: text}}}},
        {"rule": "contains", "expected": {field: {"required": [{mark: text}]}}},
        {"rule": "exact", "expected": {field: {mark: text}}},
        {"rule": "schema", "expected": {mark: text}},
        {"rule": "class", "expected": {field: text, planter.mark("te"): text}},
        {"context": [{mark: text}]},
        {"context": {mark: text}},
        {"instructions": {mark: text}},
        {"schema": {mark: text}},
        {"expected": text},
        {"id": text},
    ]
    return [case | {"id": f"slip-{number}"} | change for number, change in enumerate(changes)]


def _write(path: Path, lines: list[Line]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def run(gathering: Gathering, folder: Path, planter: Planter, server: str) -> Path:
    """Runs of a recording, of a server, of files that are none, and a comparison; their log."""
    log = folder / "log-tests"
    pairs = [_case(planter, number) for number in range(CASE_COUNT)]
    cases = _write(folder / "canary-cases.ndjson", [case for case, _ in pairs])
    for model, shift in (("recorded-one", 0), ("recorded-two", 1)):
        answers = [
            {"usage": "canary", "subject": case["id"], "model": model, "attempts": 1}
            | _ending(planter, number * (shift + 1), answer)
            for number, (case, answer) in enumerate(pairs)
        ]
        recording = _write(folder / f"{model}.ndjson", answers)
        gathering.run(["testset", "run", cases, "--recorded", recording], log=log)
    # Answers to some cases only: the others are named.
    few = _write(folder / "few.ndjson", answers[:5])
    gathering.run(["testset", "run", cases, "--recorded", few], log=log, statuses=(2,))
    address = f"{server}?{planter.mark('ur')}={planter.mark('ur')}"
    for _ in range(RUN_COUNT):
        words = ["testset", "run", cases, "--model-url", address, "--model", "canary-served"]
        gathering.run([*words, "--parallel", "2"], log=log, statuses=(0, 2))
    for number, slip in enumerate(_broken(planter, pairs[0][0])):
        broken = _write(folder / f"slip-{number}.ndjson", [slip])
        words = ["testset", "run", broken, "--recorded", few]
        gathering.run(words, log=log, statuses=(2,))
    sides = ["--baseline", "recorded-one", "--candidate", "recorded-two"]
    for words in (sides, [*sides, "--json"], [*sides, "--partial", "--level", "0.5"]):
        gathering.run(["testset", "compare", *words], log=log)
    for words in (["list"], ["list", "--json"]):
        gathering.run(["testset", *words], log=log)
    tail = ["tail", "-n", "1000", "--type", "test_result"]
    gathering.run([*tail, "--json"], log=log)
    gathering.run([*tail, "--reveal"], log=log, shows_content=True)
    out = folder / "out" / "tests"
    out.mkdir()
    for form in ("csv", "html", "textfile", "otlp"):
        gathering.run(["export", "--to", str(out / form), "--format", form], log=log)
    gathering.add_all("export log-tests", out)
    return log
