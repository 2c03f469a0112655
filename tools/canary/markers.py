"""What a marker looks like, however somebody may have written it down."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from random import Random

PREFIX = b"vq7zcanary"
"""Every marker begins so; two letters that tell where it was planted, and twelve others, follow."""

NUMBER_PREFIX = b"7317319"
"""The first of the fifteen digits of every planted number."""

MARKER = re.compile(PREFIX + rb"[a-z]{2}[a-z2-7]{12}")
NUMBER = re.compile(NUMBER_PREFIX + rb"[0-9]{8}")

KINDS = {
    b"in": "instructions",
    b"sd": "schema descriptions",
    b"sk": "schema keys and choices",
    b"cx": "context",
    b"ut": "user text",
    b"ok": "output keys",
    b"ov": "output values",
    b"er": "error text",
    b"ne": "nested errors",
    b"hb": "HTTP bodies",
    b"hh": "HTTP response headers",
    b"rh": "HTTP request headers",
    b"ur": "URLs",
    b"ky": "keys of servers",
    b"rs": "skip reasons",
    b"id": "identifiers of the wrong form",
    b"ex": "extras",
    b"hi": "hints",
    b"bd": "descriptions of banners",
    b"mn": "names of messages",
    b"uk": "unknown keys of imported lines",
    b"te": "what tests expect",
}
NUMBERS = "output numbers"

KEPT = {b"in", b"sd", b"sk", b"cx", b"ok", b"ov", b"er", b"ne", b"rs", b"te", NUMBER_PREFIX[:2]}
"""The kinds that content keeps; of the others it has at most what stood in an error."""

UNHEARD = {b"hi", b"id", b"uk"}
"""The kinds that no model and no server gets to see, and no content keeps."""


@dataclass(frozen=True)
class Needle:
    """The first characters of a marker in one way of writing."""

    how: str
    text: bytes
    folds: bool
    """Whether upper and lower case mean the same in it."""
    whole: re.Pattern[bytes] | None = None
    """All of the marker, where the first characters alone are met by chance."""

    def place_in(self, data: bytes, folded: bytes) -> int:
        """Where it stands in the data, -1 if nowhere; `folded` is the same in lower case."""
        text = folded if self.folds else data
        place = text.find(self.text)
        if place < 0 or not self.whole:
            return place
        match = self.whole.search(text)
        return match.start() if match else -1


def _base64(start: bytes) -> list[bytes]:
    """The characters that these bytes always give, at each of the three places in a group."""
    found = []
    for before in range(3):
        written = base64.b64encode(b"\0" * before + start)
        first = (before * 8 + 5) // 6
        last = (before + len(start)) * 8 // 6
        found.append(written[first:last])
    return found


def _needles() -> list[Needle]:
    needles = []
    # Ids and times are full of digits, but none has so many in a row.
    numbers = {
        NUMBER_PREFIX: NUMBER,
        NUMBER_PREFIX[::-1]: re.compile(rb"[0-9]{8}" + NUMBER_PREFIX[::-1]),
    }
    for start in (PREFIX, NUMBER_PREFIX):
        for order, text in (("", start), ("reversed ", start[::-1])):
            needles.append(Needle(f"{order}plain", text, True, numbers.get(text)))
            needles.append(Needle(f"{order}hex", text.hex().encode(), True))
            needles.append(Needle(f"{order}UTF-16", text.decode().encode("utf-16-le"), True))
            for cased in {text, text.upper()}:
                needles += [Needle(f"{order}base64", part, False) for part in _base64(cased)]
    return needles


NEEDLES = _needles()


def found_in(data: bytes) -> set[bytes]:
    """Every marker and planted number that stands there as it is."""
    return set(MARKER.findall(data)) | set(NUMBER.findall(data))


class Planter:
    """Makes markers as tools/canary/canary does, and keeps what it made."""

    LETTERS = "abcdefghijklmnopqrstuvwxyz234567"

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.planted: list[bytes] = []

    def mark(self, kind: str) -> str:
        made = PREFIX.decode() + kind + "".join(self.random.choices(self.LETTERS, k=12))
        self.planted.append(made.encode())
        return made

    def text(self, kind: str) -> str:
        made = f'{self.mark(kind)} said "no",\n\\ then {self.mark(kind)}'
        self.planted.append(made.encode())
        return made

    def number(self) -> int:
        made = int(NUMBER_PREFIX) * 10**8 + self.random.randrange(10**8)
        self.planted.append(str(made).encode())
        return made
