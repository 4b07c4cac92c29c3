"""Takes the picture of the README from a release of the bundled sample: `make pictures`."""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.progress import Silent
from shoal.run.release import run
from shoal.table.sample import copy_sample

IMAGES = Path(__file__).with_name("images")
# The verdict and the risk; all else is for those who read the report itself.
SHOWN = """() => {
    const risk = document.getElementById("figure-risk-plot").closest("section");
    const kept = [document.querySelector(".verdict"), risk];
    for (const part of document.querySelectorAll("header, footer, main > *")) {
        if (!kept.includes(part)) part.remove();
    }
}"""


def main() -> None:
    """Run the sample's table, and take what the picture shows from its report."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        sample = Path(name) / "sample"
        copy_sample(sample)
        run(plan_of(load_policy(sample / "table.toml")), Silent()).save(sample / "out")
        browser = playwright.chromium.launch(executable_path=chromium)
        page = browser.new_page(viewport={"width": 980, "height": 900}, device_scale_factor=1.15)
        page.goto((sample / "out" / "internal" / "report.html").as_uri())
        page.evaluate(SHOWN)
        page.screenshot(path=IMAGES / "report.png", full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
