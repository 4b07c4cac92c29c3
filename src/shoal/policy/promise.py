"""From the words of [privacy] to the models that are promised."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import InvalidParameter
from shoal.policy.policy_file import Misfit, PrivacySection
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.catalogue import MODELS
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.k_lm_diversity import KLmDiversity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.lm_diversity import LmDiversity
from shoal.privacy.set_k_anonymity import SetKAnonymity, SetLDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.privacy.verdict import Model

_KEYS_OF_MODEL = {
    "k-anonymity": {"k", "l", "diversity", "c", "t", "distance", "alpha"},
    "km-anonymity": {"k", "m", "l", "negative"},
    "set-k-anonymity": {"k", "l"},
    "k-km-anonymity": {"k", "m", "l", "t", "distance", "alpha"},
    "disassociation": {"k", "m", "l"},
    "differential-privacy": {"epsilon"},
}
_NEEDED_BY_MODEL = {
    "k-anonymity": ("k",),
    "km-anonymity": ("k", "m"),
    "set-k-anonymity": ("k",),
    "k-km-anonymity": ("k", "m"),
    "disassociation": ("k", "m"),
    "differential-privacy": ("epsilon",),
}


def promises_of(models: Model | Sequence[Model]) -> tuple[Model, ...]:
    """One or several models as several; there must be one."""
    promised = tuple(models) if isinstance(models, Sequence) else (models,)
    if not promised or not all(isinstance(model, tuple(MODELS.values())) for model in promised):
        raise InvalidParameter("Shoal", "models", models, "one or more models, such as KAnonymity(k=5)")
    return promised


def models_of(privacy: PrivacySection) -> tuple[Model, ...]:
    """The promises of a policy, the main one first."""
    takes = _KEYS_OF_MODEL[privacy.model]
    for key in sorted(privacy.model_fields_set - {"model"} - takes):
        raise Misfit(f"{privacy.model} takes no {key!r}; it takes {', '.join(sorted(takes))}")
    for key in _NEEDED_BY_MODEL[privacy.model]:
        if getattr(privacy, key) is None:
            raise Misfit(f"{privacy.model} needs {key}: add it to [privacy]")
    k, m, l = privacy.k or 0, privacy.m or 0, privacy.l
    match privacy.model:
        case "k-anonymity":
            return (KAnonymity(k), *_diversity(privacy), *_closeness(privacy, k))
        case "km-anonymity":
            main_km = KmAnonymity(k, m, negative=privacy.negative)
            return (main_km,) if l is None else (main_km, LmDiversity(l, m))
        case "set-k-anonymity":
            return (SetKAnonymity(k),) if l is None else (SetKAnonymity(k), SetLDiversity(l))
        case "k-km-anonymity":
            main = KKmAnonymity(k, m) if l is None else KLmDiversity(k, l, m)
            return (main, *_closeness(privacy, k))
        case "disassociation":
            return (Disassociation(k, m),) if l is None else (Disassociation(k, m, l),)
        case _:
            return (DifferentialPrivacy(privacy.epsilon or 0),)


def _diversity(privacy: PrivacySection) -> list[Model]:
    if privacy.l is not None:
        return [LDiversity(privacy.l, kind=privacy.diversity or "frequency", c=privacy.c)]
    if privacy.diversity is not None or privacy.c is not None:
        raise Misfit("diversity needs l: add it to [privacy]")
    return []


def _closeness(privacy: PrivacySection, k: int) -> list[Model]:
    models: list[Model] = []
    if privacy.t is not None:
        models.append(TCloseness(privacy.t, distance=privacy.distance or "equal"))
    elif privacy.distance is not None:
        raise Misfit("distance needs t: add it to [privacy]")
    if privacy.alpha is not None:
        models.append(AlphaKAnonymity(privacy.alpha, k))
    return models
