"""An exported page in headless Chromium: what it shows, and that it complains of nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request, sync_playwright

TILES = ("evaluations", "impressions", "failure-rate", "p95", "skipped")


def demand(is_so: bool, what: str) -> None:
    if not is_so:
        sys.exit(f"browser: not so: {what}")


@contextmanager
def chromium() -> Iterator[Browser]:
    # As root there is no sandbox; the page is our own file, and the network is refused below.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            yield browser
        finally:
            browser.close()


class Opened:
    """A page that was opened; whatever it asks of the network or complains of is kept."""

    def __init__(self, browser: Browser, file: Path, scheme: str = "light") -> None:
        self.complaints: list[str] = []
        self.page: Page = browser.new_page(
            viewport={"width": 1200, "height": 960}, color_scheme=scheme, timezone_id="Asia/Tokyo"
        )
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._requested)
        self.page.goto(file.as_uri())

    def _requested(self, request: Request) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.complaints.append(f"asks for {request.url}")

    def close(self) -> None:
        demand(not self.complaints, f"complaints: {self.complaints}")
        self.page.close()

    def tiles(self) -> dict[str, int | None]:
        figures = {tile: self.page.get_attribute(f"#tile-{tile}", "data-value") for tile in TILES}
        return {tile: int(value) if value else None for tile, value in figures.items()}

    def next_frame(self) -> None:
        """What was asked for by a slider is drawn with the next frame."""
        self.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def text(self, tile: str) -> str:
        return self.page.inner_text(f"#tile-{tile}")

    def table(self, name: str) -> list[dict[str, str]]:
        """Rows in the order shown, each cell as its exact value."""
        return self.page.evaluate(
            """(name) => {
              const all = (selector) => [...document.querySelectorAll(`#${name} ${selector}`)];
              const heads = all("thead th").map((head) => head.innerText.trim());
              return all("tbody tr").map((row) => Object.fromEntries(
                [...row.cells].map((cell, place) => [heads[place], cell.dataset.value])));
            }""",
            name,
        )

    def choose(self, dimension: str, name: str | None) -> None:
        self.page.select_option(f"#by-{dimension}", "" if name is None else f"={name}")

    def names(self, dimension: str) -> list[str]:
        values = self.page.eval_on_selector_all(
            f"#by-{dimension} option", "options => options.map((option) => option.value)"
        )
        return [value[1:] for value in values if value]

    def violations(self) -> list[str]:
        """What axe-core finds amiss for people with a keyboard, a screen reader or weak eyes."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{rule['id']}: {node['target']} {node['failureSummary']}"
            for rule in found
            for node in rule["nodes"]
        ]
