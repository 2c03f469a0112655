#!/usr/bin/env python3
"""Turns recorded exchanges with a small model into the sample: one day of an app.

    tools/sample/convert.py RECORDED.ndjson sample/

Writes `evaluations.ndjson` (evaluation records) and `events.ndjson` (fact lines of what the
features then reported). What the model was asked and what it answered, how long it took and how it
failed is real; who asked, when, and on which device is laid out here. The same input gives the
same bytes: all chance comes from SHA-256. Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Record = dict[str, Any]

DAY = datetime(2026, 11, 28, tzinfo=UTC)
SUPPRESSION, TEXT, EMBEDDED = "in_app_message_suppression", "scene_text_input", "embedded_selection"
USAGE = {
    "in_app_message_suppression": SUPPRESSION,
    "text_input_classification": TEXT,
    "embedded_banner_ranking": EMBEDDED,
}
SMALL, BASE = "smollm2-135m-instruct", "gemma-3-270m-base"
FIELDS = ("support/description", "feedback/comment")
EMBEDDED_IDS = ("home_banner", "deals_strip", "account_card")
# What the server's own error type means; other HTTP errors go by their status.
HTTP_CLASSES = {
    "exceed_context_size_error": "context_overflow",
    "invalid_request_error": "client_error",
    "authentication_error": "auth",
    "unavailable_error": "unavailable",
}
CLASSES = {
    "schema_violation": "schema_mismatch",
    "not_json": "bad_response",
    "truncated": "truncated",
    "timeout": "timeout",
    "connection_lost": "transport",
    "connection_refused": "transport",
}
# Messages whose condition does not hold for the user of the context. The model let all of them
# through; the events tell what an app with a better one would have reported.
MISJUDGED = {3: "skip", 6: "skip", 8: "cancel", 9: "skip", 13: "skip", 14: "penalize", 16: "skip"}


@dataclass(frozen=True)
class Session:
    """One stay in the app. `pause` is a break of that many minutes half-way through."""

    start: str
    os: str
    device: str
    app: str
    model: str
    asks: int
    pause: int = 0


SESSIONS = (
    Session("06:52", "iOS 26.1", "iPhone17,1", "4.2.0", SMALL, 7),
    Session("07:40", "iOS 26.2", "iPhone18,1", "4.2.0", SMALL, 9, pause=34),
    Session("09:15", "iOS 26.1", "iPhone16,2", "4.1.3", SMALL, 6),
    Session("11:02", "iOS 26.2", "iPhone18,3", "4.2.0", SMALL, 8),
    Session("12:31", "iOS 26.1", "iPhone17,1", "4.2.0", SMALL, 10, pause=41),
    Session("15:20", "iOS 26.2", "iPhone18,1", "4.3.0-beta1", BASE, 5),
    Session("17:48", "iOS 26.1", "iPhone17,4", "4.2.0", SMALL, 8),
    Session("19:05", "iOS 26.2", "iPhone18,1", "4.2.0", SMALL, 9, pause=52),
    Session("20:33", "iOS 26.2", "iPhone18,3", "4.3.0-beta1", BASE, 3),
    Session("21:14", "iOS 26.1", "iPhone16,2", "4.1.3", SMALL, 6),
)
# What the app asked in the background, outside any session.
BACKGROUND = Session("04:10", "iOS 26.1", "iPhone17,1", "4.2.0", SMALL, 4)
# No model was asked here, so there is no exchange: all of it is made up.
OLD_PHONE = Session("10:20", "iOS 26.1", "iPhone14,5", "4.2.0", SMALL, 0)
SKIPPED = (
    (SUPPRESSION, "model_unavailable: device_not_eligible"),
    (EMBEDDED, "model_unavailable: device_not_eligible"),
    (TEXT, "model_unavailable: device_not_eligible"),
    (EMBEDDED, "model_unavailable: device_not_eligible"),
    (SUPPRESSION, "ai_disabled"),
)


def chance(label: str, below: int) -> int:
    """A number that looks random and depends on the label alone."""
    return int.from_bytes(hashlib.sha256(label.encode()).digest()[:8]) % below


def uuid(label: str, version: int, instant: datetime | None = None) -> str:
    """A UUID of version 4, or of version 7 with the milliseconds of an instant."""
    raw = bytearray(hashlib.sha256(f"uuid {label}".encode()).digest()[:16])
    if instant:
        ms = (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
        raw[:6] = ms.to_bytes(6)
    raw[6] = (raw[6] & 0x0F) | version << 4
    raw[8] = (raw[8] & 0x3F) | 0x80
    text = raw.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def written(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def exchanges(path: Path) -> Iterator[Record]:
    """The recorded evaluations: exchanges whose attempts belong together become one.

    Later attempts follow a trim inside one call of the model, which is no new attempt of the
    evaluator: the request stays the untrimmed one of the first, the time is that of all.
    """
    whole: Record | None = None
    for line in path.read_text().splitlines():
        exchange = json.loads(line)
        if whole and exchange["attempt"] > 1:
            latency = whole["latency_ms"] + exchange["latency_ms"]
            kept = {name: whole[name] for name in ("id", "context")}
            whole = {**exchange, **kept, "latency_ms": latency}
            continue
        if whole:
            yield whole
        whole = exchange
    if whole:
        yield whole


def outcome(exchange: Record) -> Record:
    """How an exchange ended, with the class of its error, its seconds and its attempts."""
    error = exchange["error"]
    spent = {"duration": round(exchange["latency_ms"] / 1_000, 6), "attempts": 1}
    if not error:
        return {"outcome": "completed", "output": json.loads(exchange["response_text"]), **spent}
    kind = error["kind"]
    error_class = HTTP_CLASSES[error["type"]] if kind == "http_error" else CLASSES[kind]
    http = f"HTTP {exchange['http_status']} {error['type']}: " if kind == "http_error" else ""
    text = f"{error_class}: {http}{error['message']}"
    return {"outcome": "failed", "error": text, "error_class": error_class, **spent}


def request(exchange: Record) -> Record:
    return {
        "instructions": exchange["instructions"],
        "schema": exchange["schema"],
        "context": {"items": exchange["context"]},
    }


def condition(exchange: Record) -> str:
    """What the message's condition was. Most lines hold it under the other of the two names."""
    texts = exchange["subject"], exchange["subject_label"]
    return texts[1] if texts[0] == "Condition" else texts[0]


def subjects(recorded: list[Record]) -> dict[int, str]:
    """What each evaluation was about: one message a condition, one of few fields or views."""
    messages: dict[str, str] = {}
    named = {}
    for exchange in recorded:
        number, usage = exchange["id"], USAGE[exchange["task"]]
        if usage == SUPPRESSION:
            fresh = f"message-{len(messages) + 1:02}"
            named[number] = messages.setdefault(condition(exchange), fresh)
        elif usage == TEXT:
            named[number] = FIELDS[chance(f"field {number}", len(FIELDS))]
    return named


def whereabouts(session: Session, number: int, instant: datetime) -> Record:
    """The optional members that say when and where; the background has no session."""
    at = {"id": uuid(f"evaluation {number}", 7, instant), "time": written(instant)}
    if session is not BACKGROUND:
        at["session"] = uuid(f"session {session.start}", 4)
    return at


def record(exchange: Record, told: Record, at: Record, subject: str, session: Session) -> Record:
    """One line of the sample; `told` is how it ended, after how long and how many attempts."""
    return {
        "usage": USAGE[exchange["task"]],
        "request": request(exchange),
        **told,
        **at,
        "subject": subject,
        "model": session.model,
        "os": session.os,
        "device": session.device,
        "app": session.app,
    }


def begin(session: Session) -> datetime:
    hour, minute = map(int, session.start.split(":"))
    return DAY + timedelta(hours=hour, minutes=minute, seconds=chance(session.start, 60))


def asked(
    share: list[Record], session: Session, named: dict[int, str]
) -> Iterator[tuple[int, Record]]:
    """The evaluations of a session, seconds or minutes apart, with a pause if it has one."""
    instant = begin(session)
    view = EMBEDDED_IDS[chance(f"view {session.start}", len(EMBEDDED_IDS))]
    for place, exchange in enumerate(share):
        number = exchange["id"]
        instant += timedelta(
            seconds=8 + chance(f"step {number}", 190),
            microseconds=chance(f"µs {number}", 1_000_000),
            minutes=session.pause if place == len(share) // 2 else 0,
        )
        told = outcome(exchange)
        at = whereabouts(session, number, instant)
        yield number, record(exchange, told, at, named.get(number, view), session)
        instant += timedelta(seconds=told["duration"])


def skipped(recorded: list[Record]) -> Iterator[tuple[int, Record]]:
    """Evaluations that reached no model, with the request of a recorded one of their usage."""
    instant = begin(OLD_PHONE)
    for place, (usage, reason) in enumerate(SKIPPED):
        instant += timedelta(seconds=40 + 70 * place, microseconds=chance(reason, 1_000_000))
        alike = next(each for each in recorded if USAGE[each["task"]] == usage)
        number = 1_000 + place
        subject = subjects(recorded).get(alike["id"], EMBEDDED_IDS[0])
        told = {"outcome": "skipped", "reason": reason, "duration": 0, "attempts": 0}
        at = whereabouts(OLD_PHONE, number, instant)
        yield number, record(alike, told, at, subject, OLD_PHONE)


def sample(recorded: list[Record]) -> dict[int, Record]:
    """All records by the number of their exchange, in the order of their times."""
    shuffled = sorted(recorded, key=lambda each: chance(f"order {each['id']}", 1 << 60))
    left = {model: [e for e in shuffled if e["model"] == model] for model in (SMALL, BASE)}
    named = subjects(recorded)
    made: dict[int, Record] = {}
    for session in (*SESSIONS, BACKGROUND):
        queue = left[session.model]
        made.update(asked(queue[: session.asks], session, named))
        left[session.model] = queue[session.asks :]
    if any(left.values()):
        raise SystemExit("convert: there are more exchanges than the sessions ask for")
    made.update(skipped(recorded))
    return dict(sorted(made.items(), key=lambda item: item[1]["time"]))


def event(kind: str, label: str, after: Record, **more: Any) -> Record:
    """A fact line that names the evaluation that led to it, written just after its end."""
    instant = datetime.fromisoformat(after["time"]) + timedelta(seconds=after["duration"])
    instant += timedelta(microseconds=2_000 + chance(label, 40_000))
    head = {"v": 1, "type": kind, "id": uuid(label, 4), "time": written(instant)}
    session = {"session": after["session"]} if "session" in after else {}
    return {**head, "evaluation": after["id"], "subject": after["subject"], **session, **more}


def events(records: dict[int, Record]) -> Iterator[Record]:
    """What the features reported, the lists of what they may report, and the switched-off AI."""
    for number, after in records.items():
        if number in MISJUDGED:
            yield event("ai_suppressed", f"event {number}", after, miss_behavior=MISJUDGED[number])
        elif after["usage"] == TEXT:
            done = after["outcome"] == "completed"
            report = {"report": after["output"]} if done else {}
            status = "success" if done else "failure"
            yield event("form_inference", f"event {number}", after, status=status, **report)
    text = next(each for each in records.values() if each["usage"] == TEXT)
    categories = text["request"]["schema"]["properties"]["category"]["enum"]
    report = {"category": categories, "urgent": [True, False]}
    for field in FIELDS:
        head = {"v": 1, "type": "catalog", "id": uuid(f"catalog {field}", 4), "time": written(DAY)}
        yield {**head, "subject": field, "report": report}
    off = next(each for each in records.values() if each.get("reason") == "ai_disabled")
    instant = datetime.fromisoformat(off["time"])
    for on, seconds in ((False, -31), (True, 305)):
        switched = written(instant + timedelta(seconds=seconds))
        head = {"v": 1, "type": "gate", "id": uuid(f"gate {on}", 4), "time": switched}
        yield {**head, "on_device_ai": on}


def write(path: Path, lines: list[Record]) -> None:
    texts = (json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines)
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8", newline="\n")
    print(f"{path}: {len(lines)} lines")


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    records = sample(list(exchanges(Path(sys.argv[1]))))
    write(folder / "evaluations.ndjson", list(records.values()))
    write(folder / "events.ndjson", sorted(events(records), key=lambda fact: fact["time"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
