"use strict";
(() => {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  const themed = (figure) => {
    figure.layout.font.color = colour("ink");
    figure.layout.font.family = getComputedStyle(document.body).fontFamily;
    for (const axis of ["xaxis", "yaxis"]) {
      figure.layout[axis].gridcolor = colour("grid");
      figure.layout[axis].linecolor = colour("line");
    }
    figure.layout.hoverlabel = { bgcolor: colour("card"), bordercolor: colour("line"), font: { color: colour("ink") } };
    for (const trace of figure.data) {
      if (!trace.meta) continue;
      trace.marker.color = colour(trace.meta);
      if (trace.line) trace.line.color = colour(trace.meta);
    }
    return figure;
  };

  const holders = [...document.querySelectorAll("[data-figure]")];

  const draw = () => {
    for (const holder of holders) {
      const text = document.getElementById(holder.dataset.figure).textContent;
      const figure = themed(JSON.parse(text));
      Plotly.react(holder, figure.data, figure.layout, { responsive: true, displayModeBar: false });
    }
  };

  const fit = () => holders.forEach((holder) => Plotly.Plots.resize(holder));

  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  addEventListener("beforeprint", () => { draw(); fit(); });
  addEventListener("afterprint", () => { draw(); fit(); });
})();
