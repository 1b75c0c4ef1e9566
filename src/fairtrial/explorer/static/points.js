// the operating point that all views share: a rule and its weight or target, or a threshold
import * as api from "./api.js";
import { checks, choose, labelled, make, show, told as warning } from "./dom.js";

const RULES = [
  ["wer-min", "a weight of errors, alpha"],
  ["eer", "the equal error rate on dev"],
  ["far", "a FAR on dev"],
  ["frr", "a FRR on dev"],
  ["threshold", "a threshold"],
];
export const pointOf = ({ criterion, alpha, threshold }) =>
  criterion === "threshold"
    ? { threshold }
    : { criterion, ...(alpha === undefined || alpha === null ? {} : { alpha }) };
export const nearest = (steps, value) => {
  let best = 0;
  steps.forEach((step, k) => {
    if (Math.abs(step - value) < Math.abs(steps[best] - value)) best = k;
  });
  return best;
};
// `change` is called with the errors of the systems that are on: at once for a slider, after a request for other values
export const pointControl = (app, change, { systems = true } = {}) => {
  const { state } = app,
    host = make("div", { class: "operating", role: "group", "aria-label": "Operating point" });
  const known = (name) => app.session.words.criteria.find((own) => own.name === name) || { means: "none", start: null };
  const means = (name) => known(name).means,
    first = (name) => known(name).start ?? undefined;
  const others = app.session.words.criteria
    .filter(({ name }) => !RULES.some(([own]) => own === name))
    .map(({ name, summary }) => [name, summary ? `${name}: ${summary}` : name]);
  const trouble = make("div", { class: "trouble" });
  let track = null,
    going = false,
    again = false;

  // one question at a time: what moves meanwhile is asked when it is answered; along a track nothing is asked at all
  const told = async () => {
    if (going) {
      again = true;
      return;
    }
    going = true;
    do {
      again = false;
      try {
        const on = app.systems();
        if (
          on.length &&
          state.criterion !== "threshold" &&
          (!track || track.criterion !== state.criterion || on.some((name) => !track.systems[name]))
        ) {
          track = await api.get("track", { criterion: state.criterion, system: on });
          control.placed();
        }
        const step = stepOf(),
          found =
            step >= 0
              ? along(on, step)
              : on.length
                ? (await api.get("at", { ...pointOf(state), system: on })).systems
                : {};
        show(trouble);
        if (on.length) change(found);
      } catch (error) {
        show(trouble, warning(error.message));
      }
    } while (again);
    going = false;
  };
  // where on the track the point is; -1 where it is not on it
  const stepOf = () => {
    if (!track || state.criterion !== track.criterion) return -1;
    if (track.means === "none") return 0;
    const step = nearest(track.steps, state.alpha);
    return track.steps[step] === state.alpha ? step : -1;
  };
  const along = (on, k) =>
    Object.fromEntries(
      on.map((name) => {
        const own = track.systems[name],
          far = own.false_accepts[k] / own.impostor,
          frr = own.false_rejects[k] / own.genuine;
        return [
          name,
          {
            threshold: own.threshold[k],
            far,
            frr,
            hter: (far + frr) / 2,
            false_accepts: own.false_accepts[k],
            false_rejects: own.false_rejects[k],
            genuine: own.genuine,
            impostor: own.impostor,
            x: own.x[k],
            y: own.y[k],
          },
        ];
      }),
    );
  const moved = () => {
    app.save();
    told();
  };

  const rule = (name) => {
    state.criterion = name;
    if (name !== "threshold") {
      state.alpha = first(name);
      delete state.threshold;
    } else {
      delete state.alpha;
      state.threshold = state.threshold ?? 0;
    }
    draw();
    moved();
  };
  const draw = async () => {
    const rules = choose([...RULES, ...others], state.criterion, rule, { id: "criterion" });
    const parts = [labelled("The threshold comes from", rules)];
    control.placed = () => {};
    if (state.criterion !== "threshold" && means(state.criterion) !== "none") {
      if (state.alpha === undefined || Number.isNaN(state.alpha)) state.alpha = first(state.criterion);
      const percent = means(state.criterion) === "target",
        unit = percent ? 100 : 1;
      const number = make("input", {
        type: "number",
        id: "value",
        step: "any",
        min: 0,
        max: unit,
        value: shown(state.alpha * unit),
      });
      const slider = make("input", {
        type: "range",
        id: "slider",
        min: 0,
        max: 1,
        step: 1,
        "aria-label": percent ? "Target" : "Alpha, the weight of FAR",
      });
      number.addEventListener("change", () => {
        state.alpha = Number(number.value) / unit;
        place();
        moved();
      });
      slider.addEventListener("input", () => {
        state.alpha = track.steps[Number(slider.value)];
        number.value = shown(state.alpha * unit);
        say();
        moved();
      });
      const say = () => slider.setAttribute("aria-valuetext", number.value + (percent ? " %" : ""));
      const place = () => {
        const steps = track && track.criterion === state.criterion ? track.steps : null;
        slider.disabled = !steps;
        if (steps) {
          slider.max = steps.length - 1;
          slider.value = nearest(steps, state.alpha);
        }
        say();
      };
      control.placed = place;
      parts.push(labelled(percent ? "target, %" : "alpha, the weight of FAR", number), slider);
    } else if (state.criterion === "threshold") {
      const number = make("input", { type: "number", id: "value", step: "any", value: state.threshold });
      number.addEventListener("change", () => {
        state.threshold = Number(number.value);
        moved();
      });
      control.typed = number;
      parts.push(
        labelled("threshold", number),
        make(
          "span",
          { class: "note" },
          "or drag it in the densities. A threshold that was chosen by looking at these trials makes errors look smaller than they will be: report those at a threshold from dev.",
        ),
      );
    }
    if (systems)
      parts.push(
        checks("Systems", app.data.systems, app.systems(), (names) => {
          state.system = names;
          if (!names.includes(state.chosen)) [state.chosen] = names;
          app.save();
          app.redraw();
        }),
      );
    show(host, ...parts, trouble);
    control.placed();
  };
  const shown = (value) => String(+value.toPrecision(6));
  const control = {
    host,
    told,
    placed: () => {},
    drag: (value) => {
      const fresh = state.criterion !== "threshold";
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
