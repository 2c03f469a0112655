"""An exported page in headless Chromium: what it shows, and that it complains of nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

TILES = ("evaluations", "impressions", "failure-rate", "p95", "skipped")


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

    def __init__(self, browser: Browser, file: Path, scheme: str = "light", query: str = "") -> None:
        self.complaints: list[str] = []
        self.page: Page = browser.new_page(
            viewport={"width": 1200, "height": 900}, color_scheme=scheme, timezone_id="Asia/Tokyo"
        )
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._requested)
        self.page.goto(f"{file.as_uri()}{query}")

    def _requested(self, request) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.complaints.append(f"asks for {request.url}")

    def close(self) -> None:
        assert self.complaints == [], self.complaints
        self.page.close()

    def tiles(self) -> dict[str, int | None]:
        figures = {tile: self.page.get_attribute(f"#tile-{tile}", "data-value") for tile in TILES}
        return {tile: int(value) if value else None for tile, value in figures.items()}

    def text(self, tile: str) -> str:
        return self.page.inner_text(f"#tile-{tile}")

    def table(self, name: str) -> list[dict[str, str]]:
        """Rows in the order shown, each cell as its exact value."""
        return self.page.evaluate(
            """(name) => {
              const table = document.getElementById(name);
              const heads = [...table.querySelectorAll("thead th")].map((head) => head.innerText.trim());
              return [...table.querySelectorAll("tbody tr")].map((row) => Object.fromEntries(
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
        """What axe-core finds amiss for people who see little, or use a keyboard or a screen reader."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{rule['id']}: {node['target']} {node['failureSummary']}"
            for rule in found
            for node in rule["nodes"]
        ]
