"""Shoal: every record hides in a shoal of at least k."""

from .algorithms.search import Search
from .errors import BadInput, Infeasible, InvalidParameter, LimitReached, PromiseBroken, ShoalError
from .hierarchy.builders import (
    continents,
    dates,
    digits,
    fanout,
    flat,
    keep,
    mask_left,
    mask_right,
    order,
    prefixes,
    ranges,
)
from .hierarchy.files import HierarchyFile
from .privacy.alpha_k_anonymity import AlphaKAnonymity
from .privacy.differential_privacy import DifferentialPrivacy
from .privacy.disassociation import Disassociation
from .privacy.k_anonymity import KAnonymity
from .privacy.k_km_anonymity import KKmAnonymity
from .privacy.k_lm_diversity import KLmDiversity
from .privacy.km_anonymity import KmAnonymity
from .privacy.l_diversity import LDiversity
from .privacy.lm_diversity import LmDiversity
from .privacy.set_k_anonymity import SetKAnonymity, SetLDiversity
from .privacy.t_closeness import TCloseness
from .privacy.verdict import Verdict, Verdicts
from .recoding.recoding_diff import diff_recodings
from .run.api import anonymize, measure, read, verify
from .run.applying import load_recoding
from .run.policy_run import run_policy
from .run.prepare import Data
from .run.result import Result
from .study.attack import attack
from .study.compare import compare
from .study.open_release import OpenedRelease, open_release
from .study.profile import profile
from .study.recommendation import Constraint
from .study.reconstruct import mean_supports, reconstruct
from .study.release_query import query
from .study.rubin import Combined, combine
from .table.dialect import Dialect
from .table.reading import LongForm, ReadOptions
from .table.roles import Identifier, Insensitive, Quasi, QuasiSet, Role, Sensitive

__version__: str

__all__ = [
    "AlphaKAnonymity",
    "BadInput",
    "Combined",
    "Constraint",
    "Data",
    "Dialect",
    "DifferentialPrivacy",
    "Disassociation",
    "HierarchyFile",
    "Identifier",
    "Infeasible",
    "Insensitive",
    "InvalidParameter",
    "KAnonymity",
    "KKmAnonymity",
    "KLmDiversity",
    "KmAnonymity",
    "LDiversity",
    "LimitReached",
    "LmDiversity",
    "LongForm",
    "OpenedRelease",
    "PromiseBroken",
    "Quasi",
    "QuasiSet",
    "ReadOptions",
    "Result",
    "Role",
    "Search",
    "Sensitive",
    "SetKAnonymity",
    "SetLDiversity",
    "ShoalError",
    "TCloseness",
    "Verdict",
    "Verdicts",
    "anonymize",
    "attack",
    "combine",
    "compare",
    "continents",
    "dates",
    "diff_recodings",
    "digits",
    "fanout",
    "flat",
    "keep",
    "load_recoding",
    "mask_left",
    "mask_right",
    "mean_supports",
    "measure",
    "open_release",
    "order",
    "prefixes",
    "profile",
    "query",
    "ranges",
    "read",
    "reconstruct",
    "run_policy",
    "verify",
]
