"""Seeded logs of awkward lines: ties, conflicts, long chains, clock changes, broken text."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

GAP = 30 * 60 * 1_000_000
DAY = 86_400_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
USAGES = ("in_app_message_suppression", "scene_text_input", "embedded_selection", "banner_mood")
# Both clock changes, a skipped date (Apia), before 1970, and an ordinary evening.
ANCHORS = (
    "2025-03-29T23:00:00",
    "2025-10-26T00:00:00",
    "2025-03-09T05:00:00",
    "2011-12-30T08:00:00",
    "1969-12-31T23:30:00",
    "2026-11-29T18:00:00",
)
AWKWARD = ("s", "=", "-", "'", 'a,"', "é\u2028", "e\u0301,", "\U0001f600")
EVALUATION = (
    b'{"v":1,"type":"evaluation","id":"00000000-0000-4000-8000-00000000abcd"'
    b',"time":"2026-11-29T10:00:00.000000Z","usage":"mood"'
)
BROKEN = (
    b"not json",
    b'{"v":1,"type":"evaluation"',
    b"[1,2]",
    b'"text"',
    b'{"v":1,"id":"x"}',
    b'{"v":1,"type":"evaluation","id":"zz","time":"2026-11-29T10:00:00.000000Z"}',
    b'{"v":1,"type":"evaluation","id":"\xff"}',
    EVALUATION + b',"outcome":"completed"}',
    EVALUATION + b',"outcome":"completed","attempts":1.5}',
    EVALUATION + b',"outcome":"exploded","attempts":1}',
    EVALUATION.replace(b"evaluation", b"form_inference") + b',"status":"success"}',
    b'{"v":1,"type":"gate","id":"0000000000004000800000000000abcd","time":"2026-11-29T10:00:00Z"}',
    b'{"v":1,"type":"later_type","id":"00000000-0000-4000-8000-000000000000"}',
    b'{"erased":true}',
    b'{"v":1,"erased":"true"}',
    b'{"v":1,"type":"gate","id":"x","erased":true}',
)


def written(us: int) -> str:
    return (EPOCH + timedelta(microseconds=us)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Workload:
    """Lines of facts; the same seed gives the same lines."""

    def __init__(self, seed: int, keys: int) -> None:
        self.random = Random(seed)
        self.lines: list[bytes] = []
        self.evaluations: list[dict[str, Any]] = []
        for _ in range(keys):
            self.add_key()
        for fact in self.evaluations:
            self.add_event(fact)
        self.add_log_gaps()
        self.add_copies()
        self.lines += self.random.choices(BROKEN, k=len(self.lines) // 100 + 1)
        self.random.shuffle(self.lines)

    def uuid(self) -> str:
        text = f"{self.random.getrandbits(128):032x}"
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def add(self, fact: dict[str, Any]) -> None:
        present = {name: value for name, value in fact.items() if value is not None}
        self.lines.append(json.dumps(present, separators=(",", ":"), ensure_ascii=False).encode())

    def add_key(self) -> None:
        """Evaluations of one (usage, subject, session), with gaps on and around every limit."""
        draw = self.random
        start = datetime.fromisoformat(draw.choice(ANCHORS)).replace(tzinfo=UTC)
        us = (start - EPOCH) // timedelta(microseconds=1) + draw.randrange(0, 6 * 3_600_000_000)
        usage = draw.choice(USAGES)
        subject = None if self.chance(0.05) else draw.choice(AWKWARD) + str(draw.randrange(12))
        session = None if self.chance(0.05) else self.uuid()
        first = us
        for _ in range(draw.choice((1, 2, 5, 5, 120))):
            self.add_evaluation(us, usage, subject, session)
            step = draw.choice((0, 1, 1_000, GAP // 3, GAP - 1, GAP, GAP, GAP, GAP + 1))
            us += step if not self.chance(0.05) else max(0, first + DAY - us - draw.randrange(2))

    def add_evaluation(self, us: int, usage: str, subject: str | None, session: str | None) -> None:
        draw = self.random
        outcome = draw.choice(("completed", "completed", "skipped", "failed", "cancelled"))
        attempts = 0 if outcome == "skipped" else draw.choice((0, 1, 1, 2, 3))
        invalid = self.chance(0.03)
        error = draw.choice(("timeout", "transport", "later"))
        fact = {
            "v": 1,
            "type": "evaluation",
            "id": self.uuid(),
            "time": written(us),
            "usage": usage,
            "subject": subject,
            "session": session,
            "model": draw.choice(("system/core", "bundled/x", "http://x", "é", None)),
            "os": draw.choice(("iOS 26.1", "iOS 26.2", None)),
            "device": draw.choice(("iPhone17,1", None)),
            "app": draw.choice(("4.2.0", "-1")),
            "outcome": outcome,
            "reason": draw.choice(("ai_disabled", "model_unavailable", "later"))
            if outcome == "skipped"
            else None,
            "detail": draw.choice(("not_enabled", "later", None)) if outcome == "skipped" else None,
            "error": error if outcome == "failed" else None,
            "duration_us": None if invalid else self.duration(),
            "duration_invalid": True if invalid else None,
            "attempts": attempts,
            "decoded": False if self.chance(0.02) else None,
            "assumed": ["time"] if self.chance(0.02) else None,
        }
        self.evaluations.append(fact)
        self.add(fact)
        if fact["assumed"]:
            self.add({**fact, "time": written(us + 7)})

    def duration(self) -> int:
        """Any size, with the edges of the bins among them."""
        power = 1 << self.random.randrange(37)
        around = power + self.random.choice((-1, 0, 1, self.random.randrange(power)))
        return min(max(around, 0), DAY)

    def add_event(self, fact: dict[str, Any]) -> None:
        us = (datetime.fromisoformat(fact["time"]) - EPOCH) // timedelta(microseconds=1)
        event = {
            "v": 1,
            "type": "",
            "id": self.uuid(),
            "time": written(us + self.random.randrange(3_600_000_000)),
            "evaluation": fact["id"],
            "subject": fact["subject"],
            "session": fact["session"],
        }
        if self.chance(0.4):
            self.add({**event, "type": "ai_suppressed", "miss_behavior": "skip"})
        if fact["usage"] == "scene_text_input" and self.chance(0.7):
            report = {"intent": self.random.choice(("billing", 'a"b', "-x")), "urgent": True}
            status = self.random.choice(("success", "failure"))
            shown = {} if status == "failure" else {"report": report}
            self.add({**event, "type": "form_inference", "status": status, **shown})

    def add_log_gaps(self) -> None:
        for refused in (12, 3):
            gap = {"v": 1, "type": "log_gap", "id": self.uuid(), "time": written(0)}
            self.add({**gap, "stream": "content", "refused": refused, "cause": "no_space"})
        self.add({"v": 1, "type": "gate", "id": self.uuid(), "time": written(5)})

    def add_copies(self) -> None:
        """Byte-identical duplicates, later and earlier conflicts, copies with another time."""
        for line in self.random.sample(self.lines, len(self.lines) // 10):
            self.lines.append(line)
            fact = json.loads(line)
            if self.chance(0.3):
                self.add({**fact, "subject": "elsewhere"})
            if self.chance(0.3):
                self.add({**fact, "time": written(self.random.choice((0, 2**50)))})

    def write(self, log: Path, files: int = 3) -> None:
        """Writes the log as gzip files of several members, the last of them empty."""
        (log / "facts").mkdir(parents=True)
        for number in range(files):
            mine = self.lines[number::files]
            halves = mine[: len(mine) // 2], mine[len(mine) // 2 :]
            members = [b"".join(line + b"\n" for line in half) for half in halves]
            content = b"".join(gzip.compress(member, mtime=0) for member in (*members, b""))
            (log / "facts" / f"{number}.facts.ndjson.gz").write_bytes(content)
