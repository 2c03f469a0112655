"""Section 4 once more, in the plainest Python: slow, in memory, a loop a rule.

It is what the SQL is tested against, so it shares none of its code.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from settings import Settings

Fact = dict[str, Any]
Group = tuple[str, ...]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_US = 86_400_000_000
SECONDS = "%Y-%m-%dT%H:%M:%SZ"
TYPES = (
    "evaluation",
    "ai_suppressed",
    "form_inference",
    "catalog",
    "gate",
    "log_gap",
    "test_result",
)
OUTCOMES = ("completed", "skipped", "failed", "cancelled")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

COMMON = {
    "id": lambda value: UUID.fullmatch(str(value)),
    "time": lambda value: TIME.fullmatch(str(value)),
}
NAMED = {"evaluation": lambda value: UUID.fullmatch(str(value))}
REQUIRED: dict[str, dict[str, Callable[[Any], Any]]] = {
    "evaluation": {
        "usage": lambda value: isinstance(value, str),
        "outcome": lambda value: value in OUTCOMES,
        "attempts": lambda value: type(value) is int and value >= 0,
    },
    "ai_suppressed": NAMED,
    "form_inference": {**NAMED, "status": lambda value: value in ("success", "failure")},
}
SHAPES = {
    "usage": re.compile("[a-z][a-z0-9_]{0,63}"),
    "model": re.compile("(?!.*://)[A-Za-z0-9._:/@-]{1,64}"),
    "reason": re.compile("ai_disabled|no_model|no_context|model_unavailable|other"),
    "detail": re.compile("device_not_eligible|missing_model|not_enabled|other"),
    "error": re.compile(
        "timeout|schema_mismatch|context_overflow|truncated|refused|bad_response|transport"
        "|rate_limited|quota|auth|client_error|server_error|unsupported_language|unavailable"
        "|model_error|other"
    ),
}


def micros(text: str) -> int:
    instant = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    return (instant - EPOCH) // timedelta(microseconds=1)


def written(us: int) -> str:
    return (EPOCH + timedelta(microseconds=us)).strftime(SECONDS)


# Windows: an edge is found by walking the clock.


@cache
def edge(day: date, zone: ZoneInfo) -> datetime:
    """The first instant of the local date, or of the next one that exists."""
    at = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(days=2)
    while at.astimezone(zone).date() < day:
        at += timedelta(minutes=1)
    while (at - timedelta(seconds=1)).astimezone(zone).date() >= day:
        at -= timedelta(seconds=1)
    return at


def first_of(day: date, kind: str) -> date:
    if kind == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if kind == "month" else day


def next_of(day: date, kind: str) -> date:
    """The beginning after the one around `day`."""
    later = day
    while first_of(later, kind) == first_of(day, kind):
        later += timedelta(days=1)
    return later


def window(us: int, settings: Settings) -> tuple[str, str]:
    width = settings.window_us
    if width:
        return written(us // width * width), written((us // width + 1) * width)
    zone, at = ZoneInfo(settings.timezone), EPOCH + timedelta(microseconds=us)
    first = first_of(at.astimezone(zone).date() - timedelta(days=3), settings.window)
    while edge(following := next_of(first, settings.window), zone) <= at:
        first = following
    start, end = edge(first, zone), edge(following, zone)
    return start.strftime(SECONDS), end.strftime(SECONDS)


# Cells.


def text(value: str) -> str:
    if value and value[0] in "=+-@\t\r'":
        value = "'" + value
    if any(mark in value for mark in ',"\r\n\u2028\u2029'):
        value = '"' + value.replace('"', '""') + '"'
    return value


def scaled(value: int | None, digits: int) -> str:
    if value is None:
        return ""
    one = 10**digits
    return f"{value // one}.{value % one:0{digits}}"


def wilson(failed: int, n: int) -> tuple[int | None, int | None]:
    if n == 0:
        return None, None
    z, p = 1.959963984540054, failed / n
    centre = p + z * z / (2.0 * n)
    margin = z * math.sqrt((p * (1.0 - p) + z * z / (4.0 * n)) / n)
    low = 0.0 if failed == 0 else (centre - margin) / (1.0 + z * z / n)
    high = 1.0 if failed == n else (centre + margin) / (1.0 + z * z / n)
    return math.floor(low * 1e6 + 0.5), math.floor(high * 1e6 + 0.5)


# Lines to facts.


def decoded(line: bytes) -> Fact | str:
    """The fact, or why there is none."""
    try:
        fact = json.loads(line)
    except ValueError:
        return "unreadable_lines"
    if isinstance(fact, dict) and fact.get("erased") is True:
        return "erased_lines"
    if not isinstance(fact, dict) or not isinstance(fact.get("type"), str):
        return "unreadable_lines"
    if fact["type"] not in TYPES:
        return "unknown_type_lines"
    required = COMMON | REQUIRED.get(fact["type"], {})
    if not all(fits(fact.get(name)) for name, fits in required.items()):
        return "unreadable_lines"
    misfits = [name for name in SHAPES if not SHAPES[name].fullmatch(fact.get(name, "other"))]
    fitting = dict.fromkeys(misfits, "other")
    return {**fact, **fitting, "us": micros(fact["time"]), "misfits": len(misfits)}


def comparable(line: bytes, fact: Fact) -> bytes:
    return line.replace(fact["time"].encode(), b"", 1) if "assumed" in fact else line


def staying(lines: Iterable[bytes]) -> tuple[list[Fact], Counter[str]]:
    """Rule 1, and the counts of it."""
    quality: Counter[str] = Counter()
    copies: dict[tuple[str, str], list[tuple[int, bytes, Fact]]] = defaultdict(list)
    for line in lines:
        quality["lines"] += 1
        fact = decoded(line)
        if isinstance(fact, str):
            quality[fact] += 1
        else:
            copies[fact["type"], fact["id"]].append((fact["us"], line, fact))
    stay = []
    for same in copies.values():
        same.sort(key=lambda copy: copy[:2])
        _, line, fact = same[0]
        stay.append(fact)
        quality["duplicates"] += len(same) - 1
        quality["conflicts"] += sum(
            comparable(other, copy) != comparable(line, fact) for _, other, copy in same
        )
    return stay, quality


def kept(sizes: Counter[Any], limit: int) -> set[Any]:
    return set(sorted(sizes, key=lambda name: (-sizes[name], name))[:limit])


class Naive:
    """The tables of some lines, each as the lines of its CSV without header."""

    def __init__(self, lines: Iterable[bytes], settings: Settings) -> None:
        self.settings = settings
        self.facts, self.counts = staying(lines)
        self.evaluations = self.of("evaluation")
        self.evaluations.sort(key=lambda fact: (fact["us"], fact["id"]))
        sizes = Counter(self.names(fact) for fact in self.evaluations)
        keep = kept(sizes, settings.max_groups)
        other = ("(other)",) * len(settings.by)
        for fact in self.evaluations:
            names = self.names(fact)
            shown = names if names in keep else other
            fact["row"] = (window(fact["us"], settings), shown)
            valid = fact["outcome"] != "cancelled" and fact["attempts"] >= 1
            fact["counted_us"] = fact.get("duration_us") if valid else None

    def of(self, kind: str) -> list[Fact]:
        return [fact for fact in self.facts if fact["type"] == kind]

    def names(self, fact: Fact) -> Group:
        return tuple(fact.get(column, "") for column in self.settings.by)

    def rows(self, table: str) -> list[str]:
        return list(getattr(self, f"{table}_rows")())

    def by_row(self) -> list[tuple[str, list[Fact]]]:
        rows: dict[Any, list[Fact]] = defaultdict(list)
        for fact in self.evaluations:
            rows[fact["row"]].append(fact)
        return [(self.cells(row), rows[row]) for row in sorted(rows, key=by_bytes)]

    @staticmethod
    def cells(row: tuple[tuple[str, str], Group]) -> str:
        return ",".join([*row[0], *map(text, row[1])])

    def evaluations_rows(self) -> Iterable[str]:
        for cells, facts in self.by_row():
            outcomes = Counter(fact["outcome"] for fact in facts)
            failed, n = outcomes["failed"], outcomes["failed"] + outcomes["completed"]
            rate = (2_000_000 * failed + n) // (2 * n) if n else None
            numbers = [len(facts), *(outcomes[name] for name in OUTCOMES)]
            rates = [scaled(value, 6) for value in (rate, *wilson(failed, n))]
            attempts = [fact["attempts"] for fact in facts]
            retried = [sum(number > 1 for number in attempts), sum(attempts)]
            durations = self.duration_cells(facts)
            yield ",".join([cells, *map(str, numbers), *rates, *map(str, retried), *durations])

    @staticmethod
    def duration_cells(facts: list[Fact]) -> list[str]:
        us = sorted(fact["counted_us"] for fact in facts if fact["counted_us"] is not None)
        n = len(us)
        if not n:
            return ["0"] + [""] * 8
        at_rank = [us[(q * n + 99) // 100 - 1] for q in (50, 90, 95, 99)]
        middles = [min(max(sum(bin_of(value)) // 2, us[0]), us[-1]) for value in at_rank]
        mean = (2 * sum(us) + n) // (2 * n)
        numbers = [us[0], mean, *middles, us[-1]]
        return [str(n), str(sum(us)), *(scaled(value, 3) for value in numbers)]

    def outcomes_rows(self) -> Iterable[str]:
        for cells, facts in self.by_row():
            counts = Counter(
                (
                    fact["outcome"],
                    fact.get("reason", fact.get("error", "")),
                    fact.get("detail", ""),
                )
                for fact in facts
            )
            for why in sorted(counts):
                yield ",".join([cells, *why, str(counts[why])])

    def durations_rows(self) -> Iterable[str]:
        for cells, facts in self.by_row():
            values = [fact["counted_us"] for fact in facts if fact["counted_us"] is not None]
            for (lower, upper), count in sorted(Counter(map(bin_of, values)).items()):
                yield f"{cells},{lower},{upper},{count}"

    def impressions(self) -> list[list[Fact]]:
        keys: dict[Any, list[list[Fact]]] = defaultdict(list)
        for fact in self.evaluations:
            key = (fact["usage"], fact.get("subject"), fact.get("session"))
            gap = self.settings.gaps.get(fact["usage"], self.settings.gaps[None])
            made = keys[key]
            if None in key or not made or not joins(fact, made[-1], gap):
                made.append([fact])
            else:
                made[-1].append(fact)
        return [impression for made in keys.values() for impression in made]

    def impressions_rows(self) -> Iterable[str]:
        hidden = {fact.get("evaluation") for fact in self.of("ai_suppressed")}
        rows: dict[Any, list[list[Fact]]] = defaultdict(list)
        for impression in self.impressions():
            rows[impression[0]["row"]].append(impression)
        for row in sorted(rows, key=by_bytes):
            made = rows[row]
            outcomes = Counter(outcome_of(impression) for impression in made)
            deciding = [
                all(fact["id"] in hidden for fact in impression)
                for impression in made
                if impression[0]["usage"] == "in_app_message_suppression"
            ]
            verdicts = [str(deciding.count(verdict)) for verdict in (True, False)]
            folded = sum(map(len, made)) - len(made)
            numbers = [len(made), folded, *(outcomes[name] for name in OUTCOMES)]
            suppressions = verdicts if deciding else ["", ""]
            yield ",".join([self.cells(row), *map(str, numbers), *suppressions])

    def inferences(self) -> list[tuple[tuple[str, str], str, Fact]]:
        facts = self.of("form_inference")
        keep = kept(Counter(fact.get("subject", "") for fact in facts), self.settings.max_groups)
        shown = (fact.get("subject", "") for fact in facts)
        subjects = [subject if subject in keep else "(other)" for subject in shown]
        return [
            (window(fact["us"], self.settings), subject, fact)
            for fact, subject in zip(facts, subjects, strict=True)
        ]

    def inferences_rows(self) -> Iterable[str]:
        counts = Counter((w, s, fact["status"]) for w, s, fact in self.inferences())
        for w, subject, status in sorted(counts):
            count = counts[w, subject, status]
            yield ",".join([*w, text(subject), text(status), str(count)])

    def inference_values_rows(self) -> Iterable[str]:
        counts = Counter(
            (w, s, field, str(value).lower() if isinstance(value, bool) else value)
            for w, s, fact in self.inferences()
            for field, value in fact.get("report", {}).items()
        )
        for key in sorted(counts):
            yield ",".join([*key[0], *map(text, key[1:]), str(counts[key])])

    def quality_rows(self) -> Iterable[str]:
        unkeyed = [f for f in self.evaluations if "subject" not in f or "session" not in f]
        values = {
            **dict.fromkeys(("lines", "duplicates", "conflicts"), 0),
            **dict.fromkeys(("unreadable_lines", "unknown_type_lines", "erased_lines"), 0),
            **self.counts,
            "records": len(self.facts),
            "evaluations": len(self.evaluations),
            "unkeyed": len(unkeyed),
            "invalid_durations": sum("duration_invalid" in fact for fact in self.evaluations),
            "undecoded": sum("decoded" in fact for fact in self.evaluations),
            "assumed_times": sum("assumed" in fact for fact in self.facts),
            "misfit_values": sum(fact["misfits"] for fact in self.facts),
            "refused": sum(fact["refused"] for fact in self.of("log_gap")),
        }
        return [f"{name},{values[name]}" for name in sorted(values)]


def by_bytes(row: tuple[tuple[str, str], Group]) -> tuple[str, list[bytes]]:
    return row[0][0], [name.encode() for name in row[1]]


def bin_of(us: int) -> tuple[int, int]:
    """The bounds of the bin around a duration."""
    width = 1 if us < 512 else 2 ** (us.bit_length() - 9)
    return us // width * width, us // width * width + width


def joins(fact: Fact, impression: list[Fact], gap: int) -> bool:
    since_last = fact["us"] - impression[-1]["us"]
    since_first = fact["us"] - impression[0]["us"]
    return gap > 0 and since_last <= gap and since_first < DAY_US


def outcome_of(impression: list[Fact]) -> str:
    told = [fact["outcome"] for fact in impression if fact["outcome"] != "cancelled"]
    return told[-1] if told else "cancelled"
