"""Writers that leak on purpose, one for each way of encoding: the search must find each."""

from __future__ import annotations

import base64
import gzip
import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote_from_bytes

from search import Hit, Tokens, forget, look

Encode = Callable[[bytes], bytes]


def _chunks(text: bytes, size: int) -> list[bytes]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def _at(offset: int, encode: Encode) -> Encode:
    """The encoding of the text in the middle of others, where it begins anywhere in a group."""
    return lambda text: encode(b"~" * offset + text + b"~")


ENCODINGS: dict[str, Encode] = {
    "plain": lambda text: text,
    "in upper case": bytes.upper,
    "reversed": lambda text: text[::-1],
    "reversed in upper case": lambda text: text[::-1].upper(),
    "JSON escapes": lambda text: b"".join(b"\\u%04x" % byte for byte in text),
    "JSON escapes, twice": lambda text: b"".join(b"\\\\u%04x" % byte for byte in text),
    "C escapes": lambda text: b"".join(b"\\x%02x" % byte for byte in text),
    "octal escapes": lambda text: b"".join(b"\\%03o" % byte for byte in text),
    "HTML entities": lambda text: b"".join(b"&#%d;" % byte for byte in text),
    "percent": lambda text: b"".join(b"%%%02X" % byte for byte in text),
    "percent, twice": lambda text: b"".join(b"%%25%02x" % byte for byte in text),
    "percent where needed": lambda text: quote_from_bytes(b"http://a b/" + text).encode(),
    "quoted-printable": lambda text: b"".join(b"=%02X" % byte for byte in text),
    "base64": base64.b64encode,
    "base64, one byte on": _at(1, base64.b64encode),
    "base64, two bytes on": _at(2, base64.b64encode),
    "base64 for URLs": _at(2, base64.urlsafe_b64encode),
    "base64 of upper case": lambda text: base64.b64encode(text.upper()),
    "base64 in lines": lambda text: b"\n".join(_chunks(base64.b64encode(text), 7)),
    "hex": lambda text: text.hex().encode(),
    "hex in upper case": lambda text: text.hex().upper().encode(),
    "hex in pairs": lambda text: text.hex(" ").encode(),
    "UTF-16": lambda text: text.decode().encode("utf-16"),
    "line breaks": lambda text: b"\r\n".join(_chunks(text, 5)),
    "folded lines": lambda text: b"\n    ".join(_chunks(text, 9)),
    "escaped line breaks": lambda text: b"\\n".join(_chunks(text, 5)),
    "gzip": lambda text: gzip.compress(text * 3, mtime=0),
    "zlib": lambda text: zlib.compress(text * 3),
    "gzip in base64": lambda text: base64.b64encode(gzip.compress(text, mtime=0)),
    "gzip in hex": lambda text: gzip.compress(text, mtime=0).hex().encode(),
}


def _md5(text: bytes) -> bytes:
    return hashlib.md5(text, usedforsecurity=False).digest()


def _sha256(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()


def _uuid(digest: bytes) -> bytes:
    """As those who want an id of a text make it: version 5 or 8, variant 2."""
    made = bytearray(digest[:16])
    made[6] = made[6] & 0x0F | 0x80
    made[8] = made[8] & 0x3F | 0x80
    text = made.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:])).encode()


DIGESTS: dict[str, Encode] = {
    "MD5": lambda text: _md5(text).hex().encode(),
    "MD5 in base64": lambda text: base64.b64encode(_md5(text)),
    "MD5 as a UUID": lambda text: _uuid(_md5(text)),
    "SHA-256": lambda text: _sha256(text).hex().upper().encode(),
    "SHA-256, half of it": lambda text: _sha256(text).hex()[:32].encode(),
    "SHA-256 in base64 for URLs": lambda text: base64.urlsafe_b64encode(_sha256(text)).rstrip(b"="),
    "SHA-256 as a UUID": lambda text: _uuid(_sha256(text)),
    "SHA-256 in lines": lambda text: b"\\n".join(_chunks(_sha256(text).hex().encode(), 9)),
    "MD5 as a UUID in lines": lambda text: b"\\r\\n".join(_chunks(_uuid(_md5(text)), 7)),
    "SHA-256 in base64 in lines": lambda text: b"\\n".join(
        _chunks(base64.b64encode(_sha256(text)), 8)
    ),
    "CRC-32": lambda text: b"%08x" % zlib.crc32(text),
    "CRC-32 with 0x": lambda text: b"0x%08X" % zlib.crc32(text),
    "CRC-32 in decimal": lambda text: b"%d" % zlib.crc32(text),
}


@dataclass(frozen=True)
class Planted:
    """What there is to leak."""

    markers: list[bytes]
    prompts: list[bytes]
    lines: list[bytes]


def _leaking(lines: list[bytes], leak: list[bytes]) -> bytes:
    """An artefact in which every third line has a leak as its subject, in gzip as a segment is."""
    out = []
    for number, line in enumerate(lines):
        text = line
        if number % 3 == 0 and leak:
            text = line[:-1] + b',"note":"' + leak[number // 3 % len(leak)] + b'"}'
        out.append(text)
    return gzip.compress(b"\n".join(out) + b"\n", mtime=0)


def missed(planted: Planted, lines: list[bytes]) -> tuple[int, list[str]]:
    """Plants every leak among real lines of facts; how many there were, and which were not found.

    The lines themselves must have none, or nothing would be shown.
    """
    clean, tokens = look("clean", _leaking(lines, []))
    everything = [*planted.markers, *planted.prompts, *planted.lines]
    if clean or _judged(tokens, everything):
        return 0, ["the lines to plant in have a leak of their own"]
    count = 0
    misses = []
    number = next(marker for marker in planted.markers if marker.isdigit())
    text = next(marker for marker in planted.markers if not marker.isdigit())
    for what, marker in (("a marker", text), ("a number", number)):
        for how, encode in ENCODINGS.items():
            count += 1
            hits, _ = look(how, _leaking(lines, [encode(marker)]))
            if not hits:
                misses.append(f"{what}: {how}")
    kinds = {"markers": planted.markers, "prompts": planted.prompts, "lines": planted.lines}
    for what, texts in kinds.items():
        # Those whose checksum has its full length, as nearly all have.
        leaked = [text for text in texts if zlib.crc32(text) >= 1 << 28][:8]
        for how, encode in DIGESTS.items():
            count += 1
            if not _is_found(leaked, encode, lines, texts):
                misses.append(f"digests of {what}: {how}")
    # One in forty checksums is made of digits alone.
    numbered = [b"%s %d" % (text, number) for number in range(1_000)]
    leaked = [text for text in numbered if (b"%08x" % zlib.crc32(text)).isdigit()][:8]
    count += 1
    if not _is_found(leaked, DIGESTS["CRC-32"], lines, numbered):
        misses.append("CRC-32 of digits alone")
    return count, misses


def _is_found(leaked: list[bytes], encode: Encode, lines: list[bytes], texts: list[bytes]) -> bool:
    forget()
    _, tokens = look("leak", _leaking(lines, [encode(text) for text in leaked]))
    return bool(_judged(tokens, texts))


def _judged(tokens: Tokens, texts: list[bytes]) -> list[Hit]:
    hits, _ = tokens.without_chance(tokens.judge(texts), len(texts))
    return hits
