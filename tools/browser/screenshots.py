"""Pictures of an exported page, light and dark: screenshots.py EVALOG LOG SCRATCH DIR."""

from __future__ import annotations

import sys
from pathlib import Path

from exports import Export
from page import Opened, chromium


def main() -> None:
    evalog, log, scratch, folder = sys.argv[1], *map(Path, sys.argv[2:])
    page = Export(evalog, log, scratch).page()
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for scheme in ("light", "dark"):
            opened = Opened(browser, page, scheme)
            opened.page.screenshot(path=folder / f"page-{scheme}.png")
            opened.close()
            print(f"browser: {folder}/page-{scheme}.png")


if __name__ == "__main__":
    main()
