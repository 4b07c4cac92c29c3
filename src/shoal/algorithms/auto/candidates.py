"""Which algorithms serve a promise, and which of them are tried when the user leaves the choice to us."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from shoal.algorithms.auto.block_sizes import WHOLE, BlockSizes
from shoal.algorithms.auto.objective import OBJECTIVES, DataShape, default_objective, objectives_for
from shoal.algorithms.auto.trial import AT_ONCE, Candidate, Trial
from shoal.algorithms.catalogue import ALGORITHMS, make_algorithm, takes
from shoal.algorithms.interface import Algorithm
from shoal.algorithms.parameters import AS_PRINTED, parameters_of, without_additions
from shoal.algorithms.relational.clustering.blocks import block_of, some_blocks
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.portions import MANY_ROWS
from shoal.algorithms.search import Limits
from shoal.engine.local import LocalData
from shoal.engine.port import Question
from shoal.errors import BadInput, InvalidParameter, Problem, UnknownName
from shoal.metrics.node_costs import NODE_COSTS
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise

BUDGET, BUDGET_PER_RECORD = 60.0, 80e-6  # seconds that trying should take when nobody set a limit
OBJECTIVE = "objective"
_LOCAL_SEARCH = "local_search"
_TIMES_THE_BUDGET = 3.0  # after which candidates are stopped: on a busy machine the same is found later
_SHARE_OF_A_LIMIT = 0.75  # that trying may take: candidates end a little later than they should
_SHARE_TO_PLAN_WITH = 0.5

_LARGE_FOR_PCTA = 5_000  # records of a table with sets; it takes about half a millisecond for each
_BLOCKS_TO_DRAW_FROM = 8
_SMALL_TABLE, _ROWS_OF_A_SAMPLE = 6_000, 2_000
_SMALL_SETS, _SETS_OF_A_SAMPLE = 200_000, 20_000


def serving(models: Sequence[Model]) -> list[str]:
    """The algorithms that serve all the models."""
    return [name for name in ALGORITHMS if _serves(name, models)]


def _serves(name: str, models: Sequence[Model]) -> bool:
    return all(isinstance(model, ALGORITHMS[name].serves) for model in models)


def globally_serving(models: Sequence[Model]) -> list[str]:
    """Those of them that give every value and every item one label in all records; an error without any."""
    names = [name for name in serving(models) if ALGORITHMS[name].recodes_globally]
    if not names:
        what = f"no algorithm that serves {Promise(models)} gives every value one label in all records"
        raise BadInput(Problem(what, 'leave recoding = "global" out'))
    return names


def named(name: str, models: Sequence[Model]) -> str:
    """The name itself if the algorithm serves all the models; errors say which do."""
    if name not in ALGORITHMS:
        raise UnknownName("Shoal", "algorithm", name, ("auto", *ALGORITHMS))
    if not _serves(name, models):  # before all are asked, each of which has much to load
        known = serving(models)
        remedy = f"use one of {', '.join(known)}" if known else "see `shoal algorithms`"
        raise BadInput(Problem(f"the algorithm {name} does not serve {Promise(models)}", remedy))
    return name


def automatic(
    models: Sequence[Model],
    options: Mapping[str, Any],
    limits: Limits,
    data: DataShape | None = None,
    among: Sequence[str] | None = None,
) -> Algorithm:
    """What is run when nobody named an algorithm: the only one that serves, or a trial of several.

    All serve the models and take all the options that were given; `among` names those that run where the data
    are. Without data the choice is not final, but what cannot be searched for at all is refused.
    """
    given = {name: value for name, value in options.items() if name != OBJECTIVE}
    objective = options.get(OBJECTIVE)
    known = OBJECTIVES if data is None else objectives_for(data)
    if objective is not None and objective not in known:
        raise InvalidParameter("auto", OBJECTIVE, objective, f"one of {', '.join(known)}")
    names = _taking(serving(models) if among is None else among, given, Promise(models))
    tried = _in_turn(names, models)
    tried = tried or names[:1]
    if data is None:
        return make_algorithm(tried[0], _with_limits(tried[0], given, limits))
    candidates = list(_candidates(data, models, tried, options, limits))
    if len(candidates) == 1:
        return make_algorithm(candidates[0].name, candidates[0].options)
    seconds = _TIMES_THE_BUDGET * _budget(data, limits)
    if limits.time is not None:
        seconds = _SHARE_OF_A_LIMIT * limits.time
    # With a limit the user's own clock runs already.
    return Trial(
        candidates,
        objective or default_objective(data),
        seconds,
        sample_of,
        compiles_first=limits.time is None,
        at_once=AT_ONCE if data.row_count <= MANY_ROWS else 1,
    )


def _taking(names: Sequence[str], options: Collection[str], promise: Promise) -> list[str]:
    """The algorithms that take all the options; an error if there is none."""
    if not names:
        raise BadInput(Problem(f"no algorithm of this version serves {promise}", "see `shoal algorithms`"))
    known = dict.fromkeys(each.name for name in names for each in parameters_of(ALGORITHMS[name]))
    for option in options:
        if option not in known:
            raise UnknownName("auto", "option", option, (*known, OBJECTIVE))
    taking = [name for name in names if all(takes(name, option) for option in options)]
    if not taking:
        raise BadInput(
            Problem(
                f"no algorithm that serves {promise} takes {' and '.join(options)} together",
                "name the algorithm, and give the options that it takes",
            )
        )
    return taking


def _in_turn(names: Sequence[str], models: Sequence[Model]) -> list[str]:
    """Those that are worth trying and keep the promise against all that somebody may know, the best first."""
    absence = any(Question.ABSENCE in model.asks for model in models)
    turns = {
        name: turn
        for name in names
        if (turn := ALGORITHMS[name].turn) is not None and (ALGORITHMS[name].heeds_absence or not absence)
    }
    return sorted(turns, key=turns.__getitem__)


def _budget(data: DataShape, limits: Limits) -> float:
    """Seconds that a search of all records should take on two processors."""
    if limits.time is None:
        return max(BUDGET, BUDGET_PER_RECORD * data.row_count)
    return _SHARE_TO_PLAN_WITH * limits.time


def _candidates(
    data: DataShape,
    models: Sequence[Model],
    names: Sequence[str],
    options: Mapping[str, Any],
    limits: Limits,
) -> Iterator[Candidate]:
    """The algorithms with options that suit the data; those that were given are not ours to choose."""
    given = {name: value for name, value in options.items() if name != OBJECTIVE}
    objective = str(options.get(OBJECTIVE))
    bare = any(name not in data.trees for name in (*data.quasi, *data.quasi_sets))
    suited = [name for name in names if not (bare and ALGORITHMS[name].needs_trees)]
    printed = given.get(AS_PRINTED) is True
    if "lra" in suited and not printed:  # which never loses more than aa
        suited = [name for name in suited if name != "aa"]
    for name in suited or names:
        chosen: dict[str, Any] = {}
        measure = objective if objective in NODE_COSTS else "lm"
        if takes(name, "measure"):
            chosen["measure"] = measure
        if takes(name, _LOCAL_SEARCH):
            sizes = BlockSizes(data, models, measure, _budget(data, limits))
            chosen |= {_LOCAL_SEARCH: True, **sizes.options(name)}
        if name == "rmerge-rt":
            chosen["items"] = "pcta" if data.row_count <= _LARGE_FOR_PCTA else "auto"
            chosen["delta"] = "frontier"
        if printed:
            chosen = without_additions(ALGORITHMS[name], chosen)
        suited_options = _with_limits(name, {**chosen, **given}, limits)
        yield Candidate(name, suited_options, quick=name == "mondrian")
        plainly = not {_LOCAL_SEARCH, AS_PRINTED} & set(given)
        if name == "hilbert" and plainly and _SMALL_TABLE < data.row_count <= MANY_ROWS:
            quickly = {**suited_options, _LOCAL_SEARCH: False, "block": WHOLE}
            yield Candidate(name, quickly, mentioned=(_LOCAL_SEARCH,), quick=True)


def _with_limits(name: str, options: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """The options with what was said about limits, where an algorithm wants to know."""
    told = dict(options)
    if limits.memory is not None and takes(name, "memory_limit"):
        told["memory_limit"] = limits.memory
    if takes(name, "on_limit"):
        told["on_limit"] = "best"
    return told


def sample_of(data: LocalData, models: Sequence[Model], rng: np.random.Generator) -> LocalData | None:
    """Some of the records on which algorithms are compared; None if they can be on all of them.

    Of a table it is a block of like records, which are as dense there as in the whole.
    """
    if data.quasi and data.row_count > _SMALL_TABLE and not data.quasi_sets:
        return like_records(data, models, rng)
    if not data.quasi and data.row_count > (wanted := sets_of_a_sample(data.row_count)):
        return block_of(data, np.sort(rng.choice(data.row_count, wanted, replace=False)))
    return None


def like_records(data: LocalData, models: Sequence[Model], rng: np.random.Generator) -> LocalData:
    """A block of like records; all records of a small table."""
    if data.row_count <= _SMALL_TABLE:
        return data
    constraint = class_constraint_of(data, models)
    rows = max(_ROWS_OF_A_SAMPLE, 20 * constraint.k)
    blocks = some_blocks(data, constraint, rows, _BLOCKS_TO_DRAW_FROM)
    return block_of(data, blocks[int(rng.integers(len(blocks)))])


def sets_of_a_sample(row_count: int) -> int:
    """On how many of so many sets algorithms are compared."""
    return row_count if row_count <= _SMALL_SETS else _SETS_OF_A_SAMPLE
