"""Pictures of the pages for the README: ``.venv/bin/python scripts/screenshot.py [folder]``.

Starts the real server, opens every notebook's page in headless Chromium and writes NAME.png (and NAME-dark.png).
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.server import running  # noqa: E402
from tests.browser.visit import launch, visiting  # noqa: E402


def main() -> None:
    """Write the pictures into the folder named on the command line, or into docs/."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, running() as server:
        browser = launch(playwright)
        for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
            for suffix, query in (("", "?theme=light"), ("-dark", "?theme=dark")):
                with visiting(browser, server.page(notebook.stem, query)) as visit:
                    visit.open().settle()
                    path = folder / f"{notebook.stem}{suffix}.png"
                    visit.page.screenshot(path=path)
                    print(path)
        browser.close()


if __name__ == "__main__":
    main()
