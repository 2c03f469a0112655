"""What the person asked for: the rules that change numbers, parsed once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SECOND_US = 1_000_000
UNITS_US = {
    "ms": 1_000,
    "s": SECOND_US,
    "m": 60 * SECOND_US,
    "h": 3_600 * SECOND_US,
    "d": 86_400 * SECOND_US,
}
CALENDAR = ("day", "week", "month")
GROUPABLE = ("usage", "model", "os", "device", "app", "subject")
DEFAULT_GAP = "30m"
DEFAULT_GAPS = {"in_app_message_suppression": 0}


class SettingError(Exception):
    """A flag's value that means nothing; the message says what would."""


def microseconds(text: str) -> int:
    """`90s`, `30m`, `1h`, `1d`, `500ms` and the bare `0`, as µs."""
    if text == "0":
        return 0
    match = re.fullmatch(r"(\d+)(ms|s|m|h|d)", text)
    if not match:
        raise SettingError(f"{text} is no duration; write 90s, 30m, 1h or 1d")
    return int(match[1]) * UNITS_US[match[2]]


@dataclass(frozen=True)
class Settings:
    """One way to count a log. `window` is a calendar name or a duration."""

    window: str = "1h"
    timezone: str = "UTC"
    by: tuple[str, ...] = ("usage", "model", "os")
    gaps: dict[str | None, int] = field(default_factory=lambda: gaps_of([]))
    max_groups: int = 2_000

    @property
    def window_us(self) -> int | None:
        """The width of a fixed window; None for a calendar window."""
        return None if self.window in CALENDAR else microseconds(self.window)


def gaps_of(flags: list[str]) -> dict[str | None, int]:
    """The gap of each usage, in µs; the key None holds that of all usages not named.

    `30m` sets all of them, `usage=10m` one, whatever the order of the flags.
    """
    named = [flag.partition("=") for flag in flags if "=" in flag]
    general = [microseconds(flag) for flag in flags if "=" not in flag]
    gaps: dict[str | None, int] = {None: microseconds(DEFAULT_GAP), **DEFAULT_GAPS}
    if general:
        gaps = {None: general[-1]}
    return gaps | {usage: microseconds(gap) for usage, _, gap in named}


def group_columns(text: str) -> tuple[str, ...]:
    """The columns of `--by`, in the order asked for."""
    columns = tuple(text.split(","))
    for column in columns:
        if column not in GROUPABLE:
            raise SettingError(f"--by {column} is no column; there are {', '.join(GROUPABLE)}")
    return columns
