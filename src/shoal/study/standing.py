"""How the promise of a run stands to that of the policy: the same, more, less, or something else."""

from typing import Any, Literal

from shoal.policy.promise import keys_of
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise

Standing = Literal["own", "stricter", "weaker", "another"]


def standing_of(promise: Promise, policys: Promise) -> Standing:
    """Whether a promise is the policy's own, asks for at least as much everywhere, for less, or otherwise.

    What asks for more here and for less there is weaker: the policy's promise would not be kept. Another
    model, and values that have no order, promise something else.
    """
    if promise == policys:
        return "own"
    if promise.main.name != policys.main.name:
        return "another"
    of_name = {model.name: model for model in promise}
    if any(model.name not in of_name for model in policys):
        return "weaker"
    found = {_standing_of_model(of_name[model.name], model, promise.main.name) for model in policys}
    return next((standing for standing in ("another", "weaker") if standing in found), "stricter")


def _standing_of_model(model: Model, policys: Model, main: str) -> Standing:
    direction = {key.name: key.stricter for key in keys_of(main)}
    here, there = model.parameters, policys.parameters
    changed = [name for name in {**here, **there} if here.get(name) != there.get(name)]
    if any(direction.get(name) is None or name not in here or name not in there for name in changed):
        return "another"
    less = (_asks_for_less(here[name], there[name], direction[name]) for name in changed)
    return "weaker" if any(less) else "stricter"


def _asks_for_less(value: Any, policys: Any, direction: str | None) -> bool:
    return bool(value < policys) if direction == "larger" else bool(value > policys)
