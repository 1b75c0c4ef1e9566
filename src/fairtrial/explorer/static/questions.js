// views with a form, made of the fields that the server describes: asked as they open and at every change
import * as api from "./api.js";
import { answerOf, saving } from "./answers.js";
import { button, checks, choose, labelled, make, refused, show } from "./dom.js";
import { pointControl, pointOf } from "./points.js";

const PAUSE = 250;
// each view: the question of its form, what is asked with it, and what can be asked on top
const two = ({ systems }) => systems.length === 2;
const VIEWS = {
  compare: {
    question: "compare",
    also: [{ question: "regions", when: two }],
    more: { question: "plan", when: two, text: "How many people would settle this?" },
  },
  fuse: { question: "fuse" },
  groups: { question: "groups" },
  evidence: { question: "calibrate", point: false },
  people: { question: "zoo", pointed: ({ shows }) => shows === "errors" },
  errors: { question: "errors" },
};

const fieldOf = ({ name, label, kind, choices, help }, value, set) => {
  if (kind === "names") {
    const names = choices.map(([key]) => key);
    return checks(label, names, value || [], set, help);
  }
  const field =
    kind === "choice"
      ? choose(choices, value, set, { id: name, title: help })
      : make("input", {
          type: "number",
          step: "any",
          id: name,
          value,
          title: help,
          on: { change: ({ target }) => set(Number(target.value)) },
        });
  return labelled(label, field);
};

export const questionView = (host, app, view) => {
  const { question, also = [], more, point: atPoint = true, pointed = () => true } = VIEWS[view],
    { cannot, fields, at_threshold: threshold } = app.data.questions[question],
    files = () => app.go("files");
  if (cannot) {
    show(host, refused({ message: cannot, code: "not-applicable" }, files));
    return;
  }
  const first = Object.fromEntries(fields.map((field) => [field.name, field.default]));
  if (first.system) first.system = app.state.chosen;
  const asked = { ...first, ...(app.state.asked[view] || {}) };
  const form = make("div", { class: "form" }),
    trouble = make("div", { class: "trouble" }),
    answers = make("div", { class: "answers" }),
    going = new Set();
  let gone = false,
    turn = 0,
    timer = null;
  const stop = () => {
    clearTimeout(timer);
    for (const work of going) work.stop();
  };
  app.leave = () => {
    gone = true;
    stop();
  };

  // one question: how far it is, a way to stop it, and its answer
  const put = async (name, place, mine = turn) => {
    const progress = make("progress", { max: 1, "aria-label": "Working" }),
      seconds = make("span");
    const given = { question: name, ...asked, ...(atPoint ? pointOf(app.state) : {}) };
    const work = api.work("ask", given, ({ done, seconds: long }) => {
      if (done) progress.value = done;
      seconds.textContent = `${long.toFixed(0)} s`;
    });
    going.add(work);
    show(place, make("div", { class: "work" }, "Working\u2026", progress, seconds, button("Stop", work.stop)));
    try {
      const answer = await work.done;
      if (gone || mine !== turn) return;
      if (answer === null) {
        turn += 1; // what was asked together is stopped together
        show(place, make("p", {}, "Stopped. ", button("Ask again", ask)));
        return;
      }
      show(trouble);
      show(place, answerOf(answer, files), saving(answer));
    } catch (error) {
      if (gone || mine !== turn) return;
      show(place);
      show(trouble, refused(error, files));
    } finally {
      going.delete(work);
    }
  };
  const ask = async () => {
    const mine = (turn += 1),
      names = [question, ...also.filter(({ when }) => when(asked)).map((each) => each.question)],
      places = names.map(() => make("section"));
    show(answers, places);
    for (const [k, name] of names.entries()) if (mine === turn && !gone) await put(name, places[k], mine);
    if (gone || mine !== turn) return;
    if (more && more.when(asked) && !trouble.firstChild) {
      const place = make("section");
      answers.append(
        button(more.text, () => put(more.question, place), { id: "more" }),
        place,
      );
    }
    app.say("Answered");
  };
  const later = () => {
    if (gone) return;
    app.say("");
    turn += 1;
    stop();
    timer = setTimeout(ask, PAUSE);
  };
  const set = (name) => (value) => {
    asked[name] = value;
    app.state.asked = { ...app.state.asked, [view]: asked };
    app.save();
    drawForm();
    if (point && name === "system") point.changed();
    else later();
  };
  const bar = make("div", { class: "bar" }),
    system = () => asked.system || app.data.systems[0];
  const drawForm = () => {
    if (point) point.host.hidden = !pointed(asked);
    show(
      form,
      fields.map((field) => fieldOf(field, asked[field.name], set(field.name))),
    );
    host.style.setProperty("--bar", `${bar.offsetHeight}px`); // a slider of the answer stays in view below it
  };
  const point = atPoint
    ? pointControl(app, later, { systems: false, threshold, system, judged: () => [system()] })
    : null;
  show(bar, point && point.host, form, trouble);
  show(host, bar, answers);
  drawForm();
  if (point) point.refresh();
  else later();
};
