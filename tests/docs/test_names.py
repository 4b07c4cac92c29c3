"""Names by which things are found: one class of a name, wherever it is."""

import re
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src" / "shoal"


def test_no_two_classes_have_the_same_name():
    places = defaultdict(list)
    for file in SOURCES.rglob("*.py"):
        for name in re.findall(r"^class ([A-Za-z]\w*)", file.read_text(encoding="utf-8"), re.MULTILINE):
            places[name].append(str(file.relative_to(SOURCES)))
    assert len(places) > 500
    assert not {name: found for name, found in places.items() if len(found) > 1}
