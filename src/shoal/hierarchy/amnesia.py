"""Amnesia hierarchies, as text and as JSON.

    distinct                       {"hierType": "distinct", "name": "degree", "type": "string", "height": 3,
    name degree                     "level1": {"*": ["school", "university"]},
    type string                     "level2": {"school": ["primary", "secondary"],
    height 3                                   "university": ["bachelor", "master"]}}

    school has primary secondary
    university has bachelor master

    * has school university

The lowest labels are values (`distinct`) or ranges that hold values (`range`). A missing value has a token of
its own there; here it is always under the root and needs none, so it is never written.
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.hierarchy.amnesia_tokens import Notation
from shoal.hierarchy.outline import Gathering, Outline, roots
from shoal.hierarchy.text_form import refuse_without_values, write_text
from shoal.hierarchy.tree import Hierarchy

_HAS = "has"
_LEVEL = re.compile(r"level(\d+)")


class Family(NamedTuple):
    """A node and the nodes below it, as the file writes them."""

    parent: str
    children: Sequence[str]
    line: int | None


def read_amnesia_text(text: str, file: str) -> Outline:
    """What the text form says; blank lines between levels are not needed."""
    gathering = Gathering(file)
    lines = text.splitlines()
    start = next(index for index, line in enumerate(lines) if line.strip())
    header_end = next((index for index in range(start, len(lines)) if not lines[index].strip()), len(lines))
    words = [line.split() for line in lines[start:header_end]]
    header = {line[0]: line[1] for line in words if len(line) > 1}
    notation = _notation(words[0][0], header.get("type"), gathering)
    families = []
    for number, line in enumerate(lines[header_end:], start=header_end + 1):
        tokens = line.split()
        if len(tokens) >= 3 and tokens[1] == _HAS:
            families.append(Family(tokens[0], tokens[2:], number))
        elif tokens:
            gathering.refuse("is not of the form 'parent has child child ...'", "correct the line", number)
    return _outline(families, notation, gathering)


def read_amnesia_json(text: str, file: str) -> Outline:
    """What the JSON form says."""
    gathering = Gathering(file)
    try:
        content = json.loads(text, object_pairs_hook=lambda pairs: _without_repeats(pairs, gathering))
    except json.JSONDecodeError as error:
        gathering.refuse(f"is no JSON: {error.msg}", "correct it, or export it again", error.lineno)
        return gathering.outline()
    except RecursionError:
        gathering.refuse("is nested too deeply for a hierarchy", "export it again")
        return gathering.outline()
    if not isinstance(content, dict) or "hierType" not in content:
        gathering.refuse("is no Amnesia hierarchy: it has no 'hierType'", "export it again from Amnesia")
        return gathering.outline()
    notation = _notation(content["hierType"], content.get("type"), gathering)
    levels = sorted((int(found[1]), key) for key in content if (found := _LEVEL.fullmatch(key)))
    families = []
    for _, key in levels:
        level = content[key]
        if isinstance(level, dict) and all(isinstance(children, list) for children in level.values()):
            families += [
                Family(parent, ["(null)" if child is None else str(child) for child in children], None)
                for parent, children in level.items()
            ]
        else:
            gathering.refuse(f"{key!r} is not of the form {{parent: [child, ...]}}", "correct it")
    return _outline(families, notation, gathering)


def write_amnesia_text(
    tree: Hierarchy, path: Path, *, name: str | None = None, notation: Notation | None = None
) -> None:
    """Write the text form; BadInput lists labels that it cannot hold, such as those with blanks."""
    notation = notation or Notation()
    name = "_".join((name or path.stem).split())
    tokens = _tokens(tree, notation, ",")
    unwritable = [
        tree.labels[node] for node, token in tokens.items() if token == _HAS or len(token.split()) != 1
    ]
    if unwritable:
        what = "labels with blanks, and the label 'has', cannot stand in Amnesia's text form"
        raise BadInput(*(Problem(what, "write it as JSON", str(path), value=label) for label in unwritable))
    blocks = [
        "".join(
            f"{tokens[node]} {_HAS} {' '.join(tokens[child] for child in tree.children(node).tolist())}\n"
            for node in nodes
        )
        for nodes in reversed(_inner_nodes_by_depth(tree))
    ]
    header = f"{notation.leaves}\nname {name}\ntype {notation.value_type}\nheight {tree.height + 1}\n"
    # Amnesia takes a level as read only at the blank line after it, so the last one has it, too.
    write_text("".join(f"{block}\n" for block in (header, *blocks)), path)


def write_amnesia_json(
    tree: Hierarchy, path: Path, *, name: str | None = None, notation: Notation | None = None
) -> None:
    """Write the JSON form, which holds any label but those that stand for a missing value."""
    notation = notation or Notation()
    tokens = _tokens(tree, notation, "-")
    as_number = notation.leaves == "distinct" and notation.of_numbers
    content: dict[str, Any] = {
        "hierType": notation.leaves,
        "name": name or path.stem,
        "type": notation.value_type,
        "height": tree.height + 1,
    }
    for depth, nodes in enumerate(_inner_nodes_by_depth(tree), start=1):
        content[f"level{depth}"] = {
            tokens[node]: [
                float(tokens[child]) if as_number else tokens[child] for child in tree.children(node).tolist()
            ]
            for node in nodes
        }
    write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", path)


def _outline(families: Iterable[Family], notation: Notation, gathering: Gathering) -> Outline:
    families = list(families)
    nodes = notation.read(
        dict.fromkeys(token for family in families for token in (family.parent, *family.children))
    )
    senseless = set(nodes.senseless)
    gathering.intervals.update(nodes.intervals)
    homes_of_missing: set[str] = set()
    for family in families:
        for token in senseless.intersection((family.parent, *family.children)):
            what = f"{token!r} is no {_WHAT_IT_SHOULD_BE[notation.leaves, notation.value_type]}"
            gathering.refuse(what, "correct it", family.line)
        parent = nodes.labels.get(family.parent)
        if parent is None:
            continue
        for child in family.children:
            label = nodes.labels.get(child)
            if label == parent:
                gathering.value(label, family.line)
            elif label is not None:
                gathering.hang(label, parent, family.line)
            elif child not in senseless:
                homes_of_missing.add(parent)
    for label in sorted(homes_of_missing.difference(roots(gathering.parents))):
        gathering.notices.append(f"{gathering.file}: the missing value was moved from {label!r} to the root")
    return gathering.outline(notation.value_type)


_WHAT_IT_SHOULD_BE = {
    ("distinct", "string"): "label",
    ("distinct", "int"): "number",
    ("distinct", "decimal"): "number",
    ("range", "int"): "range of numbers, the smaller first",
    ("range", "decimal"): "range of numbers, the smaller first",
    ("range", "date"): "range of dates such as 1940,1950 or 01/1940,06/1940",
}


def _notation(leaves: Any, value_type: Any, gathering: Gathering) -> Notation:
    names = {"double": "decimal"}
    written = str(value_type or "string").lower()
    try:
        return Notation(leaves, names.get(written, written))  # type: ignore[arg-type]  # checked when made
    except InvalidParameter as error:
        gathering.refuse(str(error), "correct the head of the file")
        return Notation()


def _without_repeats(pairs: Iterable[tuple[str, Any]], gathering: Gathering) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            gathering.refuse(f"names {key!r} twice on one level", "merge what stands below it")
        content[key] = value
    return content


def _tokens(tree: Hierarchy, notation: Notation, link: str) -> dict[int, str]:
    """What each node but the missing value is written as; BadInput lists what cannot be written."""
    refuse_without_values(tree)
    tokens: dict[int, str] = {}
    problems: list[Problem] = []
    for node, label in enumerate(tree.labels):
        if node == tree.missing:
            continue
        token = notation.written(label, link)
        if token is None:
            what = f"cannot be written as a {_WHAT_IT_SHOULD_BE[notation.leaves, notation.value_type]}"
            problems.append(Problem(what, "choose another notation, or rename it", value=label))
        else:
            tokens[node] = token
    if problems:
        raise BadInput(*problems)
    return tokens


def _inner_nodes_by_depth(tree: Hierarchy) -> list[list[int]]:
    levels: list[list[int]] = [[] for _ in range(tree.height)]
    for node in range(tree.missing + 1, tree.node_count):
        levels[int(tree.depths[node])].append(node)
    return levels
