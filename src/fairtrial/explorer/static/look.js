// the first look: numbers and curves that move with the operating point, intervals as soon as they are known
import * as api from "./api.js";
import { saving, tablesOf, warningsOf } from "./answers.js";
import { button, make, refused, show } from "./dom.js";
import { chartOf, figure } from "./figures.js";
import { pointControl, pointOf } from "./points.js";

const PAUSE = 250,
  MANY = 2e6;
const count = (errors, trials) => `${errors.toLocaleString("en")} of ${trials.toLocaleString("en")}`;
const written = (threshold) =>
  threshold === null || threshold === undefined
    ? "one per fold"
    : typeof threshold === "string"
      ? threshold
      : String(+threshold.toPrecision(6));
// a threshold means the same to two systems if their scores cover about the same range
const isAlike = ({ density: { scores: one } }, { density: { scores: other } }) =>
  Math.min(one.high, other.high) - Math.max(one.low, other.low) >
  0.5 * (Math.max(one.high, other.high) - Math.min(one.low, other.low));

export const lookView = async (host, app) => {
  const { state } = app,
    { captions } = app.data,
    sentence = make("p", { class: "answer", id: "sentence" }),
    numbers = make("div"),
    panels = make("div", { class: "panels" }),
    warnings = make("div"),
    wait = make("div"),
    below = make("div"),
    away = make("div"),
    saved = {},
    going = new Set();
  let look = null,
    shown = {},
    now = {},
    bands = {},
    intervals = {},
    timer = null,
    gone = false;
  app.leave = () => {
    gone = true;
    clearTimeout(timer);
    for (const work of going) work.stop();
  };
  app.redraw = () => {
    app.leave();
    lookView(host, app);
  };
  const files = () => app.go("files");
  const failed = (error) => {
    if (!gone) show(below, refused(error, files));
  };
  const offer = (answers) => {
    const { evaluated: errors, curves } = Object.assign(saved, answers),
      { open = false } = away.querySelector("details.away") || {},
      box = saving(...[errors, curves].filter(Boolean));
    box.open = open;
    show(away, box);
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
    timer = setTimeout(async () => {
      try {
        const point = JSON.stringify([pointOf(state), judged()]);
        const answer = await asking({ question: "evaluate", slot: "look", systems: judged(), ...pointOf(state) });
        if (answer === null || gone || point !== JSON.stringify([pointOf(state), judged()])) return;
        intervals = Object.fromEntries(answer.result.systems.map(({ system, test }) => [system, test.interval]));
        const place = answer.result.systems.findIndex(({ system }) => system === state.chosen);
        show(sentence, answer.sentences[Math.max(place, 0)]);
        show(warnings, warningsOf(answer, files));
        drawNumbers();
        show(below, tablesOf(answer, false));
        offer({ evaluated: answer });
      } catch (error) {
        failed(error);
      }
    }, PAUSE);
  };
  const row = (name) => {
    const errors = now[name],
      interval = intervals[name];
    const cell = (key, text) => make("td", { class: `number ${key}`, "data-figure": key }, text);
    const radio = make("input", {
      type: "radio",
      name: "chosen",
      value: name,
      checked: name === state.chosen,
      "aria-label": `Show ${name}`,
      on: {
        change: () => {
          state.chosen = name;
          if (look) draw();
          point.changed();
        },
      },
    });
    const cells = errors
      ? [
          cell("hter", tables.percent(errors.hter)),
          cell("interval", interval ? `${tables.percent(interval.low)} to ${tables.percent(interval.high)}` : "\u2026"),
          cell("far", tables.percent(errors.far)),
          cell("frr", tables.percent(errors.frr)),
          cell("threshold", written(errors.threshold)),
          cell("false_accepts", count(errors.false_accepts, errors.impostor)),
          cell("false_rejects", count(errors.false_rejects, errors.genuine)),
        ]
      : [make("td", { colspan: 7, class: "note" }, "other scale of scores, or distances; choose it to set its threshold")];
    return make(
      "tr",
      { class: name === state.chosen ? "chosen" : null, "data-system": name },
      make("td", {}, app.systems().length > 1 && radio),
      make("th", { scope: "row" }, name),
      cells,
    );
  };
  const drawNumbers = () => {
    const heads = ["HTER", captions.interval, "FAR", "FRR", "threshold", "false accepts", "false rejects"];
    const table = make(
      "table",
      { id: "numbers", "aria-live": "polite" },
      make("caption", {}, captions.errors),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          make("td"),
          make("th", { scope: "col" }, "system"),
          heads.map((text) => make("th", { scope: "col", class: "number" }, text)),
        ),
      ),
      make("tbody", {}, app.systems().map(row)),
    );
    show(
      numbers,
      make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": captions.errors }, table),
    );
  };

  const chosen = () => look.systems.find(({ name }) => name === state.chosen) || look.systems[0];
  // at a threshold of the user's only those systems are judged whose scores have the scale of the chosen one
  const isDistance = ({ name }) => app.data.distances.includes(name);
  const judged = () =>
    look && state.criterion === "threshold"
      ? look.systems
          .filter((system) => isDistance(system) === isDistance(chosen()) && isAlike(system, chosen()))
          .map(({ name }) => name)
      : app.systems();
  const others = () => (look.systems.length > 1 ? look.systems : []);
  const curve = () => {
    const system = chosen(),
      epc = ({ name, alpha, hter }) => ({ name, x: alpha, y: hter }),
      band = bands[system.name] && { x: system.alpha, ...bands[system.name] };
    shown.epc = chartOf(
      "epc",
      { x: look.axes.alpha, y: look.axes.hter, chosen: epc(system), others: others().map(epc), band },
      { label: "Expected performance curve" },
    );
    return figure("epc", captions.epc + (band ? `; pointwise ${captions.band}` : ""), shown.epc);
  };
  const draw = () => {
    const system = chosen(),
      { axes } = look;
    const along = (kind) => ({
      ...axes[kind],
      chosen: { name: system.name, ...system[kind] },
      others: others().map((each) => ({ name: each.name, ...each[kind] })),
    });
    shown = {
      det: chartOf("det", along("det"), { label: "DET curve" }),
      density: chartOf("density", system.density, {
        label: "Score densities",
        beside: others().length > 1,
        onThreshold: (value) => point.drag(value),
      }),
      roc: chartOf("roc", along("roc"), { label: "ROC curve", diagonal: false }),
    };
    show(
      panels,
      figure("density", `Scores of ${system.name}: genuine filled, impostor dashed; drag the threshold`, shown.density),
      figure("det", `DET curve ${captions.curve}`, shown.det),
      curve(),
      figure("roc", `ROC curve ${captions.curve}`, shown.roc),
    );
  };
  const move = () => {
    const errors = now[chosen().name];
    if (!errors) return;
    const rest = Object.keys(now)
      .filter((name) => name !== chosen().name)
      .map((name) => now[name]);
    const det = ({ x, y }) => ({ x, y }),
      roc = ({ far, frr }) => ({ x: far, y: 1 - frr });
    const alpha = state.criterion === "wer-min" ? state.alpha : null;
    shown.epc.move({
      x: alpha,
      y: errors.hter,
      others: alpha === null ? [] : rest.map(({ hter }) => ({ x: alpha, y: hter })),
    });
    shown.det.move({ ...det(errors), others: rest.map(det) });
    shown.roc.move({ ...roc(errors), others: rest.map(roc) });
    shown.density.move({ threshold: state.criterion === "threshold" ? state.threshold : errors.threshold });
    shown.density.node.dataset.at = errors.threshold;
  };

  const banded = async () => {
    show(wait);
    try {
      const answer = await asking({ question: "curves", slot: "bands", systems: app.systems() });
      if (answer === null || gone) return;
      bands = Object.fromEntries(answer.shown.pooled.curves.map(({ name, low, high }) => [name, { low, high }]));
      panels.querySelector("[data-figure=epc]").replaceWith(curve()); // the others stay: one may just be dragged
      move();
      offer({ curves: answer });
    } catch (error) {
      failed(error);
    }
  };
  const point = pointControl(
    app,
    (errors) => {
      if (gone) return;
      now = errors;
      intervals = {};
      drawNumbers();
      if (!look) return; // the first picture comes before the first intervals
      evaluated();
      move();
    },
    { judged: () => judged() },
  );
  show(host, make("div", { class: "bar" }, point.host), sentence, warnings, numbers, panels, wait, below, away);
  try {
    await point.refresh();
    look = await api.get("look", { system: app.systems() });
    if (gone) return;
    draw();
    if (state.criterion === "threshold") point.refresh();
    else {
      move();
      evaluated();
    }
    if (Object.values(app.data.counts).some(({ genuine, impostor }) => genuine + impostor > MANY)) {
      show(wait, button("Compute the bands of the curves; it takes a while", banded, { id: "bands" }));
    } else await banded();
  } catch (error) {
    failed(error);
  }
};
