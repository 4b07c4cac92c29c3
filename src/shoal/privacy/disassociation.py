from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engine.port import ClusterPort, Port, Question
from shoal.errors import BadInput, Infeasible, Problem
from shoal.kernels.arrays import Bools, Ints, SetArrays, frozen_ints, frozen_sets, wide
from shoal.kernels.distinct import distinct_in_groups
from shoal.kernels.itemset_supports import GroupedRows, ItemRows, ItemsetSupports, itemset_supports
from shoal.privacy.items import ONE_IN_L, check_sets
from shoal.privacy.model import SETS, Form, K, L, M, Model, Named
from shoal.privacy.parameters import Number, check_k, check_l, check_whole, exact
from shoal.privacy.verdict import ROWS_SHOWN, Verdict, Witness, counted, verdict_without_records
from shoal.recoding.disassociated import Disassociated
from shoal.table.canonical import canonical_text

_CHUNKS = "rules 1 and 3"
_LIMITS = "what somebody who knows the algorithm can conclude from it (the cover problem) is not checked here"


@dataclass(frozen=True, slots=True)
class Disassociation(Model):
    """Every set of at most m terms that can be put together could stand in at least k records.

    Checked on the published clusters by four rules, which together are sufficient:

    1. every record chunk is k^m-anonymous, has no more subrecords than its cluster has records, and shares no
       term with another chunk or the term chunk of its cluster;
    2. a simple cluster of s records with v record chunks has a term chunk that is not empty, or it has at
       least one record chunk and s + k (min(m, v) - 1) subrecords;
    3. the same as 1 for every shared chunk, whose terms occur in no chunk below it or beside it;
    4. every simple cluster has at least k records.

    After Terrovitis, Liagouris, Mamoulis and Skiadopoulos, Privacy preservation by disassociation, PVLDB
    5(10), 2012, whose own conditions are weaker than rules 2 to 4 and not sufficient.

    Args:
        k: In how many records each such set could stand at least.
        m: How many terms somebody knows at most.
        l: Sensitive terms stand in term chunks only and every simple cluster has at least l records, so that
            the file ties a sensitive term to a record with probability 1/l at most.

    Raises:
        InvalidParameter: k, m or l is out of its range.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> baskets = pa.table({"bought": [["tea", "milk"], ["tea", "figs"], ["tea", "milk"], ["tea"]]})
        >>> data = sh.read(baskets, {"bought": sh.QuasiSet()})
        >>> sh.anonymize(data, sh.Disassociation(k=2, m=2)).verdict.holds
        True
    """

    name: ClassVar[str] = "disassociation"
    questions: ClassVar[frozenset[Question]] = frozenset({Question.CLUSTERS})
    covers: ClassVar[frozenset[type]] = SETS
    form: ClassVar[Form] = Form.CLUSTERS
    bounded: ClassVar[bool] = True
    named: ClassVar[Named | None] = Named(
        knowledge="Some of a person's items, and every item must stay as it is",
        keys=(K, M, L),
        make=lambda given: Disassociation(given["k"], given["m"], given.get("l")),
        sensitive=ONE_IN_L,
    )

    k: int
    m: int
    l: Number | None = None

    def __post_init__(self) -> None:
        check_k("Disassociation", self.k)
        check_whole("Disassociation", "m", self.m)
        if self.l is not None:
            check_l("Disassociation", self.l)

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return (
            "All items stay as they are, but records are cut into chunks. For any {m} items that could belong"
            " together, an original is possible in which at least {k} records hold them."
        )

    @property
    def diverse(self) -> bool:
        """With l it is about sensitive terms, too."""
        return self.l is not None

    def claim(self, data: ClusterPort) -> str:
        """The promise in words."""
        claim = f"satisfies the rules of disassociation with k={self.k}, m={self.m}"
        if self.l is None:
            return claim
        published = data.terms_held(data.sensitive)  # a claim must not name a term that nobody holds
        shown = [term for term in data.sensitive if term in published] or ["sensitive terms"]
        return f"{claim}, l={self.l} for {', '.join(shown)}"

    def infeasible(self, data: Port) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        check_sets(self.name, data)
        records = data.rows_with_items(sensitive=True)
        if reason := self.too_few_with_items(records):
            return reason
        held = None if self.l is None else data.most_held_sensitive()
        if self.l is None or held is None:
            return None
        item, most = held
        if most * exact(self.l) <= records:
            return None
        return Infeasible(
            f"l={self.l} cannot be met: {item.label!r} is in {most:,} of {counted(records, 'record')},"
            f" so at most l={records / most:.4g} is possible",
            largest_l=records / most,
        )

    @property
    def least(self) -> int:
        """How many records a cluster needs."""
        return self.k if self.l is None else max(self.k, math.ceil(exact(self.l)))

    def too_few_with_items(self, records: int) -> Infeasible | None:
        """Why so few records with any item cannot keep the promise; None if they can."""
        if records >= self.least:
            return None
        return Infeasible(
            f"disassociation needs clusters of {counted(self.least, 'record')}, but only"
            f" {counted(records, 'record')} {'has' if records == 1 else 'have'} items",
            largest_k=records,
        )

    def verify(self, data: ClusterPort) -> Verdict:
        """Check all rules on the published clusters."""
        if self.l is not None and not data.sensitive:
            raise BadInput(
                Problem("l protects sensitive terms, and none is named", "name the sensitive terms")
            )
        found, claim = data.examine(self.examine), self.claim(data)
        if found.simple_clusters == 0 and not found.broken:
            return verdict_without_records(claim)
        broken = list(found.broken)
        spelled = all(finding.rule != "spelling" for finding in broken) and data.spelled_twice()
        if spelled:  # on lines that were examined apart
            broken.append(Broken("spelling", _spelled_twice(spelled), (), 0, 0))
        held = f"all rules hold for {counted(found.simple_clusters, 'simple cluster')}; the smallest"
        first = broken[0] if broken else None
        return Verdict(
            holds=not broken,
            claim=claim,
            evidence="; ".join(finding.what for finding in broken)
            or f"{held} support of a cluster, or of an itemset in its chunks, is {found.smallest}; {_LIMITS}",
            smallest=found.smallest,
            witness=None if first is None else Witness(first.what, first.lines, first.line_count),
            figures={
                "records": found.records,
                "simple_clusters": found.simple_clusters,
                "joint_clusters": found.joint_clusters,
                "chunks": found.chunks,
                "clusters_breaking": {finding.rule: finding.clusters for finding in broken},
            },
        )

    def examine(self, data: Disassociated) -> Examined:
        """What some lines show by the rules that can be checked line by line."""
        supports = _supports_in_chunks(data, self.m, self.k)
        findings = (
            _sizes_that_do_not_add_up(data),
            _empty_subrecords(data),
            _repeated_terms(data),
            _chunks_larger_than_clusters(data),
            _rare_itemsets(data, supports, self.k),
            _terms_in_two_chunks(data),
            _too_few_subrecords(data, self.k, self.m),
            _small_clusters(data, self.k, "k"),
            None if self.l is None else _small_clusters(data, self.l, "l"),
            _sensitive_terms_in_chunks(data),
            _terms_of_several_spellings(data),
        )
        occurring = supports.smallest_in_group[supports.smallest_in_group > 0]
        sizes = data.clusters.sizes[data.clusters.simple]
        return Examined(
            records=data.record_count,
            simple_clusters=len(sizes),
            joint_clusters=int((~data.clusters.simple).sum()),
            chunks=len(data.chunk_clusters),
            smallest=int(min([*sizes, *occurring], default=0)),
            broken=_by_rule(data, [finding for finding in findings if finding is not None]),
        )


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that is broken: the first cases in words, the lines they are on, and in how many clusters."""

    rule: str
    what: str
    lines: tuple[int, ...]
    line_count: int
    clusters: int


@dataclass(frozen=True, slots=True)
class Examined:
    """What some lines of a disassociated release show; `broken` has one entry per rule."""

    records: int
    simple_clusters: int
    joint_clusters: int
    chunks: int
    smallest: int
    broken: tuple[Broken, ...]

    def merge(self, other: Examined) -> Examined:
        """The same of the lines of both."""
        rules = {finding.rule: finding for finding in self.broken}
        for finding in other.broken:
            first = rules.setdefault(finding.rule, finding)
            if first is not finding:
                rules[finding.rule] = replace(
                    first,
                    line_count=first.line_count + finding.line_count,
                    clusters=first.clusters + finding.clusters,
                )
        return Examined(
            self.records + other.records,
            self.simple_clusters + other.simple_clusters,
            self.joint_clusters + other.joint_clusters,
            self.chunks + other.chunks,
            min(self.smallest, other.smallest),
            tuple(rules.values()),
        )


def refuse_inconsistent(data: Disassociated, source: str) -> None:
    """Raise BadInput with everything for which the release can have no original, whatever k and m are."""
    findings = (
        _sizes_that_do_not_add_up(data),
        _empty_subrecords(data),
        _repeated_terms(data),
        _chunks_larger_than_clusters(data),
        _terms_in_two_chunks(data),
    )
    problems = [
        Problem(
            finding.what,
            "get the file again from its publisher",
            file=source,
            line=int(data.clusters.lines[finding.clusters.min()]),
        )
        for finding in findings
        if finding is not None
    ]
    if problems:
        raise BadInput(*problems)


@dataclass(frozen=True, slots=True, eq=False)
class _Finding:
    """A rule that is broken, the first case in words, and the clusters where it is."""

    rule: str
    what: str
    clusters: Ints


def _by_rule(data: Disassociated, findings: Sequence[_Finding]) -> tuple[Broken, ...]:
    rules: dict[str, list[_Finding]] = {}
    for finding in findings:
        rules.setdefault(finding.rule, []).append(finding)
    return tuple(_broken(data, rule, of_rule) for rule, of_rule in rules.items())


def _broken(data: Disassociated, rule: str, findings: Sequence[_Finding]) -> Broken:
    clusters = np.unique(np.concatenate([finding.clusters for finding in findings]))
    lines = np.unique(data.clusters.lines[findings[0].clusters])
    what = "; ".join(finding.what for finding in findings)
    return Broken(rule, what, tuple(lines[:ROWS_SHOWN].tolist()), len(lines), len(clusters))


def _sizes_that_do_not_add_up(data: Disassociated) -> _Finding | None:
    clusters = data.clusters
    below = np.zeros(len(clusters), dtype=np.int64)
    children = np.flatnonzero(clusters.parents >= 0)
    np.add.at(below, clusters.parents[children], clusters.sizes[children])
    wrong = np.flatnonzero(~clusters.simple & (below != clusters.sizes))
    if len(wrong) == 0:
        return None
    first = wrong[0]
    size = counted(int(clusters.sizes[first]), "record")
    return _Finding(
        "sizes", f"{_cluster(data, first)} has {size}, but the clusters in it have {below[first]:,}", wrong
    )


def _empty_subrecords(data: Disassociated) -> _Finding | None:
    empty = np.flatnonzero(np.diff(data.subrecords.starts) == 0)
    if len(empty) == 0:
        return None
    chunks = _chunk_of_subrecord(data)[empty]
    return _Finding(
        "empty subrecords", f"{_chunk(data, chunks[0])} has an empty subrecord", data.chunk_clusters[chunks]
    )


def _repeated_terms(data: Disassociated) -> _Finding | None:
    in_subrecords = data.chunk_clusters[_chunk_of_subrecord(data)[_rows_with_repeats(data.subrecords)]]
    in_term_chunks = _rows_with_repeats(data.term_chunks)
    clusters = np.concatenate((in_subrecords, in_term_chunks))
    if len(clusters) == 0:
        return None
    where = "a subrecord" if len(in_subrecords) else "its term chunk"
    return _Finding("repeated terms", f"{_cluster(data, clusters[0])} has a term twice in {where}", clusters)


def _chunks_larger_than_clusters(data: Disassociated) -> _Finding | None:
    counts = np.diff(data.chunk_starts)
    wrong = np.flatnonzero(counts > data.clusters.sizes[data.chunk_clusters])
    if len(wrong) == 0:
        return None
    first = wrong[0]
    size = int(data.clusters.sizes[data.chunk_clusters[first]])
    what = (
        f"{_chunk(data, first)} has {counts[first]:,} subrecords, but its cluster {counted(size, 'record')}"
    )
    return _Finding(_CHUNKS, what, data.chunk_clusters[wrong])


def _rare_itemsets(data: Disassociated, supports: ItemsetSupports, k: int) -> _Finding | None:
    in_chunk = supports.smallest_in_group
    wrong = np.flatnonzero((in_chunk > 0) & (in_chunk < k))
    if len(wrong) == 0:
        return None
    itemset = ", ".join(str(data.terms.label(int(term))) for term in supports.itemset)
    support = counted(int(supports.smallest), "subrecord")
    what = f"{{{itemset}}} occurs in {support} of {_chunk(data, supports.group)}, fewer than k={k}"
    return _Finding(_CHUNKS, what, data.chunk_clusters[wrong])


def _terms_in_two_chunks(data: Disassociated) -> _Finding | None:
    """Rules 1 and 3 in one: a term of a cluster's chunk occurs in no other chunk of it or below it."""
    terms, holders = _terms_of_chunks(data)
    keys = terms * len(data.clusters) + _clusters_of(data, holders)
    keys.sort()
    terms, clusters = np.divmod(keys, max(1, len(data.clusters)))
    # Clusters stand before those in them: if the next holder of a term is not inside a cluster, none is.
    again = (terms[1:] == terms[:-1]) & (clusters[1:] <= data.clusters.last[clusters[:-1]])
    places = np.flatnonzero(again)
    if len(places) == 0:
        return None
    first = places[0]
    what = (
        f"the term {data.terms.label(int(terms[first]))!r} of a chunk of {_cluster(data, clusters[first])}"
        f" stands also in another chunk of {_cluster(data, clusters[first + 1])}"
    )
    return _Finding(_CHUNKS, what, clusters[places])


def _too_few_subrecords(data: Disassociated, k: int, m: int) -> _Finding | None:
    clusters = data.clusters
    chunk_counts = np.bincount(data.chunk_clusters, minlength=len(clusters))
    subrecords = np.zeros(len(clusters), dtype=np.int64)
    np.add.at(subrecords, data.chunk_clusters, np.diff(data.chunk_starts))
    overlapping = np.minimum(m, chunk_counts) - 1
    needed = clusters.sizes + k * overlapping
    enough = (chunk_counts > 0) & (subrecords >= needed)
    wrong = np.flatnonzero(clusters.simple & (np.diff(data.term_chunks.starts) == 0) & ~enough)
    if len(wrong) == 0:
        return None
    first = wrong[0]
    what = f"{_cluster(data, first)} has no term chunk and {counted(int(subrecords[first]), 'subrecord')}"
    if chunk_counts[first]:
        what += (
            f", fewer than the {needed[first]:,} that its {counted(int(chunk_counts[first]), 'chunk')} need"
        )
    return _Finding("rule 2", what, wrong)


def _small_clusters(data: Disassociated, least: Number, name: str) -> _Finding | None:
    wrong = np.flatnonzero(data.clusters.simple & (data.clusters.sizes < math.ceil(exact(least))))
    if len(wrong) == 0:
        return None
    size = counted(int(data.clusters.sizes[wrong[0]]), "record")
    what = f"{_cluster(data, wrong[0])} has {size}, fewer than {name}={least}"
    return _Finding("rule 4" if name == "k" else "size for l", what, wrong)


def _sensitive_terms_in_chunks(data: Disassociated) -> _Finding | None:
    sensitive = _is_sensitive(data)
    places = np.flatnonzero(sensitive[data.subrecords.items])
    if len(places) == 0:
        return None
    subrecords = np.searchsorted(data.subrecords.starts, places, side="right") - 1
    chunks = _chunk_of_subrecord(data)[subrecords]
    label = data.terms.label(int(data.subrecords.items[places[0]]))
    what = f"the sensitive term {label!r} stands in {_chunk(data, chunks[0])}, not in a term chunk"
    return _Finding("sensitive terms", what, data.chunk_clusters[chunks])


def _terms_of_several_spellings(data: Disassociated) -> _Finding | None:
    """Terms such as `flu` and `flu `: one term that would pass as two, in two chunks or as not sensitive."""
    alike = data.spelled_twice()
    if not alike:
        return None
    held, holders = _terms_of_chunks(data)
    of_terms = np.isin(held, [data.terms.labels.index(term).as_py() for term in alike])
    return _Finding("spelling", _spelled_twice(alike), _clusters_of(data, holders)[of_terms])


def _spelled_twice(terms: Sequence[str]) -> str:
    return f"the terms {' and '.join(map(ascii, terms))} differ only in how they are written"


def _supports_in_chunks(data: Disassociated, m: int, k: int) -> ItemsetSupports:
    subrecords = _without_repeats(data.subrecords)
    row_count = len(subrecords.starts) - 1
    nothing = frozen_sets(np.zeros(row_count + 1), [])
    rows = ItemRows(subrecords, len(data.terms), nothing, frozen_ints([]))
    return itemset_supports(rows, GroupedRows(data.chunk_starts, frozen_ints(np.arange(row_count))), m, k)


def _terms_of_chunks(data: Disassociated) -> tuple[Ints, Ints]:
    """Each term of each chunk once, and its holder: a chunk or, numbered after all chunks, a term chunk."""
    item_starts = data.subrecords.starts[data.chunk_starts]
    in_chunks = distinct_in_groups(item_starts, data.subrecords.items, len(data.terms))
    alone = distinct_in_groups(data.term_chunks.starts, data.term_chunks.items, len(data.terms))
    counts = np.concatenate((np.diff(in_chunks.starts), np.diff(alone.starts)))
    return wide(np.concatenate((in_chunks.items, alone.items))), np.repeat(np.arange(len(counts)), counts)


def _clusters_of(data: Disassociated, holders: Ints) -> Ints:
    clusters: Ints = np.concatenate((data.chunk_clusters, np.arange(len(data.clusters))))[holders]
    return clusters


def _chunk_of_subrecord(data: Disassociated) -> Ints:
    return np.repeat(np.arange(len(data.chunk_clusters)), np.diff(data.chunk_starts))


def _is_repeat(sets: SetArrays) -> Bools:
    repeat = np.zeros(len(sets.items), dtype=np.bool_)
    repeat[1:] = sets.items[1:] == sets.items[:-1]
    repeat[sets.starts[:-1][np.diff(sets.starts) > 0]] = False
    return repeat


def _rows_with_repeats(sets: SetArrays) -> Ints:
    return np.searchsorted(sets.starts, np.flatnonzero(_is_repeat(sets)), side="right") - 1


def _without_repeats(sets: SetArrays) -> SetArrays:
    kept = ~_is_repeat(sets)
    if kept.all():
        return sets
    kept_before = np.concatenate(([0], np.cumsum(kept)))
    return frozen_sets(kept_before[sets.starts], sets.items[kept])


def _is_sensitive(data: Disassociated) -> Bools:
    sensitive = canonical_text(pa.array(data.sensitive, type=pa.string()))
    marked = pc.is_in(canonical_text(data.terms.labels), value_set=sensitive)
    return np.asarray(marked.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _cluster(data: Disassociated, cluster: int) -> str:
    """Where a cluster stands: its line and, if that holds several clusters, its number among them."""
    lines = data.clusters.lines
    first, behind = np.searchsorted(lines, [lines[cluster], lines[cluster] + 1])
    kind = "simple" if data.clusters.simple[cluster] else "joint"
    number = "" if behind - first == 1 else f" {cluster - first + 1} of {behind - first}"
    return f"the {kind} cluster{number} on line {lines[cluster]}"


def _chunk(data: Disassociated, chunk: int) -> str:
    first = int(np.searchsorted(data.chunk_clusters, data.chunk_clusters[chunk]))
    kind = "chunk" if data.clusters.simple[data.chunk_clusters[chunk]] else "shared chunk"
    return f"{kind} {chunk - first + 1} of {_cluster(data, data.chunk_clusters[chunk])}"
