"""The files of a run on Spark, wherever Spark writes: they appear under their name when they are complete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from shoal.errors import BadInput, OutputFailed, Problem, PromiseBroken
from shoal.json_values import JsonValue, json_value
from shoal.policy.output_names import CERTIFICATE, CODEBOOK, INTERNAL, MARK, POLICY, name_problems
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.report.certificate import Statement, certificate, declaration, fingerprint_of_parts
from shoal.report.certified import promise_of_certificate, roles_of_certificate
from shoal.report.codebook import Codebook
from shoal.report.result_file import result_dict
from shoal.run.published_file import AS_PUBLISHED
from shoal.run.release_codebook import codebook_of_clusters, codebook_of_rows
from shoal.run.spark_frames import VerifiedFrame, statement_of_frame, verified_frame
from shoal.spark.cluster_lines import SparkClusters
from shoal.spark.port import SparkPort

if TYPE_CHECKING:
    from shoal.run.on_spark import SparkResult

ENDINGS = (".parquet",)
CLUSTER_ENDINGS = (".jsonl",)


class Folder:
    """A folder as Hadoop's file systems see it: on disk, in HDFS, or behind an object store."""

    def __init__(self, session: SparkSession, url: str) -> None:
        self.url = url.rstrip("/")
        self._jvm: Any = session.sparkContext._jvm
        java_session: Any = session.sparkContext._jsc
        self._files: Any = self._path("").getFileSystem(java_session.hadoopConfiguration())
        self._files.setWriteChecksum(False)

    def exists(self, name: str = "") -> bool:
        """Whether something is there."""
        return bool(self._files.exists(self._path(name)))

    def write(self, name: str, content: str) -> None:
        """Write a small file."""
        stream = self._files.create(self._path(name))
        try:
            stream.write(bytearray(content.encode()))
        finally:
            stream.close()

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        self._files.delete(self._path(""), True)  # noqa: FBT003 - Java's way to say recursively

    def rename(self, url: str) -> None:
        """Give the folder another name."""
        target = self._jvm.org.apache.hadoop.fs.Path(url)
        self._files.mkdirs(target.getParent())
        if not self._files.rename(self._path(""), target):
            raise OutputFailed(f"{url}: the output could not be given its name; nothing was left behind")

    def _path(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(f"{self.url}/{name}" if name else self.url)


def refuse_unusable_url(
    session: SparkSession, url: str, published: str, promise: Promise, *, replace: bool
) -> None:
    """Say early what would make the output fail late."""
    if problems := name_problems(published, CLUSTER_ENDINGS if promise.form is Form.CLUSTERS else ENDINGS):
        raise BadInput(*problems)
    folder = Folder(session, url)
    if not folder.exists():
        return
    if not replace:
        remedy = "add --replace, or choose another folder with --out"
        raise BadInput(Problem("exists already", remedy, file=url))
    if not folder.exists(MARK):
        what = f"was not written by shoal (it has no {MARK}), so it is not replaced"
        raise BadInput(Problem(what, "choose another folder with --out", file=url))


def save_spark(result: SparkResult, url: str, *, published: str, replace: bool) -> str:
    """Write what may be published, as Parquet or as JSON lines, and beside it what tells of it.

    Executors write the rows; the driver writes the rest. The published files are read back and checked before
    the folder gets its name.
    """
    session, promise = result.frame.sparkSession, result.outcome.claim.promise
    refuse_unusable_url(session, url, published, promise, replace=replace)
    with _folder_that_appears_whole(session, url) as partial:
        release = f"{partial.url}/{published}"
        if promise.form is Form.CLUSTERS:
            result.frame.write.text(release)
            written = session.read.text(release)
        else:
            result.frame.write.parquet(release)
            written = session.read.parquet(release)
        checked, statement = _read_back(result, written)
        codebook = _codebook(checked, statement, result.data.port)
        facts = result_dict(result.outcome)
        partial.write(CERTIFICATE, _json(certificate(statement, fingerprint(session, release, published))))
        partial.write(CODEBOOK, _json(codebook.to_json(published)))
        # Notices may name values of the original, and this file lies beside what is published.
        partial.write(MARK, _json({name: facts[name] for name in facts if name != "notices"}))
        if result.outcome.provenance.policy:  # a call from Python has none
            partial.write(f"{INTERNAL}/{POLICY}", result.outcome.provenance.policy)
    return url


def fingerprint(session: SparkSession, release: str, name: str) -> dict[str, JsonValue]:
    """The size of all files of a release, and one SHA-256: that of the lines that `sha256sum *` prints."""
    files = session.read.format("binaryFile").load(release).select("path", "length", sql.sha2("content", 256))
    found = ((path.rsplit("/", 1)[-1], length, digest) for path, length, digest in files.collect())
    return fingerprint_of_parts(name, found)


@contextmanager
def _folder_that_appears_whole(session: SparkSession, url: str) -> Iterator[Folder]:
    parent, _, name = url.rstrip("/").rpartition("/")
    partial = Folder(
        session, f"{parent}/.{name}.partial-{uuid4().hex}" if parent else f".{name}.partial-{uuid4().hex}"
    )
    try:
        yield partial
        earlier = Folder(session, url)
        if earlier.exists():
            earlier.remove()
        partial.rename(url)
    except BaseException:
        partial.remove()
        raise


def _read_back(result: SparkResult, written: DataFrame) -> tuple[VerifiedFrame, Statement]:
    """What the written files show to anybody; PromiseBroken if they do not keep their promise."""
    columns = result.outcome.claim.roles
    declared = declaration(result.outcome.claim.promise, columns)
    promise = promise_of_certificate(declared)
    roles = roles_of_certificate(declared)
    checked = verified_frame(written, roles, promise, AS_PUBLISHED)
    for verdict in checked.verdicts:
        if not verdict.holds:
            sentence = f"the written files do not keep their promise: {verdict.evidence}"
            raise PromiseBroken(sentence, verdict)
    return checked, statement_of_frame(checked, roles, promise)


def _codebook(checked: VerifiedFrame, statement: Statement, original: SparkPort) -> Codebook:
    if isinstance(checked.content, SparkClusters):
        return codebook_of_clusters(checked.content, statement.columns)
    return codebook_of_rows(checked.content, statement.columns, original)


def _json(content: dict[str, Any]) -> str:
    return json.dumps(json_value(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
