"""Reads exported pages in a real browser and holds them against the CSV of the same log.

check.py EVALOG LOG EMPTY SINGLE SCRATCH
"""

from __future__ import annotations

import sys
from collections import Counter
from datetime import datetime
from pathlib import Path

from exports import ALL_TIME, OUTCOMES, Export, evaluation_cells, millionths, rows
from page import Opened, chromium, demand
from playwright.sync_api import Browser

POINT_COUNT_MAX = 240
DIMENSIONS = ("usage", "model", "os")
SIDES = ("iOS 26.0", "iOS 26.1")


def same(what: str, shown: object, expected: object) -> None:
    if shown != expected:
        sys.exit(f"browser: {what}: the page shows {shown}, the CSV has {expected}")


def number(cell: str) -> int | None:
    return int(cell) if cell else None


def check_texts(opened: Opened) -> None:
    """What people read is what was compared."""
    tiles = opened.tiles()
    same("evaluations", opened.text("evaluations"), f"{tiles['evaluations']:,}")
    hundredths = (tiles["failure-rate"] + 50) // 100
    same("failure rate", opened.text("failure-rate"), f"{hundredths / 100:.2f} %")
    p95 = tiles["p95"]
    text = f"{half_up(p95, 1_000)} ms" if p95 < 999_500 else f"{half_up(p95, 10_000) / 100:.2f} s"
    same("p95", opened.text("p95"), text)


def half_up(value: int, unit: int) -> int:
    return (2 * value + unit) // (2 * unit)


def check_filters(opened: Opened, export: Export) -> int:
    """Each value of each filter, and two filters at once."""
    same("tiles", opened.tiles(), export.total())
    checked = 0
    for dimension in DIMENSIONS:
        for name in filter(None, opened.names(dimension)[:6]):
            opened.choose(dimension, name)
            same(f"{dimension} {name}", opened.tiles(), export.total(f"--{dimension}", name))
            checked += 1
        opened.choose(dimension, None)
    pair = {dimension: opened.names(dimension)[-1] for dimension in ("usage", "os")}
    flags = []
    for dimension, name in pair.items():
        opened.choose(dimension, name)
        flags += [f"--{dimension}", name]
    same(f"{pair}", opened.tiles(), export.total(*flags))
    # The choice stands in the address and survives that the page is loaded again.
    before = opened.tiles()
    opened.page.reload()
    same("after loading again", opened.tiles(), before)
    opened.page.click("button[type=reset]")
    same("after showing all", opened.tiles(), export.total())
    return checked + 1


def check_groups(opened: Opened, export: Export) -> int:
    folder = export.run("--window", ALL_TIME)
    expected = {
        group_of(row): evaluation_cells(row) | {"retried": int(row["retried"]), "impressions": 0}
        for row in rows(folder, "evaluations")
    }
    for row in rows(folder, "impressions"):
        expected[group_of(row)]["impressions"] += int(row["impressions"])
    shown = {
        group_of(row): {key: number(row[key]) for key in next(iter(expected.values()))}
        for row in opened.table("groups")
    }
    same("groups", shown, expected)
    return len(shown)


def group_of(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[dimension] for dimension in DIMENSIONS)


def check_causes(opened: Opened, export: Export) -> int:
    folder = export.run("--window", ALL_TIME, "--by", "none")
    expected = {
        (row["outcome"], row["reason"], row["detail"]): int(row["evaluations"])
        for row in rows(folder, "outcomes")
    }
    shown = {
        (row["outcome"], row["reason or error"], row["detail"]): number(row["evaluations"])
        for row in opened.table("causes")
    }
    same("causes", shown, expected)
    return len(shown)


def check_drift(browser: Browser, export: Export) -> int:
    """The comparison on the page is that of drift.csv, and nobody who chose none sees one."""
    flags = ("--drift-by", "os", "--baseline", SIDES[0], "--candidate", SIDES[1])
    opened = Opened(browser, export.page(*flags))
    same("violations of a drift", opened.violations(), [])
    keys = ("usage", "measure", "subject", "field", "value", "verdict")
    numbers = {
        "change": "difference_{}",
        "change from": "difference_{}_low",
        "change to": "difference_{}_high",
        "baseline": "baseline_{}",
        "candidate": "candidate_{}",
    }

    def expected_of(row: dict[str, str]) -> list[object]:
        unit = "ms" if row["measure"].startswith("duration") else "share"
        cells = [row[name.format(unit)] for name in numbers.values()]
        cells += [row["effect_size"], row["adjusted_p"]]
        cells += [row["baseline_sessions"], row["candidate_sessions"]]
        return [row[key] for key in keys] + [millionths(cell) for cell in cells]

    titles = (*numbers, "effect size", "adjusted p", "baseline sessions", "candidate sessions")
    shown = [
        [row[key] for key in keys] + [number(row[title]) for title in titles]
        for row in opened.table("drift")
    ]
    expected = [expected_of(row) for row in rows(export.run(*flags), "drift")]
    demand(len(expected) > 4, "something is compared")
    same("drift", sorted(shown, key=str), sorted(expected, key=str))
    opened.close()
    return len(shown)


def check_points(opened: Opened, export: Export, *flags: str) -> int:
    """The points of the charts, where each is a window, are the rows of the CSV."""
    folder = export.run("--by", "none", *flags)
    impressions = Counter()
    for row in rows(folder, "impressions"):
        impressions[row["window_start"]] += int(row["impressions"])
    expected = [
        evaluation_cells(row)
        | {outcome: int(row[outcome]) for outcome in OUTCOMES}
        | {"impressions": impressions[row["window_start"]]}
        for row in rows(folder, "evaluations")
    ]
    shown = opened.table("windows")
    demand(len(expected) <= POINT_COUNT_MAX, "each point is a window")
    same(
        "points",
        [{key: number(row[key]) for key in expected[0]} for row in shown],
        expected,
    )
    return len(shown)


def check_time(opened: Opened, export: Export, *flags: str) -> None:
    """A range chosen by keyboard, and one drawn with the pointer."""
    windows = rows(export.run("--by", "none", *flags), "evaluations")
    opened.page.focus("#from")
    for _ in range(3):
        opened.page.keyboard.press("ArrowRight")
    opened.page.focus("#to")
    opened.page.keyboard.press("ArrowLeft")
    opened.next_frame()
    expected = sum(int(row["evaluations"]) for row in windows[3:-1])
    same("evaluations of a range", opened.tiles()["evaluations"], expected)
    opened.page.click("button[type=reset]")
    chart = opened.page.locator("#chart-outcomes > svg")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    middle = box["y"] + box["height"] / 2
    opened.page.mouse.move(box["x"] + box["width"] * 0.4, middle)
    opened.page.mouse.down()
    opened.page.mouse.move(box["x"] + box["width"] * 0.6, middle, steps=5)
    opened.page.mouse.up()
    shown = opened.table("windows")
    demand(1 < len(shown) < len(windows), "a stretch drawn on a chart chooses it")
    start = [time_of(row) for row in windows].index(shown[0]["from"])
    chosen = windows[start : start + len(shown)]
    expected = sum(int(row["evaluations"]) for row in chosen)
    same("evaluations of a drawn range", opened.tiles()["evaluations"], expected)
    opened.page.click("button[type=reset]")


def time_of(row: dict[str, str]) -> str:
    return str(int(datetime.fromisoformat(row["window_start"]).timestamp() * 1000))


def check_sorting(opened: Opened) -> None:
    for column in ("evaluations", "p95", "usage"):
        button = f'#groups th button:text-is("{column}")'
        orders = []
        for _ in range(2):
            opened.page.click(button)
            heading = opened.page.locator("#groups th[aria-sort]")
            demand(heading.inner_text().strip() == column, f"sorted by {column}")
            cells = [row[column] for row in opened.table("groups") if row[column] != ""]
            values = cells if column == "usage" else [int(cell) for cell in cells]
            is_up = heading.get_attribute("aria-sort") == "ascending"
            same(f"order by {column}", values, sorted(values, reverse=not is_up))
            orders.append(is_up)
        demand(set(orders) == {True, False}, "a second click turns the order")
    opened.page.reload()
    kept = opened.page.locator("#groups th[aria-sort]")
    demand(kept.inner_text().strip() == "usage", "the order stays when the page is loaded again")
    same("its direction", kept.get_attribute("aria-sort") == "ascending", orders[-1])
    demand(opened.page.locator("#points").get_attribute("open") is not None, "what is open stays")


def check_keyboard(opened: Opened) -> None:
    """A chart is read point by point without a pointer."""
    last = opened.table("windows")[-1]
    opened.page.focus("#chart-impressions > svg")
    opened.page.keyboard.press("End")
    readout = opened.page.inner_text("#chart-impressions-readout")
    demand(f"evaluations {int(last['evaluations']):,}" in readout, readout)
    opened.page.keyboard.press("ArrowLeft")
    demand(readout != opened.page.inner_text("#chart-impressions-readout"), "another point")
    opened.page.keyboard.press("Escape")
    demand(opened.page.inner_text("#chart-impressions-readout") == "", "no point")


def check_paper(opened: Opened) -> None:
    opened.page.emulate_media(media="print")
    for hidden in ("#filters button", "#from"):
        demand(not opened.page.locator(hidden).first.is_visible(), hidden)
    demand(opened.page.locator("#tile-evaluations").is_visible(), "tiles on paper")
    demand(opened.page.pdf().startswith(b"%PDF"), "a PDF")
    opened.page.emulate_media(media="screen")


def check_edges(browser: Browser, export: Export, empty: Export, single: Export) -> None:
    """Nothing at all, one point, and ten thousand windows."""
    nothing = Opened(browser, empty.page())
    demand("no evaluations" in nothing.page.inner_text("#nothing"), "nothing is said to be there")
    same("violations", nothing.violations(), [])
    nothing.close()
    point = Opened(browser, single.page())
    same("tiles", point.tiles(), single.total())
    demand(point.page.locator("#chart-failure-rate circle.dot").count() == 1, "one point is a dot")
    point.close()
    many = Opened(browser, export.page("--window", "60s"))
    windows = many.page.evaluate("data.windows.start.length")
    demand(windows >= 10_000, f"only {windows} windows")
    demand(len(many.table("windows")) <= POINT_COUNT_MAX, "no more points than are told apart")
    same("tiles of many windows", many.tiles(), export.total())
    took, few = (redraw(each) for each in (many, Opened(browser, export.page("--window", "3h"))))
    many.close()
    demand(took < 5 * few, f"{windows} windows take {took:.0f} ms to draw, few {few:.0f} ms")
    print(f"browser: {windows:,} windows, drawn anew in {took:.0f} ms, few in {few:.0f} ms")


def redraw(opened: Opened) -> float:
    """Milliseconds, at the best of some times: a machine that is busy makes none shorter."""
    return opened.page.evaluate(
        """() => [...Array(9)].map(() => {
          const start = performance.now();
          update();
          return performance.now() - start;
        }).sort((left, right) => left - right)[0]"""
    )


def check_unknown_zone(browser: Browser, page: Path, scratch: Path) -> None:
    """The names of zones come and go; whoever has an older browser still sees the figures."""
    known, unknown = '"timezone":"UTC"', '"timezone":"Moon/Tycho"'
    text = page.read_text()
    demand(text.count(known) == 1, "the zone stands in the data once")
    other = scratch / "moon.html"
    other.write_text(text.replace(known, unknown))
    opened = Opened(browser, other)
    told = opened.page.inner_text("#source")
    demand("UTC, as this browser does not know Moon/Tycho" in told, told)
    demand(opened.tiles()["evaluations"] > 0, "figures without the zone")
    opened.close()


def check_refresh(browser: Browser, page: Path, scratch: Path) -> None:
    """A page that refreshes itself can be told to stay as it is, and stays so."""
    text = page.read_text()
    demand(text.count('"refresh":0') == 1, "a page that does not refresh")
    watched = scratch / "watched.html"
    watched.write_text(text.replace('"refresh":0', '"refresh":5'))
    opened = Opened(browser, watched)
    with opened.page.expect_navigation():
        demand(opened.page.is_visible("#pause"), "a page that refreshes can be told not to")
    opened.page.click("#pause")
    demand(opened.page.get_attribute("#pause", "aria-pressed") == "true", "paused")
    opened.page.evaluate("window.isFirst = true")
    opened.page.wait_for_timeout(7_500)
    demand(opened.page.evaluate("window.isFirst"), "a paused page is not loaded again")
    opened.page.reload()
    demand(opened.page.get_attribute("#pause", "aria-pressed") == "true", "still paused")
    same("violations", opened.violations(), [])
    opened.close()


def main() -> None:
    evalog, log, empty, single, scratch = sys.argv[1], *map(Path, sys.argv[2:])
    export, empty, single = (Export(evalog, path, scratch) for path in (log, empty, single))
    window = ("--window", "2h")
    page = export.page(*window)
    with chromium() as browser:
        for scheme in ("light", "dark"):
            opened = Opened(browser, page, scheme)
            for details in opened.page.locator("summary").all():
                details.click()
            same(f"violations in {scheme}", opened.violations(), [])
            opened.close()
        opened = Opened(browser, page)
        check_texts(opened)
        filters = check_filters(opened, export)
        groups = check_groups(opened, export)
        causes = check_causes(opened, export)
        opened.page.click("#points summary")
        points = check_points(opened, export, *window)
        check_time(opened, export, *window)
        check_sorting(opened)
        check_keyboard(opened)
        check_paper(opened)
        opened.close()
        check_edges(browser, export, empty, single)
        drift = check_drift(browser, export)
        check_unknown_zone(browser, page, scratch)
        check_refresh(browser, page, scratch)
        print(
            f"browser: Chromium {browser.version}: {filters} choices of filters, {groups} groups,"
            f" {causes} causes, {points} points and {drift} comparisons equal the CSV; light, dark"
            " and paper without a complaint"
        )


if __name__ == "__main__":
    main()
