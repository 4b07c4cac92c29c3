from shoal.recoding.disassociated import chunk_figures, disassociated
from shoal.report.clusters import DRAWN, clusters_as_html, drawn_clusters
from tests.report.outcomes import CLUSTERS, EVIL


def test_clusters_are_drawn_as_they_were_cut():
    alone, joint = drawn_clusters(disassociated(CLUSTERS))
    assert (alone.size, alone.terms) == (5, ("truffle",))
    assert alone.chunks == (((("beer",), 3), (("beer", "milk"), 2)),)
    assert joint.chunks == (((("wine",), 6),),)
    assert [child.terms for child in joint.children] == [("rice",), ("ink",)]


def test_only_a_few_are_drawn_and_joint_ones_are_among_them():
    alone = {"size": 5, "chunks": [], "terms": ["a"]}
    drawn = drawn_clusters(disassociated([alone] * 9 + [CLUSTERS[1]]))
    assert len(drawn) == DRAWN
    assert drawn[-1].children


def test_deep_and_broad_ones_are_cut_short():
    simple = {"size": 5, "chunks": [], "terms": ["a"]}
    shared = [{"subrecords": [["z"]]}]
    broad = {"size": 45, "shared": shared, "children": [simple] * 9}
    deep = broad
    for _ in range(5):
        deep = {"size": 45, "shared": shared, "children": [deep]}
    (drawn,) = drawn_clusters(disassociated([broad]))
    assert (len(drawn.children), drawn.left_out) == (4, 5)
    (drawn,) = drawn_clusters(disassociated([deep]))
    assert drawn.children[0].children[0].children == ()
    assert "… 1 more cluster below it" in clusters_as_html([drawn])


def test_long_chunks_are_cut_short():
    many = [[f"t{i}"] for i in range(20)]
    (cluster,) = drawn_clusters(disassociated([{"size": 20, "chunks": [{"subrecords": many}], "terms": []}]))
    html = clusters_as_html([cluster])
    assert html.count("<li>") == 6
    assert "… 14 more" in html


def test_terms_are_text():
    (cluster,) = drawn_clusters(disassociated([{"size": 5, "chunks": [], "terms": [EVIL]}]))
    assert "<img" not in clusters_as_html([cluster])


def test_chunks_are_counted():
    figures = chunk_figures(disassociated(CLUSTERS))
    assert figures["clusters"] == 3
    assert figures["joint clusters"] == 1
    assert figures["shared chunks"] == 1
    assert figures["terms in term chunks"] == 3
