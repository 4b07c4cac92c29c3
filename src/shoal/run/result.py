"""What a run gives back, and the files it is saved as."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import replace as replaced
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from shoal.engine.local import LocalData
from shoal.errors import BadInput, Infeasible, OutputFailed, Problem, PromiseBroken
from shoal.json_values import json_value
from shoal.policy.output_names import (
    CERTIFICATE,
    CODEBOOK,
    INPUTS,
    INTERNAL,
    MARK,
    POLICY,
    PUBLISHED_ENDINGS,
    RECODING,
    REPORT,
    SPREADSHEET_ENDINGS,
    TYPED_ENDINGS,
    USEFULNESS,
    ending_of,
    formula_problems,
    name_problems,
    partition_name_problems,
)
from shoal.posix import give_back_memory
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.disassociated_file import ENDINGS, write_clusters
from shoal.recoding.flat_table import flat_table
from shoal.recoding.label_notation import kind_of_values
from shoal.recoding.recoding import Recoding
from shoal.report.certificate import Statement, certificate, declaration
from shoal.report.certified import promise_of_certificate, roles_of_certificate
from shoal.report.codebook import Codebook
from shoal.report.outcome import Outcome
from shoal.report.page import notebook_view, page
from shoal.report.public_page import public_page
from shoal.report.result_file import result_dict
from shoal.run.codebook_check import embedded_text, of_rows
from shoal.run.judged import Judged
from shoal.run.output import folder_that_appears_whole
from shoal.run.prepare import Data
from shoal.run.public_facts import public_facts, statement_of
from shoal.run.published_file import AS_PUBLISHED, VerifiedFile, verified_file, with_hierarchies
from shoal.run.release_codebook import codebook_of_clusters, codebook_of_rows, meanings
from shoal.table.beside import CODEBOOK_KEY
from shoal.table.columns import Kind, Table
from shoal.table.database import DatabaseTable
from shoal.table.dialect import PLAIN, Dialect
from shoal.table.formulas import marked_item, without_formulas
from shoal.table.frames import in_kind
from shoal.table.partitions import partition_problems, write_partitioned
from shoal.table.reading import to_frame
from shoal.table.remote_file import RemoteFile, is_remote
from shoal.table.roles import Quasi
from shoal.table.writing import FileForm, write_table


@dataclass(frozen=True, eq=False)
class Result(Judged):
    """A release that was checked, with its cost; `sh.anonymize` and `sh.run_policy` give it.

    Args:
        outcome: What is promised, what it cost, what changed and how it came about.
        released: What would be published.
        data: What it was made from.
        recoding: What was decided, to be saved and applied to other records.
        pseudonym_key: The key of the pseudonyms, if there are any.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> data = sh.read(pa.table({"age": [31, 34]}), {"age": sh.Quasi(hierarchy=sh.ranges(10))})
        >>> sh.anonymize(data, sh.KAnonymity(k=2), algorithm="mondrian")
        <Result: satisfies k-anonymity with k=2 on age; holds; 2 of 2 records published by mondrian>
    """

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

    def __repr__(self) -> str:
        outcome, cost = self.outcome, self.outcome.cost
        claims = ", ".join(verdict.claim for verdict in outcome.claim.verdicts)
        holds = (
            "by construction" if outcome.by_construction else "holds" if outcome.holds else "DOES NOT HOLD"
        )
        records = f"{cost.published_records:,} of {cost.records:,} records published"
        return f"<Result: {claims}; {holds}; {records} by {outcome.provenance.algorithm}>"

    @property
    def default_name(self) -> str:
        """The published file's name when nobody gives one."""
        return "published.jsonl" if isinstance(self.released, Disassociated) else "published.csv"

    def _repr_html_(self) -> str:
        """The verdict, the risk and the cost, drawn, for notebooks."""
        return notebook_view(self.outcome)

    def save(
        self,
        folder: str | PathLike[str],
        *,
        published: str | None = None,
        replace: bool = False,
        neutralize_formulas: bool = False,
        partitioned: bool = False,
        dialect: Dialect = PLAIN,
        inputs: Mapping[str, Any] | None = None,
        also: Callable[[], object] | None = None,
    ) -> Path:
        """Write what may be published, and beside it what is for the publisher alone.

        The folder appears whole or not at all. The published file is read back and checked from its bytes
        before it gets its name. With `neutralize_formulas` texts that a spreadsheet would run are marked.
        With `partitioned` the published file is a folder, in which records lie in folders such as
        `year=2020`, as those of the data did. Delimited text is in the given `dialect`, and what that leaves
        open is as in the original file. `inputs` say what the run read, for the publisher alone. `also` is
        done last, before the folder appears, which it does not if that fails.
        """
        published = self.default_name if published is None else published
        endings = ENDINGS if isinstance(self.released, Disassociated) else PUBLISHED_ENDINGS
        if problems := name_problems(published, endings):
            raise BadInput(*problems)
        if neutralize_formulas and (problems := formula_problems(published)):
            raise BadInput(*problems)
        if partitioned and (problems := self._partition_problems(published)):
            raise BadInput(*problems)
        if self.outcome.by_construction and self.outcome.cost.published_records == 0:
            raise Infeasible(
                "under the noise no set was frequent enough to be published: raise epsilon, or lower"
                " leaf_threshold or partition_threshold"
            )
        if is_remote(str(folder)):
            remedy = "save it in a folder, or name the address to sh.run_policy or shoal run --out"
            raise BadInput(Problem("is on another machine", remedy, file=RemoteFile(str(folder)).where))
        final = Path(folder)
        with folder_that_appears_whole(final, replace=replace) as partial:
            file = partial / published
            written = (
                self._in_partitions(file)
                if partitioned
                else self._written(file, dialect, marked=neutralize_formulas)
            )
            stated = written.stated(ending_of(published))
            checked, statement = self._read_back(file, written, marked=neutralize_formulas)
            certified = certificate(statement, file, stated)
            _write_json(partial / CERTIFICATE, certified)
            codebook = self._codebook(checked.content, statement.columns, written)
            _write_json(partial / CODEBOOK, codebook.to_json(published, stated))
            facts = replaced(
                public_facts(checked, statement, publishable=self.outcome.claim.publishable),
                meanings=meanings(codebook),
            )
            (partial / REPORT).write_text(public_page(facts, str(certified["digest"])), encoding="utf-8")
            # Notices may name values of the original, and this file lies beside what is published.
            told = result_dict(self.outcome)
            _write_json(partial / MARK, {name: told[name] for name in told if name != "notices"})
            self._write_internal(partial / INTERNAL)
            if inputs is not None:
                _write_json(partial / INTERNAL / INPUTS, dict(inputs))
            if also is not None:
                also()
        return final

    def refuse_broken_table(self, table: DatabaseTable) -> None:
        """Read a table that was written from this release; PromiseBroken if it is not that release."""
        checked, _ = self._read_back(table, PLAIN, marked=False)
        shown = self.outcome.cost.published_records
        if not isinstance(checked.content, LocalData) or checked.content.row_count != shown:
            verdict = checked.verdicts[0]
            raise PromiseBroken(f"{table.where} does not hold the {shown} records of the release", verdict)

    def _partition_problems(self, published: str) -> list[Problem]:
        columns = () if isinstance(self.released, Disassociated) else tuple(self.released.columns)
        partitions = self.data.loaded.source.how_read.partitions
        return [*partition_name_problems(published), *partition_problems(partitions, columns)]

    def _in_partitions(self, folder: Path) -> Dialect:
        if isinstance(self.released, Disassociated):
            raise TypeError("disassociated data are clusters, not a table")
        partitions = self.data.loaded.source.how_read.partitions
        keys = [name for name in partitions if name in self.released.columns]
        write_partitioned(self.released, folder, keys, self._kinds())
        return PLAIN

    def _written(self, file: Path, dialect: Dialect, *, marked: bool) -> Dialect:
        """Write the published file, and tell in which dialect it is."""
        if isinstance(self.released, Disassociated):
            write_clusters(self.released, file)
            return PLAIN
        if not file.name.endswith(SPREADSHEET_ENDINGS):
            form = FileForm(kinds=self._kinds(), metadata=self._metadata(file.name))
            write_table(self.released, file, form)
            return PLAIN
        table = without_formulas(self.released) if marked else self.released
        chosen = dialect.like(
            self.data.loaded.source.how_read, self.data.options.decimal, ending_of(file.name)
        )
        try:
            write_table(table, file, FileForm(kinds=self._kinds(), dialect=chosen))
        except OutputFailed:
            if dialect.encoding is not None or chosen.is_utf8:
                raise
            chosen = replaced(chosen, encoding="utf-8", bom=True)  # labels can have other letters
            write_table(table, file, FileForm(kinds=self._kinds(), dialect=chosen))
        return chosen

    def _codebook(
        self,
        published: LocalData | Disassociated,
        columns: Mapping[str, Mapping[str, Any]],
        dialect: Dialect,
    ) -> Codebook:
        if isinstance(published, Disassociated):
            return codebook_of_clusters(published, columns)
        return codebook_of_rows(published, columns, self.data.local, dialect)

    def _metadata(self, name: str) -> dict[str, str]:
        """What a file with types says about itself: its codebook, so that nobody needs another file."""
        if not name.endswith(TYPED_ENDINGS) or isinstance(self.released, Disassociated):
            return {}
        published = LocalData(self.released, self.data.local.roles)
        codebook = codebook_of_rows(published, self._columns_as_published(marked=False), self.data.local)
        return {CODEBOOK_KEY: embedded_text(of_rows(codebook, self.released))}

    def _kinds(self) -> dict[str, Kind]:
        """What the values of quasi-identifiers are that are no texts."""
        local = self.data.local
        kinds = {
            name: kind_of_values(role, local.trees.get(name))
            for name, role in local.roles.items()
            if isinstance(role, Quasi) and name in local.table.columns
        }
        return {name: kind for name, kind in kinds.items() if kind in (Kind.NUMBER, Kind.DATE)}

    def _read_back(
        self, file: Path | DatabaseTable, dialect: Dialect, *, marked: bool
    ) -> tuple[VerifiedFile, Statement]:
        """What the written file shows to anybody; PromiseBroken if it does not keep its promise.

        It is read as somebody reads it who has the certificate and nothing else.
        """
        columns = self._columns_as_published(marked=marked)
        declared = declaration(self.outcome.claim.promise, columns)
        promise = promise_of_certificate(declared)
        give_back_memory()
        roles = with_hierarchies(roles_of_certificate(declared), self.data.local.roles)
        checked = verified_file(file, roles, promise, AS_PUBLISHED, dialect=dialect, just_made=True)
        for verdict in checked.verdicts:
            if not verdict.holds:
                raise PromiseBroken(
                    f"the written file does not keep its promise: {verdict.evidence}", verdict
                )
        return checked, statement_of(checked, roles, promise)

    def _columns_as_published(self, *, marked: bool) -> Mapping[str, Mapping[str, Any]]:
        columns = self.outcome.claim.roles
        if not marked:
            return columns
        return {
            name: {**about, "sensitive": sorted(set(map(marked_item, about["sensitive"])))}
            if "sensitive" in about
            else about
            for name, about in columns.items()
        }

    def _write_internal(self, folder: Path) -> None:
        folder.mkdir(mode=0o700)
        (folder / REPORT).write_text(page(self.outcome), encoding="utf-8")
        if self.outcome.provenance.policy:  # a call from Python has none
            (folder / POLICY).write_text(self.outcome.provenance.policy, encoding="utf-8")
        if self.outcome.cost.usefulness is not None:
            _write_json(folder / USEFULNESS, self.outcome.cost.usefulness.details())
        self.recoding.save(folder / RECODING)
        if self.pseudonym_key is not None:
            (folder / "pseudonym.key").write_text(self.pseudonym_key.hex() + "\n", encoding="ascii")


def _write_json(path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(json_value(content), indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")
