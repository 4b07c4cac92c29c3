"""The algorithms by name: the command line, the documentation and the contract tests iterate over them."""

from collections.abc import Mapping
from typing import Any

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.mixed.classwise.algorithm import Classwise
from shoal.algorithms.mixed.rfirst import Rfirst
from shoal.algorithms.mixed.rum_bound import RmergeR, RmergeRT, RmergeT
from shoal.algorithms.mixed.tfirst import Tfirst
from shoal.algorithms.mixed.tum_bound import TmergeR, TmergeRT, TmergeT
from shoal.algorithms.parameters import parameters_of, refuse_additions
from shoal.algorithms.relational.agglomerative import Agglomerative
from shoal.algorithms.relational.cluster import Cluster
from shoal.algorithms.relational.forest import Forest
from shoal.algorithms.relational.full_domain.algorithm import FullDomain
from shoal.algorithms.relational.hilbert.algorithm import Hilbert
from shoal.algorithms.relational.k_member import KMember
from shoal.algorithms.relational.kanon_cf.algorithm import KAnonCF
from shoal.algorithms.relational.mondrian.algorithm import Mondrian
from shoal.algorithms.relational.sequential import Sequential
from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.da import DA
from shoal.algorithms.sets.diffpart.algorithm import DiffPart
from shoal.algorithms.sets.disassociation.algorithm import Disassociate
from shoal.algorithms.sets.hghs import HgHs
from shoal.algorithms.sets.itemwise.algorithm import Itemwise
from shoal.algorithms.sets.lgr import LGR
from shoal.algorithms.sets.lgr_literal import LGRLiteral
from shoal.algorithms.sets.lra import LRA
from shoal.algorithms.sets.oa import OA
from shoal.algorithms.sets.partition import Partition
from shoal.algorithms.sets.pcta.algorithm import PCTA
from shoal.algorithms.sets.vpa import VPA
from shoal.errors import UnknownName
from shoal.extensions import extensions

ALGORITHMS: dict[str, type[Algorithm]] = {
    algorithm.name: algorithm
    for algorithm in (
        Mondrian,
        Hilbert,
        KMember,
        KAnonCF,
        Cluster,
        Forest,
        Agglomerative,
        Sequential,
        FullDomain,
        AA,
        LRA,
        VPA,
        DA,
        OA,
        HgHs,
        Itemwise,
        LGR,
        Partition,
        LGRLiteral,
        PCTA,
        RmergeRT,
        RmergeR,
        RmergeT,
        TmergeRT,
        TmergeR,
        TmergeT,
        Classwise,
        Rfirst,
        Tfirst,
        Disassociate,
        DiffPart,
        *extensions("shoal.algorithms"),
    )
}


def make_algorithm(name: str, options: Mapping[str, Any]) -> Algorithm:
    """The named algorithm with the given options; unknown names and bad values are errors."""
    if name not in ALGORITHMS:
        raise UnknownName("Shoal", "algorithm", name, ALGORITHMS)
    algorithm = ALGORITHMS[name]
    known = [declared.name for declared in parameters_of(algorithm)]
    for option in options:
        if option not in known:
            raise UnknownName(name, "option", option, known)
    refuse_additions(algorithm, options)
    return algorithm(**options)


def takes(name: str, option: str) -> bool:
    """Whether the named algorithm has such an option."""
    return any(declared.name == option for declared in parameters_of(ALGORITHMS[name]))


def describe_algorithms() -> list[dict[str, Any]]:
    """What there is, for which promises, from which paper: one row per algorithm."""
    return [
        {
            "name": algorithm.name,
            "models": [model.name for model in algorithm.serves],
            "paper": algorithm.paper,
            "guarantee": algorithm.guarantee,
            "distributed": None if algorithm.distributed is None else algorithm.distributed.by,
            "parameters": [
                {
                    "name": declared.name,
                    "default": declared.default,
                    "must_be": declared.rule.must_be(),
                    "help": declared.help,
                }
                for declared in parameters_of(algorithm)
            ],
        }
        for algorithm in ALGORITHMS.values()
    ]
