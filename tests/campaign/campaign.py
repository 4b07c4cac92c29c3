"""Many random cases: what is released, what it keeps, and what verifiers say of good and bad files."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
import shutil
import signal
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.campaign import checkers
from tests.campaign.case import Case
from tests.campaign.generate import make_case
from tests.campaign.mutate import mutate_certificate, mutate_file, sealed
from tests.campaign.product import Answer, reports_written, restated, shoal, verify_alone, write_script
from tests.campaign.readers import LISTED, Unreadable, read_clusters, read_published

GOOD, BROKEN, UNREADABLE = "good", "broken", "unreadable"
SECONDS = 60  # that a case may take
CERTIFICATE = "certificate.json"
LISTED_BY_SHOAL = "beside its table"
PLAIN = (".txt", ".dat", ".txt.gz", ".dat.gz", ".jsonl", ".jsonl.gz")  # which show items as they are


@dataclass(frozen=True)
class Finding:
    """Something that must not be, with the case that shows it."""

    kind: str
    what: str
    seed: int
    number: int

    def line(self) -> str:
        return (
            f"python -m tests.campaign --seed {self.seed} --only {self.number}   # {self.kind}: {self.what}"
        )


@dataclass
class Outcome:
    """What came of one case."""

    algorithm: str
    model: str
    released: bool = False
    reason: str = ""
    verdicts: Counter[tuple[str, str, str, int]] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


class TooSlow(BaseException):
    """A case took longer than any case may."""


@contextmanager
def _within(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def try_case(seed: int, number: int, *, keep: Path | None = None) -> Outcome:
    """Run one case from beginning to end; what was found is kept under `keep`."""
    case = make_case(seed, number)
    outcome = Outcome(str(case.algorithm["name"]), case.model)
    trial = Trial(case, outcome)
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
        trial.folder = Path(folder)
        try:
            with _within(SECONDS):
                trial.run()
        except TooSlow:
            trial.find("slow", f"not done after {SECONDS} s")
        except Exception as error:  # noqa: BLE001 - a fault of the campaign must not end it
            trial.find("fault of the campaign", "".join(traceback.format_exception(error))[-380:])
        if outcome.findings and keep is not None:
            _keep(case, outcome, Path(folder), keep)
    return outcome


def _keep(case: Case, outcome: Outcome, folder: Path, keep: Path) -> None:
    kinds = "-".join(sorted({re.sub(r"\W+", "_", finding.kind) for finding in outcome.findings}))[:80]
    place = keep / f"{kinds}-{case.seed}-{case.number}"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)
    lines = [finding.line() for finding in outcome.findings]
    (place / "reproduce.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


@cache
def _script() -> Path:
    return write_script(Path(tempfile.mkdtemp(prefix="campaign-verifier-")))


class Trial:
    """One case: the run, the checks of what it published, and changes that verifiers must notice."""

    folder: Path

    def __init__(self, case: Case, outcome: Outcome) -> None:
        self.case, self.outcome = case, outcome
        self.rng = random.Random(f"{case.seed}/{case.number}/changes")

    def find(self, kind: str, what: str) -> None:
        words = " ".join(what.replace(str(self.folder), "").split())[:400]
        self.outcome.findings.append(Finding(kind, words, self.case.seed, self.case.number))

    def run(self) -> None:
        policy = self.case.write(self.folder / "in")
        out = self.folder / "out"
        with reports_written(self.case.number % 25 == 0):
            answer = self._asked("run", policy, "--out", out)
        left = sorted(path.name for path in self.folder.iterdir() if path.name not in ("in", "out"))
        if left or (answer.code and out.exists()):
            self.find("left behind", f"{left} after exit {answer.code}")
        if answer.code:
            self._refused(answer)
            return
        self.outcome.released = True
        file = out / self.case.published_name
        self._check_release(file)
        self._verify_release(file, policy)
        if self.case.model != "differential-privacy":
            for number in range(2):
                self._change_file(file, policy, number)
        for number in range(2):
            self._change_certificate(file, number)

    def _asked(self, *words: object) -> Answer:
        answer = shoal(*words)
        if answer.crashed:
            self.find("traceback", f"{words[0]}: {_last_lines(answer)}")
        return answer

    def _refused(self, answer: Answer) -> None:
        told = answer.err.split("error:", 1)[-1].strip().splitlines()
        self.outcome.reason = f"{answer.code}: {_general(told[0] if told else '')}"
        if answer.code == 1:
            self.find("own release refused", told[0] if told else "")
        if ".partial-" in answer.err:
            self.find("hidden folder named", told[0])

    # ---------------------------------------------------------------------------------- what was released

    def _check_release(self, file: Path) -> None:
        try:
            found, listed = self._flaws(file, with_original=True)
        except Unreadable as error:
            found, listed = [f"unreadable: {error}"], []
        found += [*listed, *self._told_beside(file)]
        if found:
            self.find("violation", "; ".join(found[:3]))

    def _told_beside(self, file: Path) -> Iterator[str]:
        """Identifiers, or sensitive items that the file does not show, in what may go out with it."""
        public = [file.parent / CERTIFICATE, file.parent / "report.html"]
        texts = {path.name: path.read_text(encoding="utf-8") for path in public}
        for column in self.case.of_role("identifier"):
            for value in {str(row[column.name]) for row in self.case.rows if column.name in row}:
                yield from (f"{name} names {value!r}" for name, text in texts.items() if value in text)
        shown = json.loads(texts[CERTIFICATE])["policy"]["columns"]
        content = file.read_bytes()
        plain = gzip.decompress(content) if file.suffix == ".gz" else content
        for column in self.case.columns if file.name.endswith(PLAIN) else ():
            for item in shown.get(column.name, {}).get("sensitive", ()):
                if item.encode() not in plain and json.dumps(item)[1:-1].encode() not in plain:
                    yield f"the certificate names the sensitive item {item!r}, which the file does not hold"

    def _set_column(self) -> str | None:
        return next((column.name for column in self.case.columns if column.is_set), None)

    def _verify_release(self, file: Path, policy: Path) -> None:
        certificate = file.parent / CERTIFICATE
        by_policy = self._asked("verify", file, "--policy", policy)
        by_certificate = self._asked("verify", file, "--certificate", certificate)
        alone = verify_alone(certificate, file, _script())
        for verifier, answer in (("policy", by_policy), ("certificate", by_certificate), ("alone", alone)):
            self.outcome.verdicts[verifier, "release", GOOD, answer.code] += 1
        cannot = self.case.model == "differential-privacy"
        with_trees = bool(self.case.privacy.get("negative"))  # which no certificate holds
        if by_policy.code != (2 if cannot else 0):
            self.find("good file refused", f"by policy: {by_policy.code} {_last_lines(by_policy)}")
        if by_certificate.code != (2 if cannot or (with_trees and by_certificate.code == 2) else 0):
            self.find(
                "good file refused", f"by certificate: {by_certificate.code} {_last_lines(by_certificate)}"
            )
        if alone.code == 1:
            self.find("good file refused", f"stand-alone: {alone.out}")

    # -------------------------------------------------------------------------------------- changed files

    def _change_file(self, file: Path, policy: Path, number: int) -> None:
        mutated = mutate_file(self.rng, self.case, file)
        folder = self.folder / f"changed{number}"
        folder.mkdir()
        changed = folder / file.name
        changed.write_bytes(mutated.content)
        verdict, why, listed = self._judged(changed)
        certificate = folder / CERTIFICATE
        certificate.write_text(_forged(file.parent / CERTIFICATE, changed), encoding="utf-8")
        by_policy = self._asked("verify", changed, "--policy", policy)
        by_certificate = self._asked("verify", changed, "--certificate", certificate)
        alone = verify_alone(certificate, changed, _script())
        stated = GOOD if self._only_unnamed(certificate, why) else verdict
        for verifier, answer, judged in (
            ("policy", by_policy, verdict),
            ("certificate", by_certificate, stated),
            ("alone", alone, stated),
        ):
            self.outcome.verdicts[verifier, "changed file", judged, answer.code] += 1
            if answer.code == 0 and judged != GOOD and not (verifier == "alone" and self._not_for_alone(why)):
                self.find("broken file accepted", f"by {verifier}, {mutated.what}: {'; '.join(why[:2])}")
            if listed and answer.code == 0 and LISTED_BY_SHOAL not in answer.err and verifier != "alone":
                self.find("not listed", f"by {verifier}, {mutated.what}: {listed[0]}")
        # Damage that leaves the table readable may still be refused.
        if verdict == GOOD and not listed and by_policy.code == 1 and mutated.what != "flipped":
            self.find("good file refused", f"by policy, {mutated.what}: {_last_lines(by_policy)}")
        self._compare(by_certificate, alone, mutated.what)

    def _only_unnamed(self, certificate: Path, why: list[str]) -> bool:
        """Whether a file breaks its promise only where its certificate does not say that there is one.

        A certificate states which published items are sensitive. Forged for a file with another one, it
        states less than the policy, and what it states holds.
        """
        columns = json.loads(certificate.read_text(encoding="utf-8"))["policy"]["columns"]
        named = {item for about in columns.values() for item in about.get("sensitive", ())}
        unnamed = {item for column in self.case.columns for item in column.sensitive_items} - named
        return bool(why) and all(
            "guesses" in what and any(what.endswith(f": {item}") for item in unnamed) for what in why
        )

    def _not_for_alone(self, why: list[str]) -> bool:
        """The script says itself that it does not check what is promised about sensitive values."""
        words = ("guess", "gives", "has no value", "is no number", "is no date")
        return all(any(word in what for word in words) for what in why)

    def _flaws(self, file: Path, *, with_original: bool) -> tuple[list[str], list[str]]:
        """Why a file does not keep its promise, and what programs left in it."""
        if self.case.model == "disassociation":
            clusters, beside = read_clusters(file)
            found = [what for what in beside if not what.startswith(LISTED)]
            found += checkers.flaws_of_clusters(self.case, clusters)
            found += checkers.infidelities_of_clusters(self.case, clusters) if with_original else []
        else:
            published = read_published(file, sets=self._set_column())
            beside, found = published.beside, checkers.flaws(self.case, published)
            found += checkers.infidelities(self.case, published) if with_original else []
        return found, [what for what in beside if what.startswith(LISTED)]

    def _judged(self, file: Path) -> tuple[str, list[str], list[str]]:
        try:
            found, listed = self._flaws(file, with_original=False)
        except Unreadable as error:
            return UNREADABLE, [str(error)], []
        return (BROKEN if found else GOOD), found, listed

    def _compare(self, by_certificate: Answer, alone: Answer, what: str) -> None:
        cannot_tell = 2
        if alone.crashed:
            self.find("traceback", f"stand-alone, {what}: {_last_lines(alone)}")
        if alone.code == cannot_tell:
            return
        self.outcome.verdicts["both", "agree", "", int((by_certificate.code == 0) == (alone.code == 0))] += 1
        if (by_certificate.code == 0) != (alone.code == 0):
            told = f"{_last_lines(by_certificate)} / {alone.out.strip()}"
            self.find("verifiers disagree", f"{what}: {by_certificate.code} and {alone.code}: {told}")

    # ------------------------------------------------------------------------------- changed certificates

    def _change_certificate(self, file: Path, number: int) -> None:
        text = (file.parent / CERTIFICATE).read_text(encoding="utf-8")
        mutated = mutate_certificate(self.rng, text)
        path = self.folder / f"certificate{number}.json"
        path.write_text(mutated.text, encoding="utf-8")
        answer = self._asked("verify", file, "--certificate", path)
        alone = verify_alone(path, file, _script())
        if alone.crashed:
            self.find("traceback", f"stand-alone, {mutated.what}: {_last_lines(alone)}")
        verdict = BROKEN if mutated.other else GOOD
        self.outcome.verdicts["certificate", "changed certificate", verdict, answer.code] += 1
        self.outcome.verdicts["alone", "changed certificate", verdict, alone.code] += 1
        if mutated.other and answer.code == 0:
            self.outcome.accepted[_general(mutated.what)] += 1
            self.find("changed certificate accepted", mutated.what)


def _forged(certificate: Path, file: Path) -> str:
    """The certificate with the fingerprint of another file, and its figures where it keeps the promise."""
    content = json.loads(certificate.read_text(encoding="utf-8"))
    data = file.read_bytes()
    content["file"] = {"name": file.name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return json.dumps(sealed(restated(content, file)), indent=2, ensure_ascii=False) + "\n"


def _last_lines(answer: Answer) -> str:
    told = [line.strip("│ ") for line in (answer.out + "\n" + answer.err).splitlines()]
    lines = [line for line in told if line and not set(line) <= set("┌┐└┘─┬┴├┤┼━┏┓┗┛┃")]
    return " ".join(lines[-6:] if answer.crashed else lines[:6])[-380:]


def _general(words: str) -> str:
    """A message without the particulars of its case."""
    words = re.sub(r"(/\S+)+", "PATH", words)
    words = re.sub(r"'[^']*'|\"[^\"]*\"", "'..'", words)
    return re.sub(r"-?\d+(\.\d+)?", "N", words)[:110]


@dataclass
class Tally:
    """What came of many cases."""

    outcomes: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    @property
    def findings(self) -> list[Finding]:
        return [finding for outcome in self.outcomes for finding in outcome.findings]

    def tables(self) -> str:
        return "\n\n".join(
            [self._by("algorithm"), self._by("model"), self._reasons(), self._confusion(), self._found()]
        )

    def _by(self, what: str) -> str:
        tried: Counter[str] = Counter(getattr(outcome, what) for outcome in self.outcomes)
        released = Counter(getattr(outcome, what) for outcome in self.outcomes if outcome.released)
        broken = Counter(
            getattr(outcome, what)
            for outcome in self.outcomes
            if any(finding.kind == "violation" for finding in outcome.findings)
        )
        rows = [
            [name, tried[name], tried[name] - released[name], released[name], broken[name]] for name in tried
        ]
        total = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
        return table([what, "tried", "refused", "released", "violations"], [*rows, ["all", *total]])

    def _reasons(self) -> str:
        reasons = Counter(outcome.reason for outcome in self.outcomes if outcome.reason)
        return table(
            ["refused, exit code and reason", "cases"], [[why, n] for why, n in reasons.most_common(15)]
        )

    def _confusion(self) -> str:
        counts: Counter[tuple[str, str, str, int]] = Counter()
        for outcome in self.outcomes:
            counts.update(outcome.verdicts)
        kinds = sorted({key[:3] for key in counts if key[0] != "both"})
        rows: list[list[Any]] = []
        for kind in kinds:
            rows.append([*kind, *(counts[(*kind, code)] for code in (0, 1, 2))])
            others = sum(n for key, n in counts.items() if key[:3] == kind and key[3] not in (0, 1, 2))
            rows[-1].append(others)
        agree, differ = counts["both", "agree", "", 1], counts["both", "agree", "", 0]
        shown = table(
            ["verifier", "of", "plain checks say", "accepted", "refused", "cannot tell", "crash"], rows
        )
        both = f"Both verifiers by certificate: {agree} times the same answer, {differ} times another."
        return f"{shown}\n\n{both}"

    def _found(self) -> str:
        kinds = Counter(finding.kind for finding in self.findings)
        return table(["finding", "times"], [[kind, n] for kind, n in kinds.most_common()] or [["none", 0]])


def table(head: list[str], rows: list[list[Any]]) -> str:
    """A table as Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )
