"""Trees as plain dictionaries from a label to the label above."""


def ancestors_or_self(parents, label):
    above = [label]
    while above[-1] in parents:
        above.append(parents[above[-1]])
    return above


def leaves_under(parents, label):
    inner = set(parents.values())
    return {leaf for leaf in parents if leaf not in inner and label in ancestors_or_self(parents, leaf)}


def lowest_common_ancestor(parents, labels):
    shared = set.intersection(*(set(ancestors_or_self(parents, label)) for label in labels))
    return max(shared, key=lambda label: len(ancestors_or_self(parents, label)))
