"""The least NCP that any one cut can have on the real sets, beside what AA finds: k = 5, fan-out 5.

A cut is a choice of nodes to expand, each below an expanded one. An itemset that is rare and occurs stays so
however its nodes are refined, so of the parents of its nodes one must stay unexpanded. A solver chooses the
nodes that save most under the rules known so far; as long as the chosen cut has rare itemsets, they become
rules, each lifted to the widest nodes that are still rare. A choice without rare itemsets is optimal: it is
the best under rules that every safe cut obeys. Where AA's figure equals it, no global recoding loses less.

    python bench/km_optimum.py [--all]        # --all adds WebView-2, which takes minutes
"""

from __future__ import annotations

import argparse
import gzip
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix

from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.algorithms.sets.cut_search.violations import Violation, Violations
from shoal.engine.local import LocalData
from shoal.hierarchy.builders import fanout
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Silent
from shoal.table.columns import Domain, Kind, Sets, Table
from shoal.table.roles import QuasiSet

DATA = Path(os.environ.get("SHOAL_DATA", "../shared/data"))
K = 5
RULES_PER_ROUND = 400


def read(name: str) -> LocalData:
    with gzip.open(DATA / f"{name}.txt.gz", "rt") as lines:
        rows = [sorted({int(item) for item in line.split()}) for line in lines]
    items = sorted({item for row in rows for item in row})
    code = {item: place for place, item in enumerate(items)}
    domain = Domain(Kind.SET, pa.array(map(str, items), type=pa.string()))
    sets = Sets.of(np.cumsum([0, *map(len, rows)]), [code[item] for row in rows for item in row], domain)
    roles, trees = {"items": QuasiSet()}, {"items": fanout(5).tree(domain)}
    return LocalData(Table.of({"items": sets}), roles, trees)


class Choice:
    """The nodes to expand, under rules that every safe cut obeys."""

    def __init__(self, violations: Violations) -> None:
        self.violations, self.transactions = violations, violations.transactions
        self.tree = self.transactions.tree
        cost = Cut(self.transactions).cost
        self.first = self.tree.missing + 1  # inner nodes are numbered from here
        inner = range(self.first, self.tree.node_count)
        self.saved = [cost(node) - sum(map(cost, self.tree.children(node).tolist())) for node in inner]
        self.rules: set[frozenset[int]] = set()

    def add_rule(self, itemset: tuple[int, ...]) -> None:
        self.rules.add(frozenset(map(self.tree.parent, self._lifted(itemset))))

    def _lifted(self, itemset: tuple[int, ...]) -> tuple[int, ...]:
        for node in sorted(itemset, key=lambda node: self.tree.sizes[node]):
            above = self.tree.parent(node)
            others = {other for other in itemset if not self.tree.covers(above, other)}
            wider = tuple(sorted({above, *others}))
            if above != node and self.violations.breaks(wider, ()):
                return self._lifted(wider)
        return itemset

    def best_cut(self) -> Cut:
        count = len(self.saved)
        below_expanded = [
            {node - self.first: 1, self.tree.parent(node) - self.first: -1}
            for node in range(self.first, self.tree.root)
        ]
        lines = [*below_expanded, *({node - self.first: 1 for node in rule} for rule in self.rules)]
        most = [0] * len(below_expanded) + [len(rule) - 1 for rule in self.rules]
        entries = [(value, row, column) for row, line in enumerate(lines) for column, value in line.items()]
        values, rows, columns = zip(*entries, strict=True)
        matrix = csr_matrix((values, (rows, columns)), shape=(len(lines), count))
        solved = milp(
            -np.array(self.saved, dtype=np.float64),
            constraints=LinearConstraint(matrix, -np.inf, most),
            integrality=np.ones(count),
            bounds=Bounds(0, 1),
            options={"mip_rel_gap": 0},
        )
        assert solved.status == 0, solved.message
        return self._cut_of(solved.x > 0.5)

    def _cut_of(self, expanded: np.ndarray) -> Cut:
        cut, waiting, top = Cut(self.transactions), [self.tree.root], []
        while waiting:
            node = waiting.pop()
            if node >= self.first and expanded[node - self.first]:
                waiting += self.tree.children(node).tolist()
            elif node >= self.first:
                top.append(node)
        cut.raise_to(top)
        return cut

    def add_rules_of(self, cut: Cut) -> bool:
        """Learn from the rare itemsets of a cut; False if it has none."""
        everything = np.ones(self.tree.node_count, dtype=np.bool_)
        for size in range(1, self.violations.constraint.m + 1):
            rare = (
                each for each in self.violations.at_cut(cut, size, everything) if isinstance(each, Violation)
            )
            found = [each.present for _, each in zip(range(RULES_PER_ROUND), rare, strict=False)]
            for itemset in found:
                self.add_rule(itemset)
            if found:
                return True
        return False


def least_ncp(data: LocalData, m: int) -> float:
    choice = Choice(Violations(Transactions.of(data), ItemConstraint(K, m)))
    cut = choice.best_cut()
    while choice.add_rules_of(cut):
        cut = choice.best_cut()
    return cut.ncp


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="WebView-2, too")
    names = ["bms_webview1", "fruithut", *(["bms_webview2"] if parser.parse_args().all else [])]
    for name in names:
        data = read(name)
        for m in (2, 3):
            ours = AA().find(data, [KmAnonymity(K, m)], np.random.default_rng(0), Silent()).figures["ncp"]
            least = least_ncp(data, m)
            print(f"{name:14} m={m}  AA {100 * ours:8.4f} %  least possible {100 * least:8.4f} %", flush=True)


if __name__ == "__main__":
    main()
