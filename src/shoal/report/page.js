"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  const themed = ({ data, layout }) => {
    layout.font.color = colour("ink");
    layout.font.family = getComputedStyle(document.body).fontFamily;
    for (const axis of ["xaxis", "yaxis"]) {
      layout[axis].gridcolor = colour("grid");
      layout[axis].linecolor = colour("line");
    }
    layout.hoverlabel = { bgcolor: colour("card"), bordercolor: colour("line"), font: { color: colour("ink") } };
    for (const trace of data) {
      if (!trace.meta) continue;
      if (trace.marker) trace.marker.color = colour(trace.meta);
      if (trace.line) trace.line.color = colour(trace.meta);
    }
    return { data, layout };
  };

  const holders = [...document.querySelectorAll("[data-figure]")];
  const isSeen = (holder) => holder.getClientRects().length > 0;

  const draw = () => {
    for (const holder of holders.filter(isSeen)) {
      const { data, layout } = themed(structuredClone(figures[holder.dataset.figure]));
      Plotly.react(holder, data, layout, { responsive: true, displayModeBar: false });
    }
  };

  const fit = () => holders.filter(isSeen).forEach((holder) => Plotly.Plots.resize(holder));

  const quoted = (value) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };

  const save = (name) => {
    const { columns, rows } = figures[name].layout.meta;
    const lines = [columns, ...rows].map((row) => row.map(quoted).join(","));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
    link.download = `${name}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  const choose = (select) => {
    for (const option of select.options) document.getElementById(option.value).hidden = !option.selected;
    draw();
  };

  draw();
  for (const button of document.querySelectorAll("[data-csv]")) {
    button.addEventListener("click", () => save(button.dataset.csv));
  }
  for (const select of document.querySelectorAll("[data-choose]")) {
    select.addEventListener("change", () => choose(select));
  }
  for (const part of document.querySelectorAll("details")) part.addEventListener("toggle", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  addEventListener("beforeprint", () => { draw(); fit(); });
  addEventListener("afterprint", () => { draw(); fit(); });
})();
