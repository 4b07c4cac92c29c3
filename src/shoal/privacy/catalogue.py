"""All promises by name; the command line, the docs and the contract tests iterate over them."""

from __future__ import annotations

from shoal.extensions import extensions
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.k_lm_diversity import KLmDiversity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.lm_diversity import LmDiversity
from shoal.privacy.model import Model
from shoal.privacy.set_k_anonymity import SetKAnonymity, SetLDiversity
from shoal.privacy.t_closeness import TCloseness

MODELS: dict[str, type[Model]] = {
    model.name: model
    for model in (
        KAnonymity,
        LDiversity,
        TCloseness,
        AlphaKAnonymity,
        KmAnonymity,
        LmDiversity,
        SetKAnonymity,
        SetLDiversity,
        KKmAnonymity,
        KLmDiversity,
        Disassociation,
        DifferentialPrivacy,
        *extensions("shoal.models"),
    )
}
