"""A comparison of runs: one HTML file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from shoal.metrics.catalogue import MEASURES
from shoal.metrics.tasks.usefulness import MEASURES as _MEASURES
from shoal.report.document import document
from shoal.report.figures import Point, comparison_figure
from shoal.report.html import Content, Html, table, tag
from shoal.report.parts import pair, private_header, section, tiles
from shoal.report.usefulness_section import MODEL_NAMES
from shoal.report.wording import counted, measure, sentence

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The run to take, why, and what other promises would cost, as a sentence and as a table of texts."""

    run: str | None
    reason: str
    costs: str = ""
    heads: tuple[str, ...] = ()
    promises: tuple[tuple[str, ...], ...] = ()
    left_out: tuple[str, ...] = ()


def compare_page(rows: Sequence[Row], front: Sequence[str], advice: Advice, loss: str) -> str:
    """The whole page; `front` names the runs that no other beats."""
    header = private_header(
        "Comparison",
        f"{counted(len(rows), 'run')} side by side",
        "Losses compare with the original: they must not go out with a published file.",
    )
    return document(
        "Shoal comparison",
        header,
        _sections(rows, front, advice, loss),
        f"Made by Shoal {version('shoal')}.",
    )


def _sections(rows: Sequence[Row], front: Sequence[str], advice: Advice, loss: str) -> Iterable[Html]:
    yield _recommendation(rows, advice, loss)
    if len(advice.promises) > 1:
        yield _promises(advice)
    usable = [row for row in rows if row["holds"] and row.get(loss) is not None]
    shown = f"{loss.upper()} (lower is better)"
    swept = _swept(rows)
    by_swept = [] if swept is None else [row for row in usable if row.get(swept) is not None]
    if swept is not None and by_swept:
        yield _by_parameter("loss", f"Loss by {swept}", by_swept, (swept, loss), shown)
    if usable:
        yield _loss_and_risk(usable, front, loss, shown)
    if usefulness := task_table(rows):
        yield section("usefulness", usefulness[0], tag("p", _TASK), _plain_table(*usefulness), class_="wide")
    if swept is not None and by_swept:
        yield _by_parameter("time", f"Time by {swept}", by_swept, (swept, "seconds"), "seconds")
    yield _all_runs(rows, front, loss)


_TASK = (
    "Models were trained on the release of each run, and tested on original records that had no part in the"
    " training. Beside the mean over random splits stands the range that holds the true one in 95 of 100"
    " cases."
)


def task_table(rows: Sequence[Row]) -> tuple[str, tuple[str, ...], list[tuple[str, ...]]] | None:
    """How well a target is predicted from each release: a title, heads and rows; None without a target."""
    measured = [row for row in rows if row.get("target") is not None]
    if not measured:
        return None
    heads = ("trained on", *(f"{MODEL_NAMES[model]}, {each}" for model in MODEL_NAMES for each in _MEASURES))
    first = measured[0]
    body = [
        (
            str(row["run"]),
            *(_with_range(row, f"{model}_{each}") for model in MODEL_NAMES for each in _MEASURES),
        )
        for row in measured
    ]
    for words, of in (("the original", "original"), ("no quasi-identifiers", "suppressed")):
        cells = (f"{first[f'{of}_{model}_{each}']:.3f}" for model in MODEL_NAMES for each in _MEASURES)
        body.append((words, *cells))
    majority = f"{first['majority_accuracy']:.3f}"
    body.append(("nothing: a majority guess", *(majority, "0.500") * len(MODEL_NAMES)))
    return f"Predicting {first['target']}", heads, body


def _with_range(row: Row, name: str) -> str:
    return f"{row[name]:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"


def _plain_table(title: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Html:
    return table(title, heads, [tuple(row) for row in rows], numeric=tuple(range(1, len(heads))), cards=True)


def _recommendation(rows: Sequence[Row], advice: Advice, loss: str) -> Html:
    best = next((row for row in rows if row["run"] == advice.run), None)
    return section(
        "verdict",
        "The recommendation",
        tag("p", f"✓ {advice.run}" if advice.run else "✗ No run can be recommended", class_="answer"),
        tag("p", f"{advice.reason}.", class_="claim"),
        None if best is None else tiles(_key_figures(best, loss)),
        *(tag("p", sentence(words), class_="quiet") for words in advice.left_out),
        class_="verdict" if advice.run else "verdict broken",
    )


def _promises(advice: Advice) -> Html:
    """What a stricter, weaker or other promise would cost, beside the policy's own."""
    return section(
        "promises",
        "What other promises would cost",
        tag("p", sentence(advice.costs)) if advice.costs else None,
        table(
            "Every promise by its run that loses least",
            advice.heads,
            [tuple(row) for row in advice.promises],
            numeric=tuple(range(4, len(advice.heads))),
            cards=True,
        ),
        class_="wide",
    )


def _key_figures(best: Row, loss: str) -> dict[str, str]:
    return {
        f"{loss.upper()}, lower is better": _loss(loss, best[loss]),
        "highest risk, 1 / smallest support": "–" if best["risk"] is None else f"{best['risk']:.3g}",
        "seconds": f"{best['seconds']:.1f}",
        "MB at most": f"{best['peak_memory_mb']:,.0f}",
    }


def _swept(rows: Sequence[Row]) -> str | None:
    """The parameter to show runs by: one with several values, if there is any."""
    values = {name: {row[name] for row in rows if name in row} for name in _PARAMETERS}
    given = [name for name in _PARAMETERS if values[name] and None not in values[name]]
    return next((name for name in given if len(values[name]) > 1), given[0] if given else None)


_PARAMETERS = ("k", "m", "l", "t", "alpha")


def _by_parameter(name: str, title: str, rows: Sequence[Row], axes: tuple[str, str], vertical: str) -> Html:
    """A line per algorithm, and a table with a column for each."""
    x, y = axes
    lines: dict[str, list[Point]] = {}
    for row in rows:
        others = str(row["run"]).replace(f" {x}={row[x]}", "")
        lines.setdefault(others, []).append((float(row[x]), float(row[y]), str(row["run"])))
    lines = {series: sorted(points) for series, points in lines.items()}
    of_series = {series: {across: up for across, up, _ in points} for series, points in lines.items()}
    places = sorted({across for points in lines.values() for across, _, _ in points})
    body: list[tuple[Content, ...]] = [
        (f"{across:g}", *(_cell(y, found.get(across)) for found in of_series.values())) for across in places
    ]
    return section(
        name,
        title,
        pair(
            f"figure-{name}",
            comparison_figure(lines, [], (x, vertical), percent=_is_share(y)),
            f"Chart of {vertical} over {x}, one mark per run, as in the table.",
            table(title, (x, *of_series), body, numeric=tuple(range(1, len(of_series) + 1))),
        ),
    )


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.1f}" if name == "seconds" else _loss(name, value)


def _loss(name: str, value: float) -> str:
    """A loss with one digit more than elsewhere, because runs are often close."""
    return f"{value:.2%}" if _is_share(name) else measure(name, value)


def _is_share(name: str) -> bool:
    return name in MEASURES and MEASURES[name].unit == "share"


def _loss_and_risk(rows: Sequence[Row], front: Sequence[str], loss: str, shown: str) -> Html:
    lines: dict[str, list[Point]] = {}
    for row in rows:
        if row["risk"] is not None:
            point = float(row["risk"]), float(row[loss]), str(row["run"])
            lines.setdefault(str(row.get("variant", row["algorithm"])), []).append(point)
    points = {run: (across, up) for line in lines.values() for across, up, run in line}
    on_front = [run for run in front if run in points]
    body: list[tuple[Content, ...]] = [
        (run, f"{points[run][0]:.3g}", _loss(loss, points[run][1])) for run in on_front
    ]
    return section(
        "risk",
        "Loss and risk",
        tag(
            "p",
            "The line joins the runs that no other beats in both (the Pareto front). Risk is the highest"
            " chance to find somebody, for who knows what the promise covers: 1 / smallest support.",
        ),
        pair(
            "figure-risk",
            comparison_figure(
                lines, [points[run] for run in on_front], ("highest risk", shown), percent=_is_share(loss)
            ),
            f"Chart of {shown} over the highest risk, one mark per run, as in the table of all runs.",
            table("Runs on the front", ("run", "highest risk", loss.upper()), body, numeric=(1, 2)),
        ),
    )


def _run_and_choice(row: Row) -> str:
    """The name of a run, with the algorithm that was chosen where that was left open."""
    return str(row["run"]) if row.get("took") in (None, row["algorithm"]) else f"{row['run']} ({row['took']})"


def _all_runs(rows: Sequence[Row], front: Sequence[str], loss: str) -> Html:
    body: list[tuple[Content, ...]] = [
        (
            _run_and_choice(row),
            str(row["promise"]),
            "holds, checked" if row["holds"] else str(row.get("error") or "does not hold"),
            "" if row.get(loss) is None else _loss(loss, row[loss]),
            "" if row["risk"] is None else f"{row['risk']:.3g}",
            "" if row["mean_risk"] is None else f"{row['mean_risk']:.3g}",
            "" if row["seconds"] is None else f"{row['seconds']:.2f}",
            f"{row['peak_memory_mb']:,.0f}",
            "yes" if row["run"] in front else "",
        )
        for row in rows
    ]
    heads = (
        "run",
        "promise",
        "verdict",
        loss.upper(),
        "risk",
        "mean risk",
        "seconds",
        "peak MB",
        "on the front",
    )
    return section(
        "runs",
        "All runs",
        table(
            "Every run, as in comparison.csv", heads, body, numeric=(3, 4, 5, 6, 7), wordy=(2,), cards=True
        ),
        class_="wide",
    )
