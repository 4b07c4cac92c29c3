"""What was decided, as a file: arrays and a header that says what they are; docs/formats.md describes it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from shoal.hierarchy.tree import Hierarchy
from shoal.json_values import json_value
from shoal.kernels.arrays import SetArrays, frozen_items
from shoal.recoding.array_file import Array, Arrays, read_array_file, unreadable, write_array_file
from shoal.recoding.basis import StatedModel
from shoal.recoding.chunk_recoding import NOT_PUBLISHED, ChunkRecoding
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts, ItemNodes, Reason, Unions
from shoal.recoding.disassociated import Disassociated, NestedClusters
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.recoding import Recoding
from shoal.recoding.rows import ItemRecoding, RowRecoding
from shoal.recoding.saved_recoding import SavedRecoding, SavedTree, row_count
from shoal.recoding.synthetic import Synthetic
from shoal.table.columns import Domain, Kind

FORMAT: Literal["shoal-recoding-1"] = "shoal-recoding-1"

_ANY = 2**62


class _Part(BaseModel):
    """A part of the header; whatever else it says is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Tree(_Part):
    """A tree that numbers of the arrays refer to: `tree.N.parents` has the node above each node."""

    column: str
    labels: tuple[str, ...]
    leaf_count: int


class _Clusters(_Part):
    """The columns of `nodes.N` and of `ranges.N`, one row per cluster; `cluster_of_row` is beside them."""

    nodes: tuple[str, ...]
    ranges: tuple[str, ...]


class _Items(_Part):
    """How `items.N...` publish a set column; `unions` are the labels of items and of their unions.

    Where `withholding` cuts leave records out, `items.N.withheld` marks them.
    """

    column: str
    by: Literal["cuts", "nodes"]
    reasons: tuple[Reason, ...] = ()
    unions: tuple[str, ...] | None = None
    withholding: bool = False


class _Promise(_Part):
    """A model that the recoding was decided for."""

    model: str
    parameters: dict[str, Any]


class _Header(_Part):
    format: Literal["shoal-recoding-1"] = FORMAT
    promises: tuple[_Promise, ...] = ()
    notices: tuple[str, ...]
    figures: dict[str, Any]


class _Rows(_Header):
    kind: Literal["rows"] = "rows"
    rows: int = Field(ge=0)
    clusters: _Clusters | None
    items: tuple[_Items, ...]
    trees: tuple[_Tree, ...]


class _Chunks(_Header):
    kind: Literal["chunks"] = "chunks"
    column: str
    terms: tuple[str, ...]
    sensitive: tuple[str, ...]


class _NewRecords(_Header):
    kind: Literal["new records"] = "new records"
    column: str
    trees: tuple[_Tree, ...]


_HEADERS: TypeAdapter[_Rows | _Chunks | _NewRecords] = TypeAdapter(
    Annotated[_Rows | _Chunks | _NewRecords, Field(discriminator="kind")]
)


def save_recoding(
    recoding: Recoding, trees: Mapping[str, Hierarchy], path: Path, promises: Sequence[StatedModel] = ()
) -> None:
    """Write a recoding of data with these trees. It tells about original rows: it must not be published."""
    header, arrays = _saved(recoding, trees)
    stated = tuple(_Promise(model=each.model, parameters=dict(each.parameters)) for each in promises)
    write_array_file(path, header.model_copy(update={"promises": stated}).model_dump_json(), arrays)


def load_recoding(path: str | Path) -> SavedRecoding:
    """Read a recoding; BadInput for a file that is damaged or does not fit together. Nothing in it is run."""
    path = Path(path)
    text, arrays = read_array_file(path)
    try:
        header = _HEADERS.validate_json(text)
        promises = tuple(StatedModel(each.model, each.parameters) for each in header.promises)
        if isinstance(header, _Chunks):
            return SavedRecoding(_chunks_loaded(header, arrays), {}, promises)
        trees = _trees_loaded(header.trees, arrays)
        if isinstance(header, _Rows):
            return SavedRecoding(_rows_loaded(header, arrays, trees), trees, promises)
        return SavedRecoding(_new_records_loaded(header, arrays, trees), trees, promises)
    except (ValueError, KeyError) as error:
        raise unreadable(path, error) from error


def _saved(recoding: Recoding, trees: Mapping[str, Hierarchy]) -> tuple[_Header, dict[str, Array]]:
    if isinstance(recoding, ChunkRecoding):
        return _chunks_saved(recoding)
    if isinstance(recoding, Synthetic):
        return _new_records_saved(recoding, trees)
    return _rows_saved(recoding, trees)


def _about(recoding: Recoding) -> dict[str, Any]:
    return {"notices": recoding.notices, "figures": json_value(recoding.figures)}


def _trees_saved(
    columns: Iterator[str], trees: Mapping[str, Hierarchy]
) -> tuple[tuple[_Tree, ...], dict[str, Array]]:
    used = {column: trees[column] for column in columns}
    named = tuple(
        _Tree(column=column, labels=tree.labels, leaf_count=tree.leaf_count) for column, tree in used.items()
    )
    return named, {f"tree.{n}.parents": tree.arrays.parent for n, tree in enumerate(used.values())}


def _trees_loaded(trees: tuple[_Tree, ...], arrays: Arrays) -> dict[str, SavedTree]:
    if not all(0 <= tree.leaf_count < len(tree.labels) for tree in trees):
        raise ValueError("a tree has more leaves than nodes")
    return {
        tree.column: SavedTree(
            tree.labels,
            tree.leaf_count,
            arrays.ints(f"tree.{n}.parents", shape=(len(tree.labels),), least=0, below=len(tree.labels)),
        )
        for n, tree in enumerate(trees)
    }


def _rows_saved(recoding: RowRecoding, trees: Mapping[str, Hierarchy]) -> tuple[_Rows, dict[str, Array]]:
    arrays: dict[str, Array] = {}
    clusters, named = recoding.clusters, None
    if clusters is not None:
        named = _Clusters(nodes=tuple(clusters.nodes), ranges=tuple(clusters.ranges))
        arrays["cluster_of_row"] = clusters.cluster_of_row
        arrays |= {f"nodes.{n}": nodes for n, nodes in enumerate(clusters.nodes.values())}
        arrays |= {f"ranges.{n}": ranges for n, ranges in enumerate(clusters.ranges.values())}
    items = []
    for n, each in enumerate(recoding.items):
        saved, more = _items_saved(each)
        items.append(saved)
        arrays |= {f"items.{n}.{name}": array for name, array in more.items()}
    used, parents = _trees_saved(_columns_with_trees(recoding), trees)
    header = _Rows(
        rows=row_count(recoding), clusters=named, items=tuple(items), trees=used, **_about(recoding)
    )
    return header, {**arrays, **parents}


def _rows_loaded(header: _Rows, arrays: Arrays, trees: Mapping[str, SavedTree]) -> RowRecoding:
    if header.clusters is None and not header.items:
        raise ValueError("nothing was decided")
    clusters = None
    if header.clusters is not None:
        cluster_of_row = arrays.ints(
            "cluster_of_row", shape=(header.rows,), least=SUPPRESSED, below=header.rows
        )
        count = int(cluster_of_row.max(initial=SUPPRESSED)) + 1
        clusters = GeneralizedClusters(
            cluster_of_row,
            nodes={
                column: arrays.ints(f"nodes.{n}", shape=(count,), least=0, below=len(trees[column].labels))
                for n, column in enumerate(header.clusters.nodes)
            },
            ranges={
                column: arrays.floats(f"ranges.{n}", shape=(count, 2))
                for n, column in enumerate(header.clusters.ranges)
            },
        )
    items = tuple(
        _items_loaded(each, f"items.{n}", header.rows, arrays, trees) for n, each in enumerate(header.items)
    )
    return RowRecoding(clusters, items, header.notices, header.figures)


def _items_saved(items: ItemRecoding) -> tuple[_Items, dict[str, Array]]:
    if isinstance(items, ItemNodes):
        nodes: dict[str, Array] = {"node_of_occurrence": items.node_of_occurrence, "withheld": items.withheld}
        return _Items(column=items.column, by="nodes"), nodes
    arrays: dict[str, Array] = {"part_of_row": items.part_of_row, "node_of_leaf": items.node_of_leaf}
    unions = items.unions
    if unions is not None:
        arrays |= _sets_saved("members", unions.members)
    if items.withheld is not None:
        arrays["withheld"] = items.withheld
    saved = _Items(
        column=items.column,
        by="cuts",
        reasons=items.reasons,
        unions=None if unions is None else unions.labels,
        withholding=items.withheld is not None,
    )
    return saved, arrays


def _items_loaded(
    header: _Items, name: str, rows: int, arrays: Arrays, trees: Mapping[str, SavedTree]
) -> ItemRecoding:
    if header.by == "nodes":
        words = len(trees[header.column].labels)
        of_occurrences = arrays.ints(f"{name}.node_of_occurrence", least=SUPPRESSED_ITEM, below=words)
        return ItemNodes(
            header.column, frozen_items(of_occurrences), arrays.bools(f"{name}.withheld", shape=(rows,))
        )
    nodes = arrays.table(f"{name}.node_of_leaf")
    unions = None
    if header.unions is None:
        tree = trees[header.column]
        words, leaves = len(tree.labels), tree.leaf_count
    else:
        words, leaves = len(header.unions), nodes.shape[1]
        members = arrays.sets(f"{name}.members", below=leaves, count=words)
        unions = Unions(header.unions, members, leaves)
    parts = len(nodes)
    nodes = arrays.ints(f"{name}.node_of_leaf", shape=(parts, leaves), least=SUPPRESSED_ITEM, below=words)
    if leaves > words:
        raise ValueError(f"{name} has more items than labels")
    for reason in header.reasons:
        named = (reason.node, *reason.itemset, *reason.absent)
        if not 0 <= reason.part < parts or not all(0 <= word < words for word in named):
            raise ValueError(f"a reason of {name} is about what is not there")
    part_of_row = arrays.ints(f"{name}.part_of_row", shape=(rows,), least=0, below=parts)
    withheld = arrays.bools(f"{name}.withheld", shape=(rows,)) if header.withholding else None
    return Cuts(header.column, part_of_row, nodes, header.reasons, unions, withheld)


def _chunks_saved(recoding: ChunkRecoding) -> tuple[_Chunks, dict[str, Array]]:
    release = recoding.clusters
    header = _Chunks(
        column=recoding.column,
        terms=tuple(release.terms.texts()),
        sensitive=release.sensitive,
        **_about(recoding),
    )
    return header, {
        "cluster_of_row": recoding.cluster_of_row,
        "clusters.sizes": release.clusters.sizes,
        "clusters.simple": release.clusters.simple,
        "clusters.parents": release.clusters.parents,
        "clusters.last": release.clusters.last,
        "clusters.lines": release.clusters.lines,
        "chunk_clusters": release.chunk_clusters,
        "chunk_starts": release.chunk_starts,
        **_sets_saved("subrecords", release.subrecords),
        **_sets_saved("term_chunks", release.term_chunks),
    }


def _chunks_loaded(header: _Chunks, arrays: Arrays) -> ChunkRecoding:
    sizes = arrays.ints("clusters.sizes", least=0, below=_ANY)
    count = len(sizes)
    clusters = NestedClusters(
        sizes,
        arrays.bools("clusters.simple", shape=(count,)),
        arrays.ints("clusters.parents", shape=(count,), least=-1, below=count),
        arrays.ints("clusters.last", shape=(count,), least=0, below=count),
        arrays.ints("clusters.lines", shape=(count,), least=0, below=_ANY),
    )
    order = np.arange(count)
    if (clusters.parents >= order).any() or (clusters.last < order).any():
        raise ValueError("clusters do not stand before those below them")
    subrecords = arrays.sets("subrecords", below=len(header.terms))
    chunk_clusters = arrays.ints("chunk_clusters", least=0, below=count)
    release = Disassociated(
        terms=Domain(Kind.SET, pa.array(header.terms, type=pa.string())),
        clusters=clusters,
        chunk_clusters=chunk_clusters,
        chunk_starts=arrays.starts("chunk_starts", end=len(subrecords.starts) - 1, count=len(chunk_clusters)),
        subrecords=subrecords,
        term_chunks=arrays.sets("term_chunks", below=len(header.terms), count=count),
        sensitive=header.sensitive,
    )
    cluster_of_row = arrays.ints("cluster_of_row", least=NOT_PUBLISHED, below=count)
    return ChunkRecoding(header.column, release, cluster_of_row, header.notices, header.figures)


def _new_records_saved(
    recoding: Synthetic, trees: Mapping[str, Hierarchy]
) -> tuple[_NewRecords, dict[str, Array]]:
    used, parents = _trees_saved(iter((recoding.column,)), trees)
    header = _NewRecords(column=recoding.column, trees=used, **_about(recoding))
    return header, {"counts": recoding.counts, **_sets_saved("itemsets", recoding.itemsets), **parents}


def _new_records_loaded(header: _NewRecords, arrays: Arrays, trees: Mapping[str, SavedTree]) -> Synthetic:
    itemsets = arrays.sets("itemsets", below=trees[header.column].leaf_count)
    counts = arrays.ints("counts", shape=(len(itemsets.starts) - 1,), least=0, below=_ANY)
    return Synthetic(header.column, itemsets, counts, header.notices, header.figures)


def _sets_saved(name: str, sets: SetArrays) -> dict[str, Array]:
    return {f"{name}.starts": sets.starts, f"{name}.items": sets.items}


def _columns_with_trees(recoding: RowRecoding) -> Iterator[str]:
    if recoding.clusters is not None:
        yield from recoding.clusters.nodes
    for items in recoding.items:
        if isinstance(items, ItemNodes) or items.unions is None:
            yield items.column
