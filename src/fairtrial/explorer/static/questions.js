// questions with a form of their own: asked at the operating point, answered in the background
import * as api from "./api.js";
import { answerOf, takeAway } from "./answers.js";
import { button, checks, choose, labelled, make, show, told } from "./dom.js";
import { figure } from "./figures.js";
import { pointControl, pointOf } from "./points.js";

const named = (entries) => entries.map(({ name, summary }) => [name, summary ? `${name}: ${summary}` : name]);

// each view: the fields of its form, with what they are at first, and what is asked
const FORMS = {
  compare: {
    point: true,
    start: ({ systems }) => ({ a: systems[0], b: systems[1], measure: "hter" }),
    fields: (asked, set, { data, session }) => [
      labelled("A", choose(data.systems, asked.a, set("a"), { id: "a" })),
      labelled("B", choose(data.systems, asked.b, set("b"), { id: "b" })),
      labelled("compared in", choose(session.words.measures, asked.measure, set("measure"), { id: "measure" })),
    ],
    asks: (asked) => [
      { question: "compare", ...asked },
      { question: "regions", a: asked.a, b: asked.b },
    ],
    more: (asked) => ({
      text: "How many people would settle this?",
      asks: { question: "plan", a: asked.a, b: asked.b },
    }),
    cannot: ({ systems }) => (systems.length < 2 ? "there is one system only; open a file with two, or two files" : ""),
  },
  fuse: {
    point: true,
    start: ({ systems }) => ({ systems: systems.slice(0, 2), fusion: "mean", normalise: "z" }),
    fields: (asked, set, { data, session }) => [
      checks("Systems to fuse", data.systems, asked.systems, set("systems")),
      labelled("by", choose(named(session.words.fusions), asked.fusion, set("fusion"), { id: "fusion" })),
      labelled(
        "scores normalised by",
        choose(session.words.normalisations, asked.normalise, set("normalise"), { id: "normalise" }),
      ),
    ],
    asks: (asked) => [{ question: "fuse", ...asked }],
    cannot: ({ systems, folds }) =>
      systems.length < 2
        ? "there is one system only; open a file with two, or two files"
        : folds
          ? "fusion needs a test set of its own; open one, in place of folds"
          : "",
  },
  groups: {
    point: true,
    start: ({ systems, columns, people_columns: people }) => ({
      system: systems[0],
      by: [...people, ...columns].slice(0, 1),
      impostor_by: [],
    }),
    fields: (asked, set, { data }) => [
      labelled("System", choose(data.systems, asked.system, set("system"), { id: "system" })),
      checks("Groups by", [...new Set([...data.people_columns, ...data.columns, ...data.ids])], asked.by, set("by")),
      checks("of the impostor by (optional)", data.columns, asked.impostor_by, set("impostor_by")),
    ],
    asks: (asked) => [{ question: "groups", ...asked }],
    cannot: ({ folds }) => (folds ? "groups need a test set of their own; open one, in place of folds" : ""),
  },
  evidence: {
    start: ({ systems }) => ({ systems: systems.slice(0, 4), method: "logistic" }),
    fields: (asked, set, { data, session }) => [
      checks("Systems", data.systems, asked.systems, set("systems")),
      labelled(
        "calibrated by",
        choose(named(session.words.calibrations), asked.method, set("method"), { id: "method" }),
      ),
    ],
    asks: (asked) => [{ question: "calibrate", ...asked }],
    cannot: ({ folds }) => (folds ? "calibration needs a test set of its own; open one, in place of folds" : ""),
  },
  people: {
    point: true,
    start: ({ systems }) => ({ system: systems[0], by: "claim", shows: "scores" }),
    fields: (asked, set, { data }) => [
      labelled("System", choose(data.systems, asked.system, set("system"), { id: "system" })),
      labelled(
        "People by",
        choose(
          [
            ["claim", "claim: who is imitated"],
            ["subject", "subject: who imitates"],
          ],
          asked.by,
          set("by"),
        ),
      ),
      labelled(
        "shown by",
        choose(
          [
            ["scores", "mean scores"],
            ["errors", "errors at the threshold"],
          ],
          asked.shows,
          set("shows"),
        ),
      ),
    ],
    asks: (asked) => [{ question: "zoo", ...asked }],
    cannot: ({ ids, folds }) =>
      !ids.includes("claim")
        ? "people are known where there are ids; choose which column is the claim when the files are read"
        : folds
          ? "the zoo needs a test set of its own; open one, in place of folds"
          : "",
  },
  errors: {
    point: true,
    start: ({ systems }) => ({ system: systems[0], kind: "all" }),
    fields: (asked, set, { data }) => [
      labelled("System", choose(data.systems, asked.system, set("system"), { id: "system" })),
      labelled(
        "Errors",
        choose(
          [
            ["all", "all"],
            ["false accepts", "false accepts"],
            ["false rejects", "false rejects"],
          ],
          asked.kind,
          set("kind"),
        ),
      ),
    ],
    asks: (asked) => [{ question: "errors", ...asked }],
    cannot: () => "",
  },
};

export const questionView = (host, app, view) => {
  const form = FORMS[view],
    why = form.cannot(app.data);
  if (why) {
    show(host, told(why));
    return;
  }
  const asked = { ...form.start(app.data), ...(app.state.asked[view] || {}) };
  const fields = make("div", { class: "form" }),
    answers = make("div"),
    going = new Set();
  let gone = false,
    turn = 0;
  app.leave = () => {
    gone = true;
    for (const each of going) each.stop();
  };
  app.redraw = () => {
    app.leave();
    questionView(host, app, view);
  };
  const set = (name) => (value) => {
    asked[name] = value;
    app.state.asked = { ...app.state.asked, [view]: asked };
    app.save();
    drawForm();
  };
  const drawForm = () =>
    show(fields, form.fields(asked, set, app), button("Ask", ask, { class: "primary", id: "ask" }));

  // one question: how far it is, a way to stop it, and its answer
  const put = async (question, place) => {
    const bar = make("progress", { max: 1, "aria-label": "Working" }),
      seconds = make("span");
    const work = api.work(
      "ask",
      { ...question, ...(form.point ? { point: pointOf(app.state) } : {}) },
      ({ done, seconds: long }) => {
        if (done) bar.value = done;
        seconds.textContent = `${long.toFixed(0)} s`;
      },
    );
    going.add(work);
    show(place, make("div", { class: "work" }, "Working\u2026", bar, seconds, button("Stop", work.stop)));
    try {
      const found = await work.done;
      if (gone) return null;
      if (found === null) {
        turn += 1; // what was asked together is stopped together
        show(place, make("p", {}, "Stopped."));
        return null;
      }
      show(place, answerOf(found), regions(found, app), takeAway(found));
      return found;
    } catch (error) {
      if (!gone) show(place, told(error.message));
      return null;
    } finally {
      going.delete(work);
    }
  };
  const ask = async () => {
    const mine = (turn += 1),
      questions = form.asks(asked),
      places = questions.map(() => make("section"));
    for (const each of going) each.stop();
    app.state.asked = { ...app.state.asked, [view]: asked };
    app.save();
    show(answers, places);
    for (const [k, question] of questions.entries()) if (mine === turn && !gone) await put(question, places[k]);
    if (form.more && mine === turn && !gone) {
      const { text, asks } = form.more(asked),
        place = make("section");
      answers.append(
        button(text, () => put(asks, place), { id: "more" }),
        place,
      );
    }
    if (!gone && mine === turn) app.say("Answered");
  };
  const point = form.point ? pointControl(app, () => {}, { systems: false }) : null;
  show(host, point && point.host, fields, answers);
  drawForm();
  if (point) point.told();
  if (app.state.asked[view]) ask();
};

// where along alpha two systems differ, drawn over their curves
const regions = ({ shown, found }, app) => {
  if (!shown.regions) return null;
  const place = make("div", { class: "panels" }),
    { a, b } = found.comparison;
  api
    .get("look", { system: [a, b] })
    .then((look) => {
      const [first, second] = look.systems,
        curve = ({ name, alpha, hter }) => ({ name, x: alpha, y: hter });
      const chart = charts.epc(
        {
          x: look.axes.alpha,
          y: look.axes.hter,
          chosen: curve(first),
          others: [first, second].map(curve),
          regions: shown.regions,
        },
        { label: "Where the systems differ" },
      );
      const alpha = app.state.criterion === "wer-min" ? app.state.alpha : null;
      chart.move({ x: alpha, y: null });
      place.append(figure("regions", "Shaded: where along alpha one of the two is significantly better", chart));
    })
    .catch((error) => {
      place.append(told(error.message));
    });
  return place;
};
