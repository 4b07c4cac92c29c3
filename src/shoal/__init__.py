"""Shoal: every record hides in a shoal of at least k."""

from shoal.errors import ShoalError
from shoal.hierarchy.builders import dates, digits, fanout, flat, mask_left, mask_right, ranges
from shoal.hierarchy.files import HierarchyFile
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
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
from shoal.privacy.verdict import Verdict
from shoal.recoding.recoding_diff import diff_recodings
from shoal.recoding.recoding_file import load_recoding
from shoal.run.api import anonymize, measure, read, verify
from shoal.run.result import Result
from shoal.study.attack import attack
from shoal.study.compare import compare
from shoal.study.comparison import Constraint
from shoal.study.reconstruct import mean_supports, query, reconstruct
from shoal.table.reading import LongForm, ReadOptions
from shoal.table.roles import Identifier, Insensitive, Quasi, QuasiSet, Sensitive

__version__ = "0.1.0"

__all__ = [
    "AlphaKAnonymity",
    "Constraint",
    "DifferentialPrivacy",
    "Disassociation",
    "HierarchyFile",
    "Identifier",
    "Insensitive",
    "KAnonymity",
    "KKmAnonymity",
    "KLmDiversity",
    "KmAnonymity",
    "LDiversity",
    "LmDiversity",
    "LongForm",
    "Quasi",
    "QuasiSet",
    "ReadOptions",
    "Result",
    "Sensitive",
    "SetKAnonymity",
    "SetLDiversity",
    "ShoalError",
    "TCloseness",
    "Verdict",
    "anonymize",
    "attack",
    "compare",
    "dates",
    "diff_recodings",
    "digits",
    "fanout",
    "flat",
    "load_recoding",
    "mask_left",
    "mask_right",
    "mean_supports",
    "measure",
    "query",
    "ranges",
    "read",
    "reconstruct",
    "verify",
]
