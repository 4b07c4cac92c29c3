"""Mondrian as its documentation tells it, over lists of rows.

A column is a dictionary: `places` has the place of each row's value in the order of the column, `count` the
number of values (`count` itself is a missing value, `count + 1` a suppressed cell), `weight` its weight, and
either `nodes`, the sets of places under each node of its tree, or `numbers` with the ends of the column.
"""

CUTS_TRIED = 8
STAGES = {
    "strict": ["between values"],
    "relaxed": ["between values", "within a value"],
    "strict as printed": ["at the median"],
    "relaxed as printed": ["in the middle"],
}


def partition(columns, row_count, k, admissible, mode):
    """The parts as a list of sorted lists of rows; admissible(rows) says whether rows may be a class."""
    stages = ["split off", *STAGES[mode]]
    waiting, finished = [list(range(row_count))], []
    while waiting:
        part = waiting.pop(0)
        cut = best_cut(columns, part, k, admissible, stages)
        if cut is None:
            finished.append(sorted(part))
        else:
            waiting += cut
    return finished


def best_cut(columns, part, k, admissible, stages):
    widest_first = sorted(columns, key=lambda column: -column["weight"] * spread(column, part))
    for stage in stages:
        for column in widest_first:
            if column["weight"] > 0:
                for left, right in wanted_cuts(column, part, k, stage)[:CUTS_TRIED]:
                    if admissible(left) and admissible(right):
                        return left, right
    return None


def spread(column, part):
    """The share of the domain that the part would be published as."""
    places = {column["places"][row] for row in part}
    if len(places) == 1:
        return 0.0
    if max(places) >= column["count"]:
        return 1.0
    if "nodes" in column:
        return len(lowest_node(column, places)) / column["count"]
    lower, upper = column["ends"]
    numbers = column["numbers"]
    return (numbers[max(places)] / 2 - numbers[min(places)] / 2) / (upper / 2 - lower / 2)


def lowest_node(column, places):
    """The smallest set of leaves that some node has and that holds all the places."""
    return min((node for node in column["nodes"] if places <= node), key=len, default=None)


def wanted_cuts(column, part, k, stage):
    """The cuts of a part in a column that leave k rows on both sides, best first."""
    rows = sorted(part, key=lambda row: (column["places"][row], row))
    if column["places"][rows[0]] == column["places"][rows[-1]]:
        return []
    if stage in ("at the median", "in the middle"):
        return printed_cut(column["places"], rows, k, stage)
    cuts = []
    for cut in range(k, len(rows) - k + 1):
        left, right = column["places"][rows[cut - 1]], column["places"][rows[cut]]
        rank = rank_of_cut(column, part, stage, left, right)
        if stage == "within a value" and cut != len(rows) // 2:
            rank = None
        if rank is not None:
            cuts.append((rank, abs(2 * cut - len(rows)), cut))
    return [(rows[:cut], rows[cut:]) for _, _, cut in sorted(cuts)]


def printed_cut(places, rows, k, stage):
    """The one cut of LeFevre, DeWitt and Ramakrishnan, if it leaves k rows on both sides."""
    median = places[rows[(len(rows) - 1) // 2]]
    left = [row for row in rows if places[row] <= median]
    if stage == "in the middle":
        left = rows[: len(rows) // 2]
    right = rows[len(left) :]
    return [(left, right)] if min(len(left), len(right)) >= k else []


def rank_of_cut(column, part, stage, left, right):
    if stage == "within a value":
        return 0 if left == right else None
    if left == right or (right >= column["count"]) != (stage == "split off"):
        return None
    if stage == "split off" or "nodes" not in column:
        return 0
    whole = lowest_node(
        column, {column["places"][row] for row in part if column["places"][row] < column["count"]}
    )
    mixed = any(column["places"][row] >= column["count"] for row in part)
    if mixed:  # missing values and suppressed cells meet the others in the root only
        whole = max(column["nodes"], key=len)
    return 0 if lowest_node(column, {left, right}) == whole else 1
