"""Fact lines with a text of the wrong shape, or a number out of its range, in each member.

What `evalog export` replaces, leaves out and counts Spark must replace, leave out and count. Each
line of an evaluation stands there twice, since duplicates count as lines.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator

SESSION = "0193a0c0-0000-7000-8000-000000000000"
DIGEST = "~" + "0" * 32
TEXTS = ("", "x y", "a@b", "ftp://x", "é", "A\u00a0b", "tab\tx", "line\n", DIGEST, "z" * 200)
WRONG: dict[str, tuple[object, ...]] = {
    "usage": (*TEXTS, "Usage", "1st", "a" * 65),
    "model": (*TEXTS, "https://h/key", "m" * 65),
    "os": (*TEXTS, "iOS 1.2.3.4.5", "iOS ", "ios 26", "iOS 1.", "iOS 26.1\n", "iOS " + "1" * 40),
    "device": (*TEXTS, "Annas", "1iPhone", "d1" * 17),
    "app": (*TEXTS, "1.0 beta", "9" * 33),
    "subject": (*TEXTS, "é" * 65, "\u0085", "s" * 128, "s" * 129),
    "session": (*TEXTS, SESSION.upper(), "~" + "A" * 32, SESSION + "0"),
    "reason": ("bored", "no_model", ""),
    "error": ("oops", "timeout", ""),
    "detail": ("why", "missing_model"),
    "attempts": (-1, 1_000_000, 1_000_001),
    "duration_us": (-1, 86_400_000_000, 86_400_000_001),
    "outcome": ("lost", ""),
    "id": ("", "0193a0c0"),
    "time": ("", "yesterday"),
}


def lines() -> Iterator[dict[str, object]]:
    number = 0
    for outcome in ("completed", "skipped", "failed"):
        for member, values in WRONG.items():
            for value in values:
                number += 1
                fact: dict[str, object] = {
                    "v": 1, "type": "evaluation", "id": str(uuid.UUID(int=number)),
                    "time": f"2026-03-0{1 + number % 7}T10:{number % 60:02}:00Z",
                    "usage": "odd", "subject": "s", "session": SESSION, "model": "m",
                    "os": "iOS 26.1", "device": "iPhone17,1", "app": "1.0", "outcome": outcome,
                    "duration_us": 1000 + number, "attempts": 1,
                }  # fmt: skip
                fact[member] = value
                yield fact
                yield fact
    for kind in ("ai_suppressed", "form_inference"):
        for member in ("subject", "session"):
            for value in WRONG[member]:
                number += 1
                yield {
                    "v": 1, "type": kind, "id": str(uuid.UUID(int=number)),
                    "time": "2026-03-01T10:00:00Z", "evaluation": str(uuid.UUID(int=1)),
                    "subject": "s", "session": SESSION, "status": "failure",
                    "miss_behavior": "skip", member: value,
                }  # fmt: skip


if __name__ == "__main__":
    for line in lines():
        print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
