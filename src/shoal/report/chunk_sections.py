"""Disassociated data for people: how records were taken apart, with clusters and chunks drawn as such."""

from collections.abc import Mapping, Sequence

from shoal.engine.answers import SizeCounts
from shoal.kernels.arrays import Ints
from shoal.report.class_sizes import size_bands
from shoal.report.clusters import DrawnCluster, clusters_as_html
from shoal.report.figures import class_size_figure
from shoal.report.html import Html, scrolling, table, tag
from shoal.report.parts import pair, section


def chunks_section(
    chunks: Mapping[str, int],
    clusters: Sequence[DrawnCluster],
    sizes: Ints,
    attacks: Sequence[str],
    k: int | None,
) -> Html:
    """What was published; all of it can be read off the published file."""
    bands = size_bands(SizeCounts.none(), SizeCounts.of(sizes), k)
    drawing = "A few clusters as they were published; ×n stands for n equal subrecords"
    return section(
        "chunks",
        "How the records were taken apart",
        tag(
            "p",
            "Similar records form a cluster. Its items are divided into chunks: what stands together in a"
            " chunk did so in the records, but which subrecords of different chunks belong together is not"
            " told, nor which record holds an item of the term chunk. A shared chunk belongs to all clusters"
            " of a joint one.",
        ),
        tag("p", drawing, class_="quiet"),
        scrolling(clusters_as_html(clusters), drawing),
        tag("h3", "Sizes of clusters"),
        pair(
            "figure-clusters",
            class_size_figure(bands, published_only=True, title="records in the cluster"),
            "Bar chart of the share of records in clusters of each size.",
            table(
                "What was published",
                ("", "number"),
                [(name, f"{count:,}") for name, count in chunks.items()],
                numeric=(1,),
            ),
        ),
        tag("h3", "What readers find who know more than the promise assumes"),
        tag("ul", *(tag("li", finding) for finding in attacks)),
    )
