"""Complete k-anonymity of sets with plain sets and dictionaries: what each search is meant to do.

Trees, leaves and transactions are those of `km`. A published set is a set of nodes, none above another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import inf

from tests.reference import km
from tests.reference.km_parts import gray_order


def cost(below, node):
    return len(below[node]) if len(below[node]) > 1 else 0


def child_towards(above, node, leaf):
    """The child of a node on the way to a leaf; None if the node is the leaf."""
    way = km.path(above, leaf)
    return way[way.index(node) - 1] if node != leaf else None


def children_held(above, below, node, items):
    return frozenset(child_towards(above, node, leaf) for leaf in items & below[node])


def saved(above, below, node, items):
    """What expanding a node saves one record."""
    return sum(
        cost(below, node) - cost(below, child_towards(above, node, leaf)) for leaf in items & below[node]
    )


def partition(above, leaves, transactions, k):
    """The set of nodes that each transaction is published as; an empty one as itself."""
    return drilled(above, leaves, transactions, k)[0]


def drilled(above, leaves, transactions, k):
    """The published sets, and the transactions that ended in a pool of left-over ones."""
    below = km.leaves_below(above, leaves)
    order = [row for row in gray_order(transactions, len(leaves)) if transactions[row]]
    root = above[-1]
    published = [frozenset()] * len(transactions)
    left_over = set()
    waiting = [(order, frozenset({root}), frozenset(), False)] if order else []
    while waiting:
        rows, nodes, kept, is_pool = waiting.pop()
        divided = divide(above, below, transactions, rows=rows, nodes=nodes, closed=kept, k=k)
        if divided is None:
            for row in rows:
                published[row] = nodes
            left_over |= set(rows) if is_pool else set()
        elif len(divided) == 1:
            waiting += [(*divided[0][:3], is_pool)]
        else:
            waiting += divided
    return published, sorted(left_over)


def divide(above, below, transactions, *, rows, nodes, closed, k):
    """The parts that come of expanding the best node that can be expanded; None if none can."""
    gains = {
        node: sum(saved(above, below, node, transactions[row]) for row in rows)
        for node in nodes - closed
        if any(child_towards(above, node, leaf) is not None for leaf in below[node])
    }
    for node in sorted(gains, key=lambda each: (-gains[each], each)):
        parts = defaultdict(list)
        for row in rows:
            parts[children_held(above, below, node, transactions[row])].append(row)
        if len(parts) == 1:
            (children,) = parts
            return [(rows, nodes - {node} | children, closed, False)]
        pool = [row for row in rows for part in parts.values() if len(part) < k and row in part]
        spare = sum(len(part) - k for part in parts.values() if len(part) >= k)
        if len(pool) == len(rows) or (0 < len(pool) < k and len(pool) + spare < k):
            closed = closed | {node}
            continue
        lose_least = sorted(
            (saved(above, below, node, transactions[row]), rows.index(row), row) for row in rows
        )
        for _, _, row in lose_least:
            part = next(part for part in parts.values() if row in part)
            if 0 < len(pool) < k < len(part):
                part.remove(row)
                pool.append(row)
        survivors = [
            (part, nodes - {node} | children, frozenset(), False)
            for children, part in parts.items()
            if len(part) >= k
        ]
        left_over = [(sorted(pool, key=rows.index), nodes, frozenset({node}), True)] if pool else []
        return survivors + left_over
    return None


def is_k_anonymous(published, k):
    return all(count >= k for count in Counter(map(frozenset, published)).values())


def is_truthful(above, leaves, items, nodes):
    """Whether every item lies under one node, and every node over an item."""
    below = km.leaves_below(above, leaves)
    return all(sum(leaf in below[node] for node in nodes) == 1 for leaf in items) and all(
        below[node] & items for node in nodes
    )


def ncp(above, leaves, transactions, published):
    below = km.leaves_below(above, leaves)
    costs = [
        Fraction(cost(below, node), len(leaves))
        for items, nodes in zip(transactions, published, strict=True)
        for leaf in items
        for node in nodes
        if leaf in below[node]
    ]
    return sum(costs, Fraction(0)) / max(1, len(costs))


def finest_below(above, below, node, sets):
    """The finest nodes that sets, which all hold something under a node, can be published as there alike."""
    held = {children_held(above, below, node, items) for items in sets}
    if len(held) > 1 or held == {frozenset({None})}:
        return frozenset({node})
    (children,) = held
    ways = (finest_below(above, below, child, [items & below[child] for items in sets]) for child in children)
    return frozenset().union(*ways)


def least_loss_of_equal_sets(above, leaves, transactions, k):
    """The least NCP of any grouping of at least k transactions, none of them empty, into groups of k or more.

    A group of 2k can be divided, and nothing more is lost, so smaller ones are all there is to look at.
    """
    below = km.leaves_below(above, leaves)

    def loss(rows):
        nodes = finest_below(above, below, above[-1], [transactions[row] for row in rows])
        return sum(cost(below, node) * len(transactions[row] & below[node]) for row in rows for node in nodes)

    @cache
    def least(rest):
        if not rest:
            return 0
        first, *others = rest
        return min(
            (
                loss((first, *some)) + least(tuple(row for row in others if row not in some))
                for size in range(k - 1, 2 * k - 1)
                for some in combinations(others, size)
            ),
            default=inf,
        )

    return Fraction(least(tuple(range(len(transactions)))), sum(map(len, transactions)) * len(leaves))


def common_sets(above, left, right):
    """Every published set that two published sets can be generalized to."""
    candidates = {node for each in left | right for node in km.path(above, each)}
    for size in range(1, len(candidates) + 1):
        for nodes in combinations(sorted(candidates), size):
            above_each = [set(km.path(above, each)) & set(nodes) for each in left | right]
            held = [set.union(*(set(km.path(above, each)) for each in side)) for side in (left, right)]
            if all(len(some) == 1 for some in above_each) and set(nodes) <= held[0] & held[1]:
                yield frozenset(nodes)


def is_finer(above, fine, coarse):
    """Whether each node of one set lies under a node of the other, or is one."""
    return all(set(km.path(above, node)) & coarse for node in fine)


def rounds(above, leaves, transactions, k):
    """What lgr-literal publishes each item of each transaction as; None where the root stays rare."""
    below = km.leaves_below(above, leaves)
    root = above[-1]
    published, left_over = drilled(above, leaves, transactions, k)
    node_of = [
        {leaf: next(node for node in nodes if leaf in below[node]) for leaf in items}
        for items, nodes in zip(transactions, published, strict=True)
    ]
    supports = Counter(
        node for row, nodes in enumerate(node_of) if row not in left_over for node in set(nodes.values())
    )
    stuck = []
    for row in left_over:
        labels = {leaf: leaf for leaf in transactions[row]}
        while root not in labels.values() and any(supports[node] < k for node in labels.values()):
            deepest = min(
                set(labels.values()), key=lambda node: (-len(km.path(above, node)), min(below[node]))
            )
            upper = above[deepest]
            labels = {leaf: upper if leaf in below[upper] else node for leaf, node in labels.items()}
        if root in labels.values():
            node_of[row] = {leaf: leaf for leaf in transactions[row]}
            stuck.append(row)
        else:
            node_of[row] = labels
            supports.update(set(labels.values()))

    def all_supports():
        return Counter(node for nodes in node_of for node in set(nodes.values()))

    while any(count < k for count in all_supports().values()):
        raisable = {node for row in stuck for node in node_of[row].values()} - {root}
        if not raisable:
            return None
        least = min(raisable, key=lambda node: (cost(below, node), min(below[node])))
        for row in stuck:
            node_of[row] = {leaf: root if node == least else node for leaf, node in node_of[row].items()}
    return node_of


def cuts_below(children, node):
    """Every way to publish what lies under a node."""
    yield frozenset({node})
    if children.get(node):
        for ways in product(*(list(cuts_below(children, child)) for child in children[node])):
            yield frozenset().union(*ways)


def greedily_suppressed(above, leaves, transactions, *, cut, k, m):
    """The nodes that HgHs suppresses at a cut, of those in rare sets the one in most for its price."""
    prices = {node: price_of_suppression(above, leaves, transactions, node) for node in set(cut.values())}
    gone = set()
    for size in range(1, m + 1):
        sets = [nodes - gone for nodes in km.published(transactions, cut)]
        rare = [itemset for itemset, count in km.supports(sets, size).items() if count < k]
        while rare:
            hits = Counter(node for itemset in rare for node in itemset)
            worst = min(hits, key=lambda node: (-Fraction(hits[node], max(prices[node], 1)), node))
            gone.add(worst)
            rare = [itemset for itemset in rare if worst not in itemset]
    return gone


def price_of_suppression(above, leaves, transactions, node):
    """What more it costs to suppress a node than to publish it, in leaves."""
    below = km.leaves_below(above, leaves)
    occurrences = sum(len(items & below[node]) for items in transactions)
    return occurrences * (len(leaves) - cost(below, node))


def least_loss_of_hghs(above, leaves, transactions, k, m):
    """Of all cuts, each with what is greedily suppressed at it, the smallest NCP."""
    losses = []
    for cut in km.all_cuts(above, leaves):
        gone = greedily_suppressed(above, leaves, transactions, cut=cut, k=k, m=m)
        more = sum(price_of_suppression(above, leaves, transactions, node) for node in gone)
        total = sum(map(len, transactions)) * len(leaves)
        losses.append(km.ncp(above, leaves, transactions, cut) + Fraction(more, total))
    return min(losses)


def least_loss_with_suppression(above, leaves, transactions, k, m):
    """The least NCP of any cut with any of its nodes suppressed that is k^m-anonymous."""
    below = km.leaves_below(above, leaves)
    children = defaultdict(list)
    for node in {node for leaf in leaves for node in km.path(above, leaf)} - {above[-1]}:
        children[above[node]].append(node)
    items = [leaf for each in transactions for leaf in each]
    best = None
    for cut in set(cuts_below(children, above[-1])):
        node_of = {leaf: node for node in cut for leaf in below[node]}
        for size in range(len(cut) + 1):
            for suppressed in map(set, combinations(sorted(cut), size)):
                loss = sum(
                    len(leaves) if node_of[leaf] in suppressed else cost(below, node_of[leaf])
                    for leaf in items
                )
                if best is None or loss < best:
                    sets = [{node_of[leaf] for leaf in each} - suppressed for each in transactions]
                    if km.is_safe(sets, k, m):
                        best = loss
    return Fraction(best, max(1, len(items)) * len(leaves))


def finest_common_set(above, sets):
    """The finest set that all the given sets can be generalized to."""
    common = frozenset(sets[0])
    for other in sets[1:]:
        every = list(common_sets(above, common, frozenset(other)))
        (common,) = [each for each in every if all(is_finer(above, each, coarse) for coarse in every)]
    return common


def merged_until_diverse(above, leaves, transactions, *, groups, sensitive, l):
    """Lists of rows: unsafe ones are united with the one that makes them safe at least added loss.

    `sensitive[row]` are the sensitive items of a transaction. If none makes a group safe, the one of least
    added loss is taken. A group that was united with another is empty.
    """
    below = km.leaves_below(above, leaves)

    def loss(rows):
        nodes = finest_common_set(above, [transactions[row] for row in rows])
        return sum(cost(below, node) * len(transactions[row] & below[node]) for row in rows for node in nodes)

    def is_safe(rows):
        counts = Counter(item for row in rows for item in sensitive[row])
        return all(count * l <= len(rows) for count in counts.values())

    groups = [list(rows) for rows in groups]
    for number in range(len(groups)):
        while groups[number] and not is_safe(groups[number]):
            mine = groups[number]
            others = [other for other, rows in enumerate(groups) if rows and other != number]
            added = {other: loss(mine + groups[other]) - loss(mine) - loss(groups[other]) for other in others}
            safe = [other for other in others if is_safe(mine + groups[other])]
            chosen = min(safe or others, key=lambda other: (added[other], other))
            groups[number] += groups[chosen]
            groups[chosen] = []
    return [sorted(rows) for rows in groups]
