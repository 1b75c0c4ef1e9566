// the views, and what they share: the session, the state in the address, who is on
import * as address from "./address.js";
import * as api from "./api.js";
import { byId, make, refused, show } from "./dom.js";
import { filesView } from "./files.js";
import { lookView } from "./look.js";
import { questionView } from "./questions.js";

const VIEWS = {
  files: ["Files", "Open score files"],
  look: ["Look", "How good it is, at every operating point"],
  compare: ["Compare", "Is one really better than the other?"],
  fuse: ["Fuse", "What would a fusion gain?"],
  groups: ["Groups", "Do groups differ?"],
  evidence: ["Evidence", "What do the scores mean as evidence?"],
  people: ["People", "Who is hard to recognise, and who is easy to imitate?"],
  errors: ["Errors", "Which trials went wrong?"],
};

export const app = { state: address.read(), session: null, data: null, leave: () => {} };

app.save = (options) => address.write(app.state, options);
app.say = (text) => {
  byId("status").textContent = text;
  byId("status").classList.toggle("over", text === "Answered"); // it must not hide what it announces
};
app.systems = () => app.state.system.filter((name) => app.data.systems.includes(name));
app.begun = (data) => {
  app.data = data;
  if (!app.systems().length) app.state.system = data.systems.slice(0, 4);
  if (!data.systems.includes(app.state.chosen)) app.state.chosen = app.systems()[0];
  app.state.criterion = app.state.criterion || "eer";
};
app.go = (view) => {
  app.state.view = view;
  app.save({ enter: true });
  draw();
  byId("main").focus({ preventScroll: true });
};

const draw = () => {
  app.leave();
  app.leave = () => {};
  app.say("");
  scrollTo(0, 0);
  const view = app.data && VIEWS[app.state.view] ? app.state.view : "files";
  byId("title").textContent = VIEWS[view][1];
  document.title = `${VIEWS[view][0]}: fairtrial explorer`;
  show(
    byId("views"),
    Object.entries(VIEWS).map(([name, [text]]) => {
      const open = name === "files" || app.data;
      return make(
        "a",
        {
          href: open ? "#" : null,
          role: open ? null : "link",
          "aria-current": name === view ? "page" : null,
          "aria-disabled": open ? null : "true",
          "data-view": name,
          on: {
            click: (event) => {
              event.preventDefault();
              if (open) app.go(name);
            },
          },
        },
        text,
      );
    }),
  );
  const host = byId("main");
  show(host);
  if (view === "files") filesView(host, app);
  else if (view === "look") lookView(host, app);
  else questionView(host, app, view);
};

const begin = async () => {
  theme(byId("theme"));
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("main").focus();
  });
  try {
    app.session = await api.get("session");
    byId("version").textContent = app.session.version;
    const same = JSON.stringify(app.session.reading) === JSON.stringify(app.state.reading);
    const known = new Set(app.session.files.map((file) => file.key));
    if (app.session.data && (same || !app.state.reading)) {
      app.state.reading = app.session.reading;
      app.begun(app.session.data);
    } else if (
      app.state.reading &&
      [...(app.state.reading.dev || []), ...(app.state.reading.test || [])].every((key) => known.has(key))
    ) {
      app.say("Reading the files again\u2026");
      app.begun(await api.work("read", app.state.reading).done);
    }
  } catch (error) {
    show(byId("main"), refused(error));
    if (!app.session) return;
  }
  draw();
};

// a file that misses the place for files must not be opened in place of the page
for (const event of ["dragover", "drop"]) addEventListener(event, (happened) => happened.preventDefault());
addEventListener("popstate", () => {
  const { reading } = app.state;
  app.state = { ...address.read(), reading };
  if (app.data) app.begun(app.data);
  draw();
});
begin();
