"""Counts the results of test sets in a log by itself, and compares with what evalog says.

check.py LOG EXPORT                          every row of testsets.csv, cell by cell
check.py LOG EXPORT COMPARISON.json          and what `evalog testset compare --json` printed
"""

import csv
import gzip
import json
import math
import sys
from collections import Counter, defaultdict
from pathlib import Path

Z = 1.959963984540054
FAILURES = (
    "invalid",
    "different",
    "wrong_class",
    "missing_fact",
    "forbidden_fact",
    "other",
)


# Stands for an evaluation that the log does not have any more.
LOST = {"attempts": 0, "outcome": "lost"}


def facts(log: Path) -> list[dict]:
    """Of each type and id the line with the least time."""
    staying: dict[tuple[str, str], dict] = {}
    for path in sorted((log / "facts").glob("*.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                fact = json.loads(line)
                if "id" not in fact:
                    continue
                key = (fact["type"], fact["id"])
                if key not in staying or fact["time"] < staying[key]["time"]:
                    staying[key] = fact
    return list(staying.values())


def wilson(successes: int, total: int) -> tuple[float, float]:
    """The roots of (p - x)² = z²·x·(1 - x)/n: another way to the same interval."""
    p = successes / total
    a, b, c = 1 + Z * Z / total, -(2 * p + Z * Z / total), p * p
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def case_passes(results: list[dict]) -> bool:
    return 2 * sum(r["verdict"] == "pass" for r in results) > len(results)


def group(log: Path) -> dict[tuple[str, ...], list[tuple[dict, dict]]]:
    """Results with their evaluations, by suite, task, model, system, device, run and digest."""
    everything = facts(log)
    evaluations = {f["id"]: f for f in everything if f["type"] == "evaluation"}
    results = [fact for fact in everything if fact["type"] == "test_result"]
    places = defaultdict(set)
    for result in results:
        if asked := evaluations.get(result["evaluation"]):
            places[result["session"]].add(place(asked))
    groups = defaultdict(list)
    for result in results:
        asked = evaluations.get(result["evaluation"], LOST)
        where = {place(asked)} if asked is not LOST else places[result["session"]]
        names = next(iter(where)) if len(where) == 1 else ("", "", "")
        key = (
            *(result["suite"], result["task"], *names, result["session"]),
            result.get("suite_digest", ""),
        )
        groups[key].append((result, asked))
    return groups


def place(asked: dict) -> tuple[str, ...]:
    return tuple(asked.get(name, "") for name in ("model", "os", "device"))


def by_case(results: list[dict]) -> dict[str, list[dict]]:
    cases = defaultdict(list)
    for result in results:
        cases[result["case"]].append(result)
    return cases


def expected_cells(pairs: list[tuple[dict, dict]]) -> dict[str, float | int]:
    results = [result for result, _ in pairs]
    cases = by_case(results)
    passing = sum(case_passes(case) for case in cases.values())
    low, high = wilson(passing, len(cases))
    verdicts = Counter(result["verdict"] for result in results)
    failures = Counter(r.get("failure", "other") for r in results if r["verdict"] == "fail")
    durations = [
        asked["duration_us"]
        for result, asked in pairs
        if result["verdict"] != "error"
        and asked["attempts"] > 0
        and asked["outcome"] != "cancelled"
        and "duration_us" in asked
    ]
    flaky = sum(
        0 < sum(r["verdict"] == "pass" for r in case) < len(case) for case in cases.values()
    )
    cells: dict[str, float | int] = {
        "cases": len(cases),
        "passing": passing,
        "pass_rate": passing / len(cases),
        "pass_rate_low": low,
        "pass_rate_high": high,
        "flaky": flaky,
        "results": len(results),
        "passed": verdicts["pass"],
        "failed": verdicts["fail"],
        "errors": verdicts["error"],
        "duration_count": len(durations),
    }
    for failure in FAILURES:
        cells[f"failed_{failure}"] = failures[failure]
    durations.sort()
    for percent in (50, 95):
        rank = math.ceil(percent * len(durations) / 100)
        if durations:
            cells[f"duration_p{percent}_ms"] = durations[rank - 1] / 1000
    return cells


def agrees(name: str, ours: float, theirs: str) -> bool:
    if name.startswith("duration_p"):
        return abs(ours - float(theirs)) <= 0.002 * ours + 0.001
    if name.startswith("pass_rate"):
        return abs(ours - float(theirs)) <= 0.5000001e-6
    return ours == int(theirs)


def check_table(log: Path, export: Path) -> int:
    groups = group(log)
    with (export / "testsets.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    wrong = 0
    if len(rows) != len(groups):
        print(f"testset: {len(groups)} rows expected, {len(rows)} exported")
        wrong += 1
    for row in rows:
        names = ("suite", "task", "model", "os", "device", "run", "suite_digest")
        cells = expected_cells(groups[tuple(row[name] for name in names)])
        for name, cell in cells.items():
            if not agrees(name, cell, row[name]):
                print(f"testset: {row['model']}: {name} is {cell}, exported {row[name]}")
                wrong += 1
        share = f"{row['passing']} of {row['cases']}, {cells['pass_rate']:.1%}"
        ends = f"{cells['pass_rate_low']:.1%} to {cells['pass_rate_high']:.1%}"
        print(f"testset: counted by Python: {row['model']}: {share} ({ends})")
    return wrong


def check_comparison(log: Path, comparison: dict) -> int:
    sides = defaultdict(dict)
    for key, pairs in group(log).items():
        for side in ("baseline", "candidate"):
            if key[-2] == comparison[side]:
                cases = by_case([result for result, _ in pairs])
                sides[side] |= {(key[1], name): case_passes(c) for name, c in cases.items()}
    wrong = 0
    ps = [task["p"] for task in comparison["tasks"]]
    for task in comparison["tasks"]:
        name = task["task"]
        shared = [k for k in sides["baseline"] if k in sides["candidate"] and k[0] == name]
        before = {k for k in shared if sides["baseline"][k]}
        after = {k for k in shared if sides["candidate"][k]}
        lost, won = len(before - after), len(after - before)
        changed = lost + won
        tail = sum(math.comb(changed, k) for k in range(min(lost, won) + 1))
        p = min(1.0, float(2 * tail / 2**changed))
        found = (task["cases"], task["lost"], task["won"])
        newly = {k[1] for k in before - after}
        if found != (len(shared), lost, won) or newly != set(task["newly_failing"]):
            print(f"testset: {name}: {found} compared, {(len(shared), lost, won)} expected")
            wrong += 1
        if abs(p - task["p"]) > 1e-9 * p:
            print(f"testset: {name}: p is {p}, compared {task['p']}")
            wrong += 1
        adjusted = holm(p, ps)
        if abs(adjusted - task["adjusted_p"]) > 1e-9 * adjusted:
            print(f"testset: {name}: corrected p is {adjusted}, compared {task['adjusted_p']}")
            wrong += 1
        if task["loss"] != (lost > won and adjusted <= comparison["level"]):
            print(f"testset: {name}: {task['loss']} is no verdict for a p of {adjusted}")
            wrong += 1
        print(f"testset: counted by Python: {name}: lost {lost}, won {won}, p {p:.2g}")
    return wrong


def holm(p: float, ps: list[float]) -> float:
    """By the definition: the greatest of all corrected values up to its own."""
    return max(min(1.0, q * sum(r >= q for r in ps)) for q in ps if q <= p * (1 + 1e-9))


def main() -> int:
    log, export = Path(sys.argv[1]), Path(sys.argv[2])
    wrong = check_table(log, export)
    if len(sys.argv) > 3:
        wrong += check_comparison(log, json.loads(Path(sys.argv[3]).read_text()))
    print(f"testset: {'NOT ok' if wrong else 'ok'}: figures of the log, table and comparison")
    return 1 if wrong else 0


sys.exit(main())
