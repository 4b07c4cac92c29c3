"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);

  const quoted = (value) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };

  const save = (name) => {
    const { columns, rows } = figures[name];
    const lines = [columns, ...rows].map((row) => row.map(quoted).join(","));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
    link.download = `${name}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  const choose = (select) => {
    for (const option of select.options) document.getElementById(option.value).hidden = !option.selected;
  };

  for (const button of document.querySelectorAll("[data-csv]")) {
    button.addEventListener("click", () => save(button.dataset.csv));
  }
  for (const select of document.querySelectorAll("[data-choose]")) {
    select.addEventListener("change", () => choose(select));
  }
})();
