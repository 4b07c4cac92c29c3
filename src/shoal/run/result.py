"""What a run gives back, and the files it is saved as."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.engine.local import LocalData
from shoal.errors import BadInput, PromiseBroken
from shoal.policy.output_names import (
    CERTIFICATE,
    INTERNAL,
    MARK,
    PUBLISHED_ENDINGS,
    RECODING,
    REPORT,
    formula_problems,
    name_problems,
)
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.disassociated_file import ENDINGS, write_clusters
from shoal.recoding.flat_table import flat_table
from shoal.recoding.recoding import Recoding
from shoal.recoding.recoding_file import save_recoding
from shoal.report.certificate import certificate
from shoal.report.outcome import Outcome
from shoal.report.page import notebook_view, page
from shoal.report.public_page import PublicFacts, public_page
from shoal.report.result_file import result_dict
from shoal.run.judged import Judged
from shoal.run.output import folder_that_appears_whole
from shoal.run.prepare import Data
from shoal.run.public_facts import public_facts
from shoal.run.verification import VerifiedFile, verified_file
from shoal.table.columns import Table
from shoal.table.formulas import without_formulas
from shoal.table.frames import in_kind
from shoal.table.reading import to_frame
from shoal.table.writing import write_table


@dataclass(frozen=True, eq=False)
class Result(Judged):
    """A release that was checked, with its cost."""

    outcome: Outcome
    released: Table | Disassociated
    data: Data
    recoding: Recoding
    pseudonym_key: bytes | None = None

    @cached_property
    def frame(self) -> Any:
        """The release as the same kind of frame that came in; a pyarrow table when a file came in.

        Of disassociated data it is the flat form, one row per term of a subrecord or term chunk.
        """
        source = self.data.loaded.source
        if isinstance(self.released, Disassociated):
            return in_kind(flat_table(self.released), source.library)
        return to_frame(self.released, source)

    @property
    def default_name(self) -> str:
        """The published file's name when nobody gives one."""
        return "published.jsonl" if isinstance(self.released, Disassociated) else "published.csv"

    def _repr_html_(self) -> str:
        """The verdict, the risk and the cost, drawn, for notebooks."""
        return notebook_view(self.outcome)

    def save(
        self,
        folder: str | Path,
        *,
        published: str | None = None,
        replace: bool = False,
        neutralize_formulas: bool = False,
    ) -> Path:
        """Write what may be published, and beside it what is for the publisher alone.

        The folder appears whole or not at all. The published file is read back and checked from its bytes
        before it gets its name. With `neutralize_formulas` texts that a spreadsheet would run are marked.
        """
        published = self.default_name if published is None else published
        endings = ENDINGS if isinstance(self.released, Disassociated) else PUBLISHED_ENDINGS
        if problems := name_problems(published, endings):
            raise BadInput(*problems)
        if neutralize_formulas and (problems := formula_problems(published)):
            raise BadInput(*problems)
        final = Path(folder)
        with folder_that_appears_whole(final, replace=replace) as partial:
            file = partial / published
            if isinstance(self.released, Disassociated):
                write_clusters(self.released, file)
            else:
                write_table(without_formulas(self.released) if neutralize_formulas else self.released, file)
            public = self._read_back(file)
            _write_json(partial / CERTIFICATE, certificate(self.outcome, file))
            (partial / REPORT).write_text(public_page(public), encoding="utf-8")
            # Notices may name values of the original, and this file lies beside what is published.
            facts = result_dict(self.outcome)
            _write_json(partial / MARK, {name: facts[name] for name in facts if name != "notices"})
            self._write_internal(partial / INTERNAL)
        return final

    def _read_back(self, file: Path) -> PublicFacts:
        """What the written file shows to anybody; PromiseBroken if it does not keep its promise."""
        roles = self.data.local.roles
        if self.outcome.by_construction and isinstance(self.released, Table):  # no file can show it
            checked = VerifiedFile(LocalData(self.released, roles), self.outcome.claim.verdicts)
        else:
            checked = verified_file(file, roles, self.outcome.claim.promise, self.data.options)
        for verdict in checked.verdicts:
            if not verdict.holds:
                raise PromiseBroken(
                    f"the written file does not keep its promise: {verdict.evidence}", verdict
                )
        return public_facts(
            checked, roles, self.outcome.claim.promise, publishable=self.outcome.claim.publishable
        )

    def _write_internal(self, folder: Path) -> None:
        folder.mkdir(mode=0o700)
        (folder / REPORT).write_text(page(self.outcome), encoding="utf-8")
        if self.outcome.provenance.policy:  # a call from Python has none
            (folder / "policy.toml").write_text(self.outcome.provenance.policy, encoding="utf-8")
        save_recoding(self.recoding, self.data.local.trees, folder / RECODING)
        if self.pseudonym_key is not None:
            (folder / "pseudonym.key").write_text(self.pseudonym_key.hex() + "\n", encoding="ascii")


def _write_json(path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")
