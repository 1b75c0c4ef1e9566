// the operating point that all views share: a rule and its weight or target, or a threshold
import * as api from "./api.js";
import { checks, choose, labelled, make, refused, show } from "./dom.js";

const RULES = [
  ["eer", "the equal error rate on dev"],
  ["far", "a FAR on dev"],
  ["frr", "an FRR on dev"],
  ["wer-min", "a weight of errors, alpha"],
];
const FINE = 500; // of more steps, a key or a pixel is ten: hundredths of alpha
const GIVEN = ["threshold", "a given threshold"];
const WARNING =
  "A threshold chosen by looking at these trials makes errors look smaller than they are; report errors at a threshold from dev.";
export const pointOf = ({ criterion, alpha, threshold }) =>
  criterion === "threshold"
    ? { threshold }
    : { criterion, ...(alpha === undefined || alpha === null ? {} : { alpha }) };
const nearest = (steps, value) => {
  let best = 0;
  steps.forEach((step, k) => {
    if (Math.abs(step - value) < Math.abs(steps[best] - value)) best = k;
  });
  return best;
};
const shown = (value) => String(+value.toPrecision(6));
// an arrow key changes the second digit
const stepFor = (value) => Number(`1e${value ? Math.floor(Math.log10(Math.abs(value))) - 1 : -2}`);
const numberField = (value, change, attributes = {}) => {
  const field = make("input", { type: "number", id: "value", step: "any", value: shown(value), ...attributes });
  field.addEventListener("change", () => change(Number(field.value)));
  field.addEventListener("keydown", (event) => {
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    field.value = shown(Number(field.value) + way * stepFor(Number(field.value)));
    change(Number(field.value));
  });
  return field;
};

// `change` is called with the errors of the systems that are on: at once for a slider, after a request for other values;
// `judged` gives the systems of these errors, and `system` the one that a given threshold is of
export const pointControl = (
  app,
  change,
  { systems = true, threshold = true, judged = app.systems, system = () => app.state.chosen } = {},
) => {
  const { state } = app,
    latest = {},
    host = make("div", { class: "operating", role: "group", "aria-label": "Operating point" }),
    trouble = make("div", { class: "trouble" });
  if (!threshold && state.criterion === "threshold") {
    state.criterion = "eer";
    delete state.alpha;
  }
  const known = (name) => app.session.criteria.find((rule) => rule.name === name) || { means: "none", start: null };
  const others = app.session.criteria
    .filter(({ name }) => !RULES.some(([rule]) => rule === name))
    .map(({ name, summary }) => [name, summary ? `${name}: ${summary}` : name]);
  let track = null,
    turn = 0,
    going = false,
    again = false;

  // one question at a time: what moves meanwhile is asked when it is answered; along a track nothing is asked at all
  const refresh = async () => {
    if (going) {
      again = true;
      return;
    }
    going = true;
    do {
      again = false;
      try {
        const on = judged();
        if (
          on.length &&
          state.criterion !== "threshold" &&
          (!track || track.criterion !== state.criterion || on.some((name) => !track.systems[name]))
        ) {
          track = await api.get("track", { criterion: state.criterion, system: on });
          control.placed();
        }
        const step = stepOf(),
          errors =
            step >= 0
              ? along(on, step)
              : on.length
                ? (await api.get("at", { ...pointOf(state), system: on })).systems
                : {};
        show(trouble);
        note(errors);
        if (on.length) change(errors);
      } catch (error) {
        show(trouble, refused(error, () => app.go("files")));
      }
    } while (again);
    going = false;
  };
  // where on the track the point is; -1 if it is not on it
  const stepOf = () => {
    if (!track || state.criterion !== track.criterion) return -1;
    if (track.means === "none") return 0;
    const step = nearest(track.steps, state.alpha);
    return track.steps[step] === state.alpha ? step : -1;
  };
  const along = (on, k) =>
    Object.fromEntries(
      on.map((name) => {
        const { genuine, impostor, ...system } = track.systems[name],
          far = system.false_accepts[k] / impostor,
          frr = system.false_rejects[k] / genuine;
        const at = Object.fromEntries(Object.entries(system).map(([key, values]) => [key, values[k]]));
        return [name, { ...at, genuine, impostor, far, frr, hter: (far + frr) / 2 }];
      }),
    );
  // the thresholds that were shown last; there is none of folds
  const note = (errors) => {
    for (const [name, { threshold: value }] of Object.entries(errors)) if (Number.isFinite(value)) latest[name] = value;
  };
  const moved = () => {
    app.save();
    refresh();
  };
  // a given threshold begins at the last one of the system; nothing changes before it is known
  const start = async () => {
    const mine = (turn += 1),
      name = system();
    try {
      if (!(name in latest)) note((await api.get("at", { criterion: "eer", system: name })).systems);
    } catch (error) {
      show(trouble, refused(error, () => app.go("files")));
    }
    if (mine !== turn) return;
    Object.assign(state, { criterion: "threshold", threshold: latest[name] ?? 0 });
    delete state.alpha;
    draw();
    moved();
  };
  const rule = (name) => {
    if (name === "threshold") {
      start();
      return;
    }
    turn += 1;
    Object.assign(state, { criterion: name, alpha: known(name).start ?? undefined });
    delete state.threshold;
    draw();
    moved();
  };
  const target = () => {
    if (state.alpha === undefined || Number.isNaN(state.alpha)) state.alpha = known(state.criterion).start;
    const percent = known(state.criterion).means === "target",
      unit = percent ? 100 : 1,
      text = percent ? "target, %" : "alpha, the weight of FAR";
    const number = numberField(state.alpha * unit, (value) => {
      state.alpha = value / unit;
      place();
      moved();
    });
    const slider = make("input", { type: "range", id: "slider", min: 0, max: 1, step: 1, "aria-label": text });
    const say = () => slider.setAttribute("aria-valuetext", number.value + (percent ? " %" : ""));
    const place = () => {
      const steps = track && track.criterion === state.criterion ? track.steps : null;
      slider.disabled = !steps;
      if (steps) {
        slider.max = steps.length - 1;
        slider.step = steps.length > FINE ? 10 : 1;
        slider.value = nearest(steps, state.alpha);
      }
      say();
    };
    slider.addEventListener("input", () => {
      state.alpha = track.steps[Number(slider.value)];
      number.value = shown(state.alpha * unit);
      say();
      moved();
    });
    control.placed = place;
    return [labelled(text, number), slider];
  };
  const given = () => {
    control.typed = numberField(state.threshold, (value) => {
      state.threshold = value;
      moved();
    });
    return [labelled("threshold, or drag it below", control.typed), make("span", { class: "warning" }, WARNING)];
  };
  const draw = () => {
    const rules = choose([...RULES, ...(threshold ? [GIVEN] : []), ...others], state.criterion, rule, {
      id: "criterion",
    });
    control.placed = () => {};
    const value =
      state.criterion === "threshold" ? given() : known(state.criterion).means === "none" ? [] : target();
    const choice =
      systems &&
      app.data.systems.length > 1 &&
      checks("Systems", app.data.systems, app.systems(), (names) => {
        if (!names.length) return;
        state.system = names;
        if (!names.includes(state.chosen)) [state.chosen] = names;
        app.save();
        app.redraw();
      });
    show(host, labelled("Threshold from", rules), value, choice, trouble);
    control.placed();
  };
  const control = {
    host,
    refresh,
    changed: () => (state.criterion === "threshold" ? start() : moved()), // another system was chosen
    placed: () => {},
    drag: (value) => {
      const fresh = state.criterion !== "threshold";
      turn += 1;
      state.criterion = "threshold";
      state.threshold = value;
      delete state.alpha;
      if (fresh) draw();
      else if (control.typed) control.typed.value = shown(value);
      moved();
    },
  };
  draw();
  return control;
};
