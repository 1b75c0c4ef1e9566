// a chart with what it shows, and buttons that save it as it stands
import { button, make } from "./dom.js";

// a chart no wider than the page, so that its text stays legible on a phone
export const chartOf = (name, data, options) =>
  charts[name](data, { room: document.querySelector("main").clientWidth, ...options });

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
