// a chart with what it shows, and buttons that save it as it stands
import { button, make } from "./dom.js";

// a chart no wider than the page, so that its text stays legible on a phone; half a card has less room
const CARD = 600,
  EDGES = 30;
export const chartOf = (name, data, { card = false, ...options }) => {
  const page = document.querySelector("main").clientWidth;
  return charts[name](data, { room: card ? Math.min(page - EDGES, CARD) : page, ...options });
};

export const figure = (id, caption, chart) =>
  make(
    "figure",
    { "data-figure": id },
    make(
      "figcaption",
      {},
      make("span", {}, caption),
      make(
        "span",
        { class: "save" },
        "Save as ",
        ["svg", "png"].map((kind) =>
          button(kind.toUpperCase(), () => charts.save(chart.node, id, kind), {
            "aria-label": `Save ${id} as ${kind.toUpperCase()}`,
          }),
        ),
      ),
    ),
    make("div", { class: "drawing" }, chart.node),
  );
