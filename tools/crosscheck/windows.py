"""Calendar windows: where the days, weeks and months of a time zone begin, in UTC."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)


def microseconds_of(instant: datetime) -> int:
    return (instant - EPOCH) // timedelta(microseconds=1)


def first_instant(day: date, zone: ZoneInfo) -> datetime | None:
    """The earliest instant whose local date is `day`; None if the zone skipped that date.

    Midnight itself may not exist (the clock jumps over it) or come twice (then the first counts).
    """
    midnight = datetime.combine(day, time(), zone).astimezone(UTC)
    local = midnight.astimezone(zone)
    if (local.date(), local.time()) == (day, time()):
        return midnight
    before, at = midnight - 2 * DAY, midnight + 2 * DAY
    while at - before > SECOND:
        middle = before + (at - before) // 2
        middle -= timedelta(microseconds=middle.microsecond)
        if middle.astimezone(zone).date() < day:
            before = middle
        else:
            at = middle
    return at if at.astimezone(zone).date() == day else None


def beginning(day: date, kind: str) -> date:
    """The date on which the `day`, `week` or `month` around a date begins."""
    if kind == "week":
        return day - DAY * day.weekday()
    return day.replace(day=1) if kind == "month" else day


def following(first: date, kind: str) -> date:
    """The date on which the next window begins; `first` is a beginning."""
    if kind == "month":
        return beginning(first + 31 * DAY, "month")
    return first + (7 * DAY if kind == "week" else DAY)


def edge(day: date, zone: ZoneInfo) -> int:
    """Where the window of a beginning starts, in µs; a date that does not exist gives the next."""
    while (instant := first_instant(day, zone)) is None:
        day += DAY
    return microseconds_of(instant)


def calendar_windows(days: Iterable[int], kind: str, zone: ZoneInfo) -> list[tuple[int, int]]:
    """The windows around the given UTC days (counted from 1970), as (start, end) in µs.

    A date that the zone skipped has no window of its own.
    """
    firsts = {
        beginning((EPOCH + day * DAY).date() + shift * DAY, kind)
        for day in days
        for shift in (-1, 0, 1)
    }
    pairs = {(edge(first, zone), edge(following(first, kind), zone)) for first in firsts}
    return sorted((start, end) for start, end in pairs if start < end)
