"""Reads exported pages in a real browser and holds them against the CSV of the same log.

check.py EVALOG LOG EMPTY SINGLE SCRATCH
"""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

from exports import Export, evaluation_cells, rows
from page import Opened, chromium, demand
from playwright.sync_api import Browser

POINT_COUNT_MAX = 240
DIMENSIONS = ("usage", "model", "os")


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
    text = f"{p95 // 1000} ms" if p95 < 1_000_000 else f"{p95 // 10_000 / 100:.2f} s"
    same("p95", opened.text("p95"), text)


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
    folder = export.run("--window", "3650d")
    expected = {
        tuple(row[dimension] for dimension in DIMENSIONS): evaluation_cells(row)
        for row in rows(folder, "evaluations")
    }
    shown = {
        tuple(row[dimension] for dimension in DIMENSIONS): {
            key: number(row[key]) for key in next(iter(expected.values()))
        }
        for row in opened.table("groups")
    }
    same("groups", shown, expected)
    return len(shown)


def check_points(opened: Opened, export: Export, *flags: str) -> int:
    """The points of the charts, where each is a window, are the rows of the CSV."""
    folder = export.run("--by", "none", *flags)
    expected = [evaluation_cells(row) for row in rows(folder, "evaluations")]
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
    took = many.page.evaluate(
        "() => { const start = performance.now(); update(); return performance.now() - start; }"
    )
    many.close()
    print(f"browser: {windows:,} windows, drawn anew in {took:.0f} ms")


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
        opened.page.click("#points summary")
        points = check_points(opened, export, *window)
        check_time(opened, export, *window)
        check_sorting(opened)
        check_keyboard(opened)
        check_paper(opened)
        opened.close()
        check_edges(browser, export, empty, single)
        print(
            f"browser: Chromium {browser.version}: {filters} choices of filters, {groups} groups"
            f" and {points} points equal the CSV; light, dark and paper without a complaint"
        )


if __name__ == "__main__":
    main()
