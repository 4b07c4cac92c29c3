"""From the words of [privacy] to the models that are promised."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.policy.policy_file import Misfit, PrivacySection, given_keys
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Beside, Key, Model, Named
from shoal.privacy.promise import Promise


def promise_of(privacy: PrivacySection) -> Promise:
    """The promise of a policy, the named model first; Misfit for keys that do not go with it."""
    name, given = privacy.model, given_keys(privacy)
    taken = [key.name for key in keys_of(name)]
    for unknown in sorted(set(given).difference(taken)):
        raise Misfit(f"{name} takes no {unknown!r}; it takes {', '.join(sorted(taken))}")
    named = named_models()[name]
    for key in named.keys:
        if key.needed and key.name not in given:
            raise Misfit(f"{name} needs {key.name}: add it to [privacy]")
    promised: list[Model] = [named.make(given)]
    for beside in added_to(name):
        asking, *others = (key.name for key in beside.keys)
        if asking in given:
            promised.append(beside.make(given))
        elif lonely := [key for key in others if key in given]:
            raise Misfit(f"{lonely[0]} needs {asking}: add it to [privacy]")
    return Promise(promised)


def named_models() -> dict[str, Named]:
    """The models that a policy can name."""
    return {name: model.named for name, model in MODELS.items() if model.named is not None}


def keys_of(name: str) -> list[Key]:
    """The keys that stand beside the name of a model, its own first."""
    return [
        *named_models()[name].keys,
        *(key for beside in added_to(name) for key in beside.keys),
    ]


def added_to(name: str) -> Iterator[Beside]:
    """The promises that can be added to a named model."""
    return (model.beside for model in MODELS.values() if model.beside and name in model.beside.models)
