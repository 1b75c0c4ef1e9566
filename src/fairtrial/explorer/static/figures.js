// a chart with what it shows, and buttons that save it as it stands
import { button, make } from "./dom.js";

export const figure = (id, caption, chart) =>
  make(
    "figure",
    { "data-figure": id },
    make("figcaption", {}, caption),
    make("div", { class: "drawing" }, chart.node),
    make(
      "p",
      { class: "save" },
      "Save as ",
      ["svg", "png"].map((kind) =>
        button(kind.toUpperCase(), () => charts.save(chart.node, id, kind), {
          "aria-label": `Save ${id} as ${kind.toUpperCase()}`,
        }),
      ),
    ),
  );
