"""How likely a published item stands for each of its items, slowly, with sets and dicts."""


def uniform_shares(meanings):
    """{label: its items} to {label: {item: share}}."""
    return {label: {item: 1 / len(items) for item in items} for label, items in meanings.items()}


def likely_shares(meanings, records, rounds=10):
    """Share out every published label among its items by how often they seem to occur, again and again."""
    shares = uniform_shares(meanings)
    for _ in range(rounds):
        supports = {}
        for record in records:
            for label in record:
                for item, share in shares[label].items():
                    supports[item] = supports.get(item, 0.0) + share
        for label, items in meanings.items():
            total = sum(supports.get(item, 0.0) for item in items)
            if total > 0:
                shares[label] = {item: supports.get(item, 0.0) / total for item in items}
    return shares


def best_shares(meanings, records):
    """The middle of both."""
    even, likely = uniform_shares(meanings), likely_shares(meanings, records)
    return {
        label: {item: (even[label][item] + likely[label][item]) / 2 for item in items}
        for label, items in meanings.items()
    }


def expected_count(shares, records, wanted):
    """How many records hold all the wanted items, labels and items taken as independent."""
    total = 0.0
    for record in records:
        chance = 1.0
        for item in wanted:
            lacking = 1.0
            for label in record:
                lacking *= 1 - shares[label].get(item, 0.0)
            chance *= 1 - lacking
        total += chance
    return total
