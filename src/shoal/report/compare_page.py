"""A comparison of runs: one HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from shoal.report.document import document
from shoal.report.figures import comparison_figure
from shoal.report.html import Content, Html, table, tag
from shoal.report.parts import pair, section
from shoal.report.wording import counted, measure

Row = Mapping[str, Any]


def compare_page(rows: Sequence[Row], front: Sequence[str], taken: str | None, reason: str, loss: str) -> str:
    """The whole page; `front` names the runs that no other beats, `taken` the recommended one."""
    header = tag(
        "header",
        tag("p", "Comparison", class_="overline"),
        tag("h1", f"{counted(len(rows), 'run')} side by side"),
        tag(
            "p",
            "For the publisher only. Losses compare with the original: they must not go out with a published"
            " file.",
            class_="private",
        ),
    )
    return document(
        "Shoal comparison",
        header,
        _sections(rows, front, taken, reason, loss),
        f"Made by Shoal {version('shoal')}.",
    )


def _sections(
    rows: Sequence[Row], front: Sequence[str], taken: str | None, reason: str, loss: str
) -> Iterable[Html]:
    yield section(
        "verdict",
        "The recommendation",
        tag("p", f"✓ {taken}" if taken else "✗ No run keeps the constraint", class_="answer"),
        tag("p", reason, class_="claim"),
        class_="verdict" if taken else "verdict broken",
    )
    usable = [row for row in rows if row["holds"] and row.get(loss) is not None]
    shown = f"{loss.upper()} (lower is better)"
    swept = next((name for name in ("k", "m", "l", "t", "alpha") if any(name in row for row in rows)), None)
    if usable and swept is not None:
        yield _figure("loss", f"Loss by {swept}", usable, (swept, loss), (swept, shown))
    if usable:
        yield _figure(
            "risk",
            "Loss and risk",
            usable,
            ("risk", loss),
            ("highest risk (1 / smallest support)", shown),
            front=front,
        )
    if usable and swept is not None:
        yield _figure("time", f"Time by {swept}", usable, (swept, "seconds"), (swept, "seconds"))
    yield _all_runs(rows, front, loss)


def _figure(
    name: str,
    title: str,
    rows: Sequence[Row],
    axes: tuple[str, str],
    titles: tuple[str, str],
    *,
    front: Sequence[str] = (),
) -> Html:
    x, y = axes
    lines = {
        algorithm: sorted(
            (float(row[x]), float(row[y]), str(row["run"])) for row in rows if row["algorithm"] == algorithm
        )
        for algorithm in dict.fromkeys(str(row["algorithm"]) for row in rows)
    }
    points = {run: (across, up) for line in lines.values() for across, up, run in line}
    body: list[tuple[Content, ...]] = [
        (run, f"{across:.4g}", f"{up:.4g}") for line in lines.values() for across, up, run in line
    ]
    marked = [points[run] for run in front if run in points]
    words = "The line joins the runs that no other beats in both (the Pareto front)." if front else ""
    return section(
        name,
        title,
        tag("p", words) if words else None,
        pair(
            f"figure-{name}",
            comparison_figure(lines, marked, titles),
            f"Chart of {titles[1]} over {titles[0]}, one mark per run, as in the table.",
            table(title, ("run", titles[0], titles[1]), body, numeric=(1, 2)),
        ),
    )


def _all_runs(rows: Sequence[Row], front: Sequence[str], loss: str) -> Html:
    body: list[tuple[Content, ...]] = [
        (
            str(row["run"]),
            str(row["model"]),
            "holds, checked" if row["holds"] else str(row.get("error") or "does not hold"),
            "" if row.get(loss) is None else measure(loss, row[loss]),
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
        "runs", "All runs", table("Every run, as in comparison.csv", heads, body, numeric=(3, 4, 5, 6, 7))
    )
