"""Reports weigh what they tell, and little more."""

import random
from html.parser import HTMLParser
from pathlib import Path

import pytest

import shoal as sh

MOST_BEYOND_DATA = 300_000
TELLING = {"svg", "table", "pre", "select"}  # what is drawn, listed and quoted of data


class _Beyond(HTMLParser):
    """Counts the letters of a page outside of what it tells of data."""

    def __init__(self) -> None:
        super().__init__()
        self.letters, self._inside = 0, 0

    def handle_starttag(self, tag, attrs):
        self._inside += self._tells(tag, dict(attrs))
        if not self._inside:
            self.letters += len(self.get_starttag_text() or "")

    def handle_endtag(self, tag):
        if not self._inside:
            self.letters += len(tag) + 3
        elif tag in TELLING or tag == "script":  # of JSON: any other is not inside
            self._inside -= 1

    def handle_data(self, data):
        if not self._inside:
            self.letters += len(data)

    @staticmethod
    def _tells(tag, attributes):
        return tag in TELLING or attributes.get("type") == "application/json"


def beyond_data(page: str) -> int:
    parser = _Beyond()
    parser.feed(page)
    return parser.letters


def test_only_what_tells_of_data_is_left_out_of_the_count():
    told = '<table><tr><td>1</td></tr></table><script type="application/json">{}</script>'
    assert beyond_data(f'<p id="x">ab</p>{told}<b>c</b>') == len('<p id="x">ab</p><b>c</b>')
    assert beyond_data("<script>1</script>") == len("<script>1</script>")


@pytest.fixture(scope="module", params=[3, 60])
def release(request, tmp_path_factory) -> Path:
    """A release of a table with so many columns, every second one of numbers."""
    folder, dice = tmp_path_factory.mktemp("wide"), random.Random(3)
    names = [f"c{index}" for index in range(request.param)]
    rows = [
        ",".join(
            str(dice.randint(0, 40)) if index % 2 else dice.choice("abcdefgh") for index in range(len(names))
        )
        for _ in range(300)
    ]
    (folder / "data.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    roles = ['kind = "number", hierarchy = { ranges = [5, 10, 20, 40] }', "hierarchy = { flat = true }"]
    columns = "\n".join(
        f'{name} = {{ role = "quasi", {roles[index % 2 == 0]} }}' for index, name in enumerate(names)
    )
    policy = folder / "policy.toml"
    policy.write_text(
        f'[data]\npath = "data.csv"\n[columns]\n{columns}\n[privacy]\nmodel = "k-anonymity"\nk = 5\n'
        '[algorithm]\nname = "mondrian"\n[output]\npath = "published.csv"\n'
    )
    sh.run_policy(policy, out=folder / "out")
    return folder / "out"


@pytest.mark.parametrize("name", ["report.html", "internal/report.html"])
def test_reports_weigh_little_beyond_their_data(release, name):
    page = (release / name).read_text(encoding="utf-8")
    assert 5_000 < beyond_data(page) < MOST_BEYOND_DATA
    assert 'data-label="' not in page  # of tables whose rows never become cards
