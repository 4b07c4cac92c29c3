"""Clusters grown one record at a time, over dictionaries from record to copies.

As in `clusterings`, a record is a tuple of nodes. Clusters are lists of records, one for each row.
"""

from tests.reference.clusterings import cost_of


class Growing:
    def __init__(self, parent, cost, rows, k):
        self.parent, self.cost, self.k = parent, cost, k
        self.left = {record: rows.count(record) for record in sorted(set(rows))}
        self.clusters = []

    def cost_of(self, *records):
        return cost_of(self.parent, self.cost, records)

    def take(self, cluster, record):
        copies = min(self.left[record], self.k - len(cluster))
        cluster += [record] * copies
        self.left[record] -= copies
        if self.left[record] == 0:
            del self.left[record]

    def by_members(self, last):
        """As k-member: `last` is the record from which the first cluster is far away."""
        while sum(self.left.values()) >= self.k:
            cluster = []
            last = max(self.left, key=lambda record: (self.cost_of(last, record), [-node for node in record]))
            self.take(cluster, last)
            while len(cluster) < self.k:
                last = min(self.left, key=lambda record: (self.cost_of(*cluster, record), record))
                self.take(cluster, last)
            self.clusters.append(cluster)
        return self.completed()

    def around_seeds(self, seeds):
        """As Cluster: the seeds are (record, its place among the copies of the record)."""
        total = dict(self.left)
        for record, copy in seeds:
            if sum(self.left.values()) < self.k:
                break
            if copy < total[record] - self.left.get(record, 0):
                continue
            cluster = []
            self.take(cluster, record)
            nearest = sorted(self.left, key=lambda other: (self.cost_of(record, other), other))
            for other in nearest:
                if len(cluster) < self.k:
                    self.take(cluster, other)
            self.clusters.append(cluster)
        return self.completed()

    def completed(self):
        for record in [record for record, copies in self.left.items() for _ in range(copies)]:

            def added(cluster, record=record):
                size = len(cluster)
                return (size + 1) * self.cost_of(*cluster, record) - size * self.cost_of(*cluster)

            min(self.clusters, key=added).append(record)
        return self.clusters
