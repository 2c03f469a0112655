"""Files for `evalog import` with markers wherever a record, or a hostile hand, can put text."""

from __future__ import annotations

import json
import uuid
from typing import Any

from markers import Planter

Line = dict[str, Any]


def _nested(planter: Planter, levels: int) -> Any:
    value: Any = planter.number()
    for level in range(levels):
        value = [value] if level % 2 else {planter.mark("ok"): value}
    return value


def _id(planter: Planter, fitting: str) -> str:
    return planter.text("id") if planter.random.random() < 0.3 else fitting


def _uuid(planter: Planter) -> str:
    return str(uuid.UUID(int=planter.random.getrandbits(128), version=4))


def _common(planter: Planter) -> Line:
    random = planter.random
    return {
        "usage": _id(planter, "canary_import"),
        "subject": _id(planter, f"canary-subject-{random.randrange(20)}"),
        "session": _id(planter, _uuid(planter)),
        "model": _id(planter, "canary-model"),
        "os": _id(planter, "iOS 26.3"),
        "device": _id(planter, "iPhone18,3"),
        "app": _id(planter, "5.0.0"),
        "attempts": random.randrange(1, 4),
        planter.mark("uk"): {planter.mark("uk"): planter.text("uk")},
    }


def record(planter: Planter) -> Line:
    """An evaluation record as an app writes it."""
    random = planter.random
    endings: list[Line] = [
        {"outcome": "completed", "output": {planter.mark("ok"): planter.text("ov")}},
        {"outcome": {"completed": _nested(planter, 58)}},
        {"outcome": "failed", "error": planter.text("er"), "error_class": planter.text("er")},
        {"outcome": {"failed": {"error": planter.text("ne")}}},
        {"outcome": "skipped", "reason": planter.text("rs"), "detail": planter.text("rs")},
        {"outcome": "cancelled"},
    ]
    context = [{"content": planter.text("cx"), "priority": random.random()} for _ in range(2)]
    line = _common(planter) | random.choice(endings)
    line["duration"] = random.randrange(3000) / 1000
    line["request"] = {
        "instructions": planter.text("in"),
        "schema": {"type": "object", "description": planter.text("sd"), planter.mark("sk"): 1},
        "context": {"items": context, planter.mark("uk"): planter.text("uk")},
    }
    if random.random() < 0.3:
        line["id"] = _id(planter, _uuid(planter))
    if random.random() < 0.8:
        line["time"] = f"2026-11-29T{random.randrange(24):02}:00:00Z"
    return line


def fact(planter: Planter) -> Line:
    """A fact by somebody who does not keep to its forms."""
    random = planter.random
    head = {"v": 1, "id": _uuid(planter), "time": "2026-11-29T10:00:00.5Z"}
    words = planter.text("er")
    kinds: list[Line] = [
        _common(planter) | {"type": "evaluation", "outcome": words, "duration_us": 5},
        _common(planter) | {"type": "evaluation", "outcome": "failed", "error": words},
        _common(planter) | {"type": "evaluation", "outcome": "skipped", "reason": words},
        {
            "type": "ai_suppressed",
            "evaluation": _uuid(planter),
            "subject": planter.text("id"),
            "session": planter.text("id"),
            "miss_behavior": words,
        },
        {
            "type": "form_inference",
            "evaluation": _uuid(planter),
            "subject": planter.text("id"),
            "status": words,
        },
        {"type": "log_gap", "stream": words, "refused": 3, "cause": words},
    ]
    line = random.choice(kinds)
    line[planter.mark("uk")] = planter.number()
    return head | line


def broken(planter: Planter) -> bytes:
    """A line that cannot be read, whose reason must not quote it."""
    whole = json.dumps(record(planter)).encode()
    number = planter.random.randrange(6)
    return [
        whole[: len(whole) // 2],
        b"\xff" + whole,
        planter.text("er").replace("\n", " ").encode(),
        whole[:-1] + b',"usage":"' + planter.mark("id").encode() + b'"}',
        json.dumps(record(planter) | {"outcome": [planter.text("er")]}).encode(),
        json.dumps(fact(planter) | {"time": planter.text("er")}).encode(),
    ][number]


def files(planter: Planter, count: int) -> dict[str, bytes]:
    """So many records, half as many facts and some broken lines, by the name of a file."""
    lines = {
        "records.ndjson": [json.dumps(record(planter)).encode() for _ in range(count)],
        "facts.ndjson": [json.dumps(fact(planter)).encode() for _ in range(count // 2)],
        "broken.ndjson": [broken(planter) for _ in range(30)],
    }
    return {name: b"\n".join(texts) + b"\n" for name, texts in lines.items()}
