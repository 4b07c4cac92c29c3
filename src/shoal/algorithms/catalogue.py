"""The algorithms by name: the command line, the documentation and the contract tests iterate over them."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.parameters import parameters_of, refuse_additions
from shoal.errors import UnknownName
from shoal.extensions import extensions


class _Catalogue(Mapping[str, type[Algorithm]]):
    """Algorithms by name, each loaded when it is asked for: a run needs one of them, and help none."""

    def __init__(self, homes: Mapping[str, str], others: list[type[Algorithm]]) -> None:
        self._homes = homes
        self._loaded = {algorithm.name: algorithm for algorithm in others}
        self._names = dict.fromkeys((*homes, *self._loaded))

    def __getitem__(self, name: str) -> type[Algorithm]:
        if name not in self._loaded:
            module, _, algorithm = self._homes[name].partition(":")
            self._loaded[name] = getattr(import_module(f"shoal.algorithms.{module}"), algorithm)
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


ALGORITHMS: Mapping[str, type[Algorithm]] = _Catalogue(
    {
        "mondrian": "relational.mondrian.algorithm:Mondrian",
        "hilbert": "relational.hilbert.algorithm:Hilbert",
        "k-member": "relational.k_member:KMember",
        "kanon-cf": "relational.kanon_cf.algorithm:KAnonCF",
        "cluster": "relational.cluster:Cluster",
        "forest": "relational.forest:Forest",
        "agglomerative": "relational.agglomerative:Agglomerative",
        "sequential": "relational.sequential:Sequential",
        "full-domain": "relational.full_domain.algorithm:FullDomain",
        "aa": "sets.aa:AA",
        "lra": "sets.lra:LRA",
        "vpa": "sets.vpa:VPA",
        "da": "sets.da:DA",
        "oa": "sets.oa:OA",
        "hghs": "sets.hghs:HgHs",
        "itemwise": "sets.itemwise.algorithm:Itemwise",
        "lgr": "sets.lgr:LGR",
        "partition": "sets.partition:Partition",
        "lgr-literal": "sets.lgr_literal:LGRLiteral",
        "pcta": "sets.pcta.algorithm:PCTA",
        "rmerge-rt": "mixed.rum_bound:RmergeRT",
        "rmerge-r": "mixed.rum_bound:RmergeR",
        "rmerge-t": "mixed.rum_bound:RmergeT",
        "tmerge-rt": "mixed.tum_bound:TmergeRT",
        "tmerge-r": "mixed.tum_bound:TmergeR",
        "tmerge-t": "mixed.tum_bound:TmergeT",
        "classwise": "mixed.classwise.algorithm:Classwise",
        "rfirst": "mixed.rfirst:Rfirst",
        "tfirst": "mixed.tfirst:Tfirst",
        "disassociation": "sets.disassociation.algorithm:Disassociate",
        "diffpart": "sets.diffpart.algorithm:DiffPart",
    },
    extensions("shoal.algorithms"),
)


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
