"""Looks for markers in any bytes, plain and in every encoding that a careless writer may use."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from markers import NEEDLES

DEPTH = 3
"""How many encodings around each other are undone: percent-encoded within gzip within hex."""

CRC_CHANCE = 3
"""A sum or a size is the checksum of a planted text by chance once in a few runs, for 32 bits are
few. So many times the square root of what chance gives, and so many more, count as a leak."""

LOOSE = ("decimal CRC-32", "CRC-32 of digits alone")
"""Checksums that look like numbers of another kind."""


@dataclass(frozen=True)
class Hit:
    artefact: str
    how: str
    offset: int


# Undoing encodings


def joined(data: bytes) -> Iterator[bytes]:
    """Without line breaks and blanks, as they are and escaped."""
    yield re.sub(rb"\\[nrt]", b"", data).translate(None, b" \t\r\n\v\f")


_ESCAPE = re.compile(
    rb"\\u\{?([0-9A-Fa-f]{2,6})\}?|\\x([0-9A-Fa-f]{2})|[%=]([0-9A-Fa-f]{2})"
    rb"|&#x([0-9A-Fa-f]{1,6});|&#([0-9]{1,7});|\\([0-7]{3})|\\(\\)|\\([nrt])"
)


def _unescaped(match: re.Match[bytes]) -> bytes:
    braced, byte, percent, entity, decimal, octal, backslash, _ = match.groups()
    code = 0x5C if backslash else 0x20
    for digits, base in ((braced, 16), (byte, 16), (percent, 16), (entity, 16), (decimal, 10)):
        if digits:
            code = int(digits, base)
    if octal:
        code = int(octal, 8)
    try:
        return chr(code).encode() if code > 0xFF else bytes([code])
    except (UnicodeEncodeError, ValueError):
        return match.group()


def unescaped(data: bytes) -> Iterator[bytes]:
    """With JSON's, C's, HTML's, URLs' and mail's escapes undone."""
    text, count = _ESCAPE.subn(_unescaped, data)
    if count:
        yield text


def _inflated(data: bytes, start: int, wbits: int) -> tuple[bytes, int]:
    """What is compressed there, as far as it goes, and where it ends if it does."""
    length = 1 << 18
    while True:
        # What is left over gets copied, so a reader gets little more than it needs.
        piece = memoryview(data)[start : start + length]
        reader = zlib.decompressobj(wbits)
        try:
            text = reader.decompress(piece)
        except zlib.error:
            return b"", start + 1
        if reader.eof:
            return text, start + len(piece) - len(reader.unused_data)
        if start + length >= len(data):
            return text, start + 1
        length *= 8


def _all_inflated(data: bytes, magic: bytes, wbits: int) -> Iterator[bytes]:
    place = data.find(magic)
    while place >= 0:
        text, end = _inflated(data, place, wbits)
        yield text
        place = data.find(magic, end)


def inflated(data: bytes) -> Iterator[bytes]:
    """Gzip members, one after the other or anywhere; and what zlib compressed."""
    parts = list(_all_inflated(data, b"\x1f\x8b\x08", zlib.MAX_WBITS | 16))
    if not parts:
        for magic in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"):
            parts += _all_inflated(data, magic, zlib.MAX_WBITS)
    if any(parts):
        yield b"".join(parts)


_BASE64_GZIP = re.compile(rb"(?:H4sI|eA[E-H]|eF[4-7]|eJ[w-z]|eN[o-r])[A-Za-z0-9+/_-]{8,}")
_HEX_GZIP = re.compile(rb"1f8b08[0-9a-f]{20,}", re.IGNORECASE)


def packed(data: bytes) -> Iterator[bytes]:
    """Compressed bytes that were then written as text."""
    for match in _BASE64_GZIP.finditer(data):
        text = match.group().translate(bytes.maketrans(b"-_", b"+/"))
        yield base64.b64decode(text[: len(text) // 4 * 4] + b"====", validate=False)
    for match in _HEX_GZIP.finditer(data):
        yield bytes.fromhex(match.group()[: len(match.group()) // 2 * 2].decode())


_DECODERS: list[tuple[str, Callable[[bytes], Iterator[bytes]]]] = [
    ("unescaped", unescaped),
    ("inflated", inflated),
    ("unpacked", packed),
]


def views(data: bytes, depth: int = DEPTH) -> Iterator[tuple[str, bytes]]:
    """The bytes with and without encodings, each with the way to it."""
    yield "", data
    if depth == 0:
        return
    for name, decode in _DECODERS:
        for decoded in decode(data):
            if decoded and decoded != data:
                for way, view in views(decoded, depth - 1):
                    yield f"{name} {way}", view


# Digests

_WORD = re.compile(rb"[\w+/.-]{8,}", re.ASCII)
_UUID = re.compile(rb"(?<![0-9A-Za-z])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_HEX = re.compile(rb"[0-9A-Fa-f]{16,}")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{22,}|^[\w-]{22}$|^[\w-]{43}$", re.ASCII)
# Eight digits without a letter are a number much more often than a checksum.
_CRC = re.compile(
    rb"0x([0-9A-Fa-f]{8})|(?=[0-9]*[A-Fa-f])([0-9A-Fa-f]{8})|([0-9]{8})|([1-9][0-9]{8,9})"
)

_ALPHABET = bytes.maketrans(b"-_", b"+/")


def _key(digest: bytes) -> int:
    """48 bits: as many as a UUID leaves untouched at its beginning."""
    return int.from_bytes(digest[:6], "big")


_met: set[bytes] = set()
"""Words that have been taken: artefacts repeat each other."""


@dataclass
class Tokens:
    """Everything in artefacts that has the shape of a digest, by its first 48 bits."""

    digests: dict[int, set[tuple[bytes, bool]]] = field(default_factory=dict)
    crcs: dict[str, dict[int, str]] = field(
        default_factory=lambda: {name: {} for name in ("CRC-32", *LOOSE)}
    )
    artefacts: dict[bytes, str] = field(default_factory=dict)

    def take(self, artefact: str, data: bytes) -> None:
        """Takes what has the shape of a digest, but for words that this process has met before."""
        words = set(_WORD.findall(data)) - _met
        _met.update(words)
        for word in words:
            self._take(artefact, word)

    def _take(self, artefact: str, word: bytes) -> None:
        for text in _UUID.findall(word):
            self._add(bytes.fromhex(text.replace(b"-", b"").decode()), True, artefact)
        for text in _HEX.findall(word):
            self._add(bytes.fromhex(text[: len(text) // 2 * 2].decode()), False, artefact)
        for text in _BASE64.findall(word) if len(word) >= 22 else ():
            bits = text.translate(_ALPHABET)
            try:
                digest = base64.b64decode(bits[: len(bits) // 4 * 4])
            except binascii.Error:
                continue
            self._add(digest, False, artefact)
        if match := _CRC.fullmatch(word):
            marked, lettered, digits, decimal = match.groups()
            if decimal:
                self.crcs["decimal CRC-32"].setdefault(int(decimal), artefact)
            else:
                name = "CRC-32 of digits alone" if digits else "CRC-32"
                text = marked or lettered or digits
                self.crcs[name].setdefault(int(text, 16), artefact)

    def _add(self, digest: bytes, is_uuid: bool, artefact: str) -> None:
        self.digests.setdefault(_key(digest), set()).add((digest, is_uuid))
        self.artefacts.setdefault(digest, artefact)

    def merge(self, other: Tokens) -> None:
        for key, found in other.digests.items():
            self.digests.setdefault(key, set()).update(found)
        for name, found in other.crcs.items():
            self.crcs[name] = found | self.crcs[name]
        self.artefacts = other.artefacts | self.artefacts

    def judge(self, texts: Iterable[bytes], with_crc: bool = True) -> list[Hit]:
        """The tokens that are digests of one of the texts."""
        hits = []
        for text in texts:
            for name, make in (("MD5", hashlib.md5), ("SHA-256", hashlib.sha256)):
                digest = make(text, usedforsecurity=False).digest()
                for token, is_uuid in self.digests.get(_key(digest), ()):
                    if _is_same(digest, token, is_uuid):
                        hits.append(Hit(self.artefacts[token], name, 0))
            if not with_crc:
                continue
            crc = zlib.crc32(text)
            for name, found in self.crcs.items():
                if crc in found:
                    hits.append(Hit(found[crc], name, 0))
        return hits

    def without_chance(self, hits: list[Hit], text_count: int) -> tuple[list[Hit], list[Hit]]:
        """The hits apart from those few that sums and sizes give by chance, and these."""
        by_chance = set()
        for name in LOOSE:
            expected = len(self.crcs[name]) * text_count / 2**32
            found_count = sum(hit.how == name for hit in hits)
            if found_count < expected + CRC_CHANCE * expected**0.5 + CRC_CHANCE:
                by_chance.add(name)
        return (
            [hit for hit in hits if hit.how not in by_chance],
            [hit for hit in hits if hit.how in by_chance],
        )


def _is_same(digest: bytes, token: bytes, is_uuid: bool) -> bool:
    if is_uuid:
        # Version and variant take six bits of their own.
        masks = {6: 0x0F, 8: 0x3F}
        return all((token[i] ^ digest[i]) & masks.get(i, 0xFF) == 0 for i in range(16))
    length = min(len(digest), len(token))
    return length >= 8 and digest[:length] == token[:length]


# One artefact


def forget() -> None:
    """Begins anew: words that were met before count again."""
    _met.clear()


def look(artefact: str, data: bytes) -> tuple[list[Hit], Tokens]:
    """The markers that stand in it, in whatever way, and what has the shape of a digest."""
    hits = []
    tokens = Tokens()
    for way, view in views(data):
        for how, text in (("", view), ("joined ", next(joined(view)))):
            tokens.take(artefact, text)
            folded = text.lower()
            for needle in NEEDLES:
                place = needle.place_in(text, folded)
                if place >= 0:
                    hits.append(Hit(artefact, f"{way}{how}{needle.how}", place))
    return hits, tokens
