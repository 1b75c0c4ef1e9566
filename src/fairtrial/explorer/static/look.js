// the first look: numbers and curves that move with the operating point, intervals as soon as they are known
import * as api from "./api.js";
import { answerOf, takeAway } from "./answers.js";
import { button, make, show, told } from "./dom.js";
import { figure } from "./figures.js";
import { pointControl, pointOf } from "./points.js";

const PAUSE = 250,
  MANY = 2e6;
const cells = (name, now, interval, open) => [
  name,
  open ? "\u2026" : interval ? `${tables.percent(interval.low)} to ${tables.percent(interval.high)}` : "",
  now.threshold === null
    ? "one per block"
    : typeof now.threshold === "string"
      ? now.threshold
      : String(+now.threshold.toPrecision(6)),
];

export const lookView = async (host, app) => {
  const { state } = app,
    numbers = make("div"),
    panels = make("div", { class: "panels look" }),
    below = make("div"),
    curves = make("div");
  let look = null,
    shown = {},
    now = {},
    bands = {},
    intervals = {},
    timer = null,
    gone = false;
  const going = new Set();
  app.leave = () => {
    gone = true;
    clearTimeout(timer);
    for (const each of going) each.stop();
  };
  app.redraw = () => {
    app.leave();
    lookView(host, app);
  };

  const asking = async (fields) => {
    const work = api.work("ask", fields, ({ done, seconds }) => {
      app.say(`Computing intervals: ${done ? `${Math.round(100 * done)} %` : `${seconds.toFixed(0)} s`}\u2026`);
    });
    going.add(work);
    try {
      return await work.done;
    } finally {
      going.delete(work);
      if (!gone && !going.size) app.say("");
    }
  };
  const evaluated = () => {
    clearTimeout(timer);
    intervals = {};
    timer = setTimeout(async () => {
      try {
        const point = JSON.stringify(pointOf(state));
        const found = await asking({
          question: "evaluate",
          slot: "look",
          systems: app.systems(),
          point: pointOf(state),
        });
        if (found === null || gone || point !== JSON.stringify(pointOf(state))) return;
        for (const own of found.found.systems) intervals[own.system] = own.test.interval;
        drawNumbers();
        show(below, make("h2", {}, "In words and tables"), answerOf(found), takeAway(found));
      } catch (error) {
        if (!gone) show(below, told(error.message));
      }
    }, PAUSE);
  };
  const drawNumbers = () =>
    show(
      numbers,
      make(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": "Errors at the operating point" },
        make(
          "table",
          { class: "sortable", id: "numbers", "aria-live": "polite" },
          make("caption", {}, app.data.captions.errors),
          make(
            "thead",
            {},
            make(
              "tr",
              {},
              [
                "",
                "system",
                "threshold",
                "FAR",
                "FRR",
                "HTER",
                app.data.captions.interval,
                "false accepts",
                "false rejects",
              ].map((text, k) => make("th", { scope: "col", class: k > 1 ? "number" : null }, text)),
            ),
          ),
          make(
            "tbody",
            {},
            app
              .systems()
              .filter((name) => now[name])
              .map((name) => {
                const own = now[name],
                  [, interval, threshold] = cells(name, own, intervals[name], !intervals[name]);
                const number = (text, key) => make("td", { class: "number", "data-figure": key }, text);
                return make(
                  "tr",
                  { class: name === state.chosen ? "chosen" : null, "data-system": name },
                  make(
                    "td",
                    {},
                    make("input", {
                      type: "radio",
                      name: "chosen",
                      value: name,
                      checked: name === state.chosen,
                      "aria-label": `Show ${name}`,
                      on: {
                        change: () => {
                          state.chosen = name;
                          app.save();
                          draw();
                          move();
                          drawNumbers();
                        },
                      },
                    }),
                  ),
                  make("td", {}, name),
                  number(threshold, "threshold"),
                  number(tables.percent(own.far), "far"),
                  number(tables.percent(own.frr), "frr"),
                  number(tables.percent(own.hter), "hter"),
                  number(interval, "interval"),
                  number(
                    `${own.false_accepts.toLocaleString("en")} of ${own.impostor.toLocaleString("en")}`,
                    "false_accepts",
                  ),
                  number(
                    `${own.false_rejects.toLocaleString("en")} of ${own.genuine.toLocaleString("en")}`,
                    "false_rejects",
                  ),
                );
              }),
          ),
        ),
      ),
    );

  const chosen = () => look.systems.find(({ name }) => name === state.chosen) || look.systems[0];
  const { captions } = app.data;
  const curve = () => {
    const system = chosen(),
      others = look.systems.length > 1 ? look.systems : [],
      { axes } = look;
    const epc = ({ name, alpha, hter }) => ({ name, x: alpha, y: hter }),
      band = bands[system.name] && { x: system.alpha, ...bands[system.name] };
    shown.epc = charts.epc(
      { x: axes.alpha, y: axes.hter, chosen: epc(system), others: others.map(epc), band },
      { label: "Expected performance curve" },
    );
    return figure(
      "epc",
      captions.epc + (band ? `; with its pointwise ${captions.band}` : ""),
      shown.epc,
    );
  };
  const draw = () => {
    const system = chosen(),
      others = look.systems.length > 1 ? look.systems : [],
      { axes } = look;
    const det = ({ name, det: place }) => ({ name, ...place }),
      roc = ({ name, roc: place }) => ({ name, ...place });
    shown = {
      det: charts.det({ ...axes.det, chosen: det(system), others: others.map(det) }, { label: "DET curve" }),
      density: charts.density(system.density, {
        label: "Score densities",
        beside: others.length > 1,
        onThreshold: (value) => point.drag(value),
      }),
      roc: charts.roc(
        { ...axes.roc, chosen: roc(system), others: others.map(roc) },
        { label: "ROC curve", diagonal: false },
      ),
    };
    show(
      panels,
      curve(),
      figure(
        "det",
        `DET curve ${captions.curve}`,
        shown.det,
      ),
      figure(
        "density",
        `Scores of ${system.name}: genuine, filled; impostor, dashed; the threshold can be dragged`,
        shown.density,
      ),
      figure(
        "roc",
        `ROC curve ${captions.curve}`,
        shown.roc,
      ),
    );
  };
  const move = () => {
    const own = now[chosen().name];
    if (!own) return;
    const rest = app
      .systems()
      .filter((name) => name !== chosen().name && now[name])
      .map((name) => now[name]);
    const det = ({ x, y }) => ({ x, y }),
      roc = (each) => ({ x: each.far, y: 1 - each.frr });
    const alpha = state.criterion === "wer-min" ? state.alpha : null;
    shown.epc.move({
      x: alpha,
      y: own.hter,
      others: alpha === null ? [] : rest.map(({ hter }) => ({ x: alpha, y: hter })),
    });
    shown.det.move({ ...det(own), others: rest.map(det) });
    shown.roc.move({ ...roc(own), others: rest.map(roc) });
    shown.density.move({ threshold: state.criterion === "threshold" ? state.threshold : own.threshold });
    shown.density.node.dataset.at = own.threshold;
  };

  const banded = async () => {
    show(curves);
    try {
      const found = await asking({ question: "curves", slot: "bands", systems: app.systems() });
      if (found === null || gone) return;
      bands = found.shown.bands;
      panels.firstElementChild.replaceWith(curve()); // the others stay: one of them may just be dragged
      move();
      show(curves, make("h2", {}, "The expected performance curves, to take away"), takeAway(found));
    } catch (error) {
      if (!gone) show(curves, told(error.message));
    }
  };
  const point = pointControl(app, (found) => {
    if (gone) return;
    now = found;
    intervals = {};
    drawNumbers();
    if (!look) return; // the first picture comes before the first intervals
    evaluated();
    move();
  });
  show(host, point.host, numbers, panels, curves, below);
  if (!app.systems().length) {
    show(below, told("choose at least one system"));
    return;
  }
  try {
    await point.told();
    look = await api.get("look", { system: app.systems() });
    if (gone) return;
    draw();
    move();
    evaluated();
    if (Object.values(app.data.counts).some(({ genuine, impostor }) => genuine + impostor > MANY)) {
      show(curves, button("Compute the bands of the curves; it takes a while", banded, { id: "bands" }));
    } else await banded();
  } catch (error) {
    if (!gone) show(below, told(error.message));
  }
};
