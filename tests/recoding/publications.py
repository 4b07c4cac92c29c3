"""Random tiny disassociated publications that fit together, though perhaps no original fits them."""

from hypothesis import strategies as st


@st.composite
def chunks(draw, terms, largest):
    """Chunks over disjoint parts of the terms, each with at least one subrecord."""
    found = []
    for part in draw(st.permutations(terms)), terms:
        rest = [
            term for term in part if term not in {held for chunk in found for row in chunk for held in row}
        ]
        if rest and draw(st.booleans()):
            own = rest[: draw(st.integers(1, min(2, len(rest))))]
            rows = st.lists(
                st.lists(st.sampled_from(own), min_size=1, unique=True), min_size=1, max_size=largest
            )
            found.append(draw(rows))
    return found


@st.composite
def simple_clusters(draw, terms="abcd", most=4):
    size = draw(st.integers(1, most))
    record_chunks = draw(chunks(list(terms), size))
    used = {term for chunk in record_chunks for row in chunk for term in row}
    free = [term for term in terms if term not in used]
    term_chunk = draw(st.lists(st.sampled_from(free), unique=True, max_size=2)) if free else []
    return {
        "size": size,
        "chunks": [{"subrecords": chunk} for chunk in record_chunks],
        "terms": term_chunk,
    }


@st.composite
def joint_clusters(draw, most=2):
    children = draw(st.lists(simple_clusters("abc", most), min_size=1, max_size=2))
    size = sum(child["size"] for child in children)
    inner = {
        "size": size,
        "shared": [{"subrecords": chunk} for chunk in draw(chunks(["s", "t"], size))],
        "children": children,
    }
    if not draw(st.booleans()):
        return inner
    return {
        "size": size,
        "shared": [{"subrecords": chunk} for chunk in draw(chunks(["u"], size))],
        "children": [inner],
    }


def publications(most_lines=2):
    return st.lists(simple_clusters() | joint_clusters(), min_size=1, max_size=most_lines)
