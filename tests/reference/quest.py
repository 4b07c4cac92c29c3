"""Baskets filled one by one from lists of patterns, with the same random numbers in the same order."""


def fill_baskets(sizes, patterns, random, patience):
    """`patterns` are triples of items, picked-below mark and corruption; `random` gives the next number."""
    patterns = [(list(items), mark, corruption) for items, mark, corruption in patterns]
    baskets, waiting = [], None
    for size in sizes:
        basket, useless = set(), 0
        while len(basket) < size and useless < patience:
            bought = waiting or pick(patterns, random)
            waiting = None
            new = [item for item in bought if item not in basket]
            if len(basket) + len(new) > size:
                if basket and random() < 0.5:
                    waiting = bought
                    break
                if not basket:
                    new = new[:size]
            basket.update(new)
            useless = 0 if new else useless + 1
        baskets.append(sorted(basket))
    return baskets


def pick(patterns, random):
    mark = random()
    items, _, corruption = next((p for p in patterns if mark < p[1]), patterns[-1])
    kept = len(items)
    while kept > 1 and random() < corruption:
        kept -= 1
    for place in range(kept):
        other = place + int(random() * (len(items) - place))
        items[place], items[other] = items[other], items[place]
    return items[:kept]
