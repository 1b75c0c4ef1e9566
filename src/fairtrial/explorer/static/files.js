// files: opened, told, corrected and read
import * as api from "./api.js";
import { button, choose, labelled, make, show, told } from "./dom.js";

const SETS = [["dev", "development"], ["test", "test"], ["people", "a table of people"], ["", "leave out"]];
const MEANINGS = [["genuine", "genuine"], ["impostor", "impostor"], ["", "left out"]];
const SIZE = (bytes) => bytes < 1000 ? `${bytes} bytes` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
const SINGLE = ["claim", "subject", "model", "probe", "label", "system"];

const guess = (files) => {
  const sets = {};
  for (const { key, name } of files) {
    const last = name.split(/[\\/]/).pop();
    sets[key] = /people|person|subjects/i.test(last) ? "people" : /dev|train/i.test(last) ? "dev" : /test|eval/i.test(last) ? "test" : null;
  }
  const free = files.filter(({ key }) => sets[key] === null);
  for (const set of ["dev", "test"]) if (free.length && !Object.values(sets).includes(set)) sets[free.shift().key] = set;
  for (const { key } of free) sets[key] = "";
  if (files.length && !Object.values(sets).includes("dev")) sets[files[0].key] = "dev";
  return sets;
};

// what differs from what the files tell by themselves
const rolesAsked = (file, roles) => {
  const found = {}, own = (role) => file.columns.filter(({ name }) => roles[name] === role).map(({ name }) => name);
  const first = (role) => file.columns.filter((column) => column.role === role).map(({ name }) => name);
  const scores = own("score");
  if (scores.join("\n") !== first("score").join("\n")) found.score = scores;
  for (const role of SINGLE) {
    const [name] = own(role);
    if (name !== undefined && name !== first(role)[0]) found[role] = name;
  }
  const others = own("other").filter((name) => file.columns.some((column) => column.name === name && SINGLE.includes(column.role)));
  if (others.length) found.other = others;
  return found;
};

export const filesView = (host, app) => {
  const { session, state } = app;
  const local = { sets: guess(session.files), roles: {}, labels: {}, distances: {}, folds: 5, cluster: "", nan: "error", person: "", genuine_by: "", ...restored(state.reading, session) };
  const list = make("div"), columns = make("div"), options = make("div"), answer = make("div");
  const input = make("input", { type: "file", multiple: true, id: "choose", on: { change: () => { opened([...input.files]); } } });
  const zone = make("div", { class: "drop" }, make("p", {}, "Drop score files here, or "), labelled("choose them: ", input),
    make("p", { class: "note" }, "CSV, TSV, Parquet, NumPy, Bob, Kaldi and VoxCeleb lists; dev and test, or one file that is cut into folds. " +
      "Files are copied to a folder of this server and deleted with it; large ones are better named on the command line: fairtrial explore dev.parquet test.parquet."));
  for (const [event, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) zone.addEventListener(event, (happened) => {
    happened.preventDefault();
    zone.classList.toggle("over", over);
    if (event === "drop") opened([...happened.dataTransfer.files]);
  });

  const opened = async (files) => {
    for (const file of files) {
      app.say(`Opening ${file.name}\u2026`);
      try {
        session.files.push(await api.drop(file));
      } catch (error) {
        show(answer, told(error.message));
      }
    }
    const before = local.sets;
    local.sets = { ...guess(session.files) };
    for (const [key, set] of Object.entries(before)) if (session.files.length > 2) local.sets[key] = set;
    app.say(`${session.files.length} files are open`);
    draw();
  };
  const close = async (file) => {
    try { await api.close(file.key); } catch (error) { show(answer, told(error.message)); return; }
    session.files.splice(session.files.indexOf(file), 1);
    delete local.sets[file.key];
    draw();
  };

  const drawList = () => show(list, session.files.length > 0 && make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Files" },
    make("table", { class: "files" }, make("caption", {}, "Files"),
      make("thead", {}, make("tr", {}, ["file", "size", "read as", "use as", ""].map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, session.files.map((file) => make("tr", {},
        make("td", {}, file.name), make("td", { class: "number" }, SIZE(file.size)), make("td", {}, file.description || "not known"),
        make("td", {}, choose(SETS, local.sets[file.key], (set) => { local.sets[file.key] = set; draw(); }, { "aria-label": `Use ${file.name} as` })),
        make("td", {}, button("Close", () => close(file), { "aria-label": `Close ${file.name}` }))))))),
  session.files.filter((file) => file.trouble && ["dev", "test"].includes(local.sets[file.key])).map((file) => told(file.trouble)));

  const leading = () => session.files.find((file) => local.sets[file.key] === "dev");
  const drawColumns = () => {
    const file = leading();
    if (!file) { show(columns); return; }
    if (!file.columns.length) {
      show(columns, make("p", { class: "note" }, `The format ${file.format || "is not known and"} has no columns to choose from. It begins with:`), make("pre", {}, file.lines.join("\n")));
      return;
    }
    const role = (column) => local.roles[column.name] || column.role;
    const labels = file.columns.find((column) => role(column) === "label"), words = labels ? labelWords(file, labels) : [];
    show(columns,
      make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Columns" }, make("table", { class: "columns" },
        make("caption", {}, `Columns of ${file.name}`),
        make("thead", {}, make("tr", {}, ["column", "examples", "is", "lower means genuine"].map((text) => make("th", { scope: "col" }, text)))),
        make("tbody", {}, file.columns.map((column) => make("tr", {},
          make("td", {}, column.name), make("td", { class: "examples" }, column.examples.join(", ")),
          make("td", {}, choose(session.words.roles, role(column), (chosen) => { local.roles[column.name] = chosen; drawColumns(); }, { "aria-label": `Column ${column.name} is` })),
          make("td", {}, role(column) === "score" && make("input", { type: "checkbox", checked: Boolean(local.distances[column.name]), "aria-label": `Lower scores of ${column.name} mean genuine`,
            on: { change: (event) => { local.distances[column.name] = event.target.checked; } } })))))),
      ),
      words.length > 0 && make("div", { class: "form", role: "group", "aria-label": "Labels" }, make("span", {}, `Labels in ${labels.name}:`),
        words.map(({ word, meaning }) => labelled(word, choose(MEANINGS, local.labels[word] ?? meaning, (chosen) => { local.labels[word] = chosen; }, { "aria-label": `Label ${word} means` })))));
  };
  // the words that the first rows of all files have
  const labelWords = (file, column) => {
    const known = new Map(), used = session.files.filter(({ key }) => local.sets[key]);
    for (const { labels } of column.role === "label" ? used : []) for (const label of labels) known.set(label.word, label);
    return known.size ? [...known.values()] : column.examples.map((word) => ({ word, meaning: "" }));
  };
  const labelsAsked = (file) => {
    const column = file.columns.find((each) => (local.roles[each.name] || each.role) === "label");
    if (!column) return {};
    const words = labelWords(file, column), meaning = ({ word, meaning: known }) => local.labels[word] ?? known;
    if (words.every((each) => meaning(each) === each.meaning && each.meaning)) return {};
    const of = (kind) => words.filter((each) => meaning(each) === kind).map(({ word }) => word);
    return of("genuine").length || of("impostor").length ? { genuine: of("genuine"), impostor: of("impostor") } : {};
  };

  const chosen = (set) => session.files.filter((file) => local.sets[file.key] === set).map((file) => file.key);
  const drawOptions = () => show(options, session.files.length > 0 && make("div", { class: "form" },
    !chosen("test").length && labelled("Folds, as there is no test set", make("input", { type: "number", min: 2, max: 50, value: local.folds, on: { change: (event) => { local.folds = Number(event.target.value); } } })),
    labelled("Trials share", choose([["", "all ids that are known"], ["none", "nothing"], ["claim", "the claim"], ["subject", "the subject"], ["both", "both"]], local.cluster, (value) => { local.cluster = value; })),
    labelled("A trial without a score", choose([["error", "is an error"], ["drop", "is left out"], ["reject", "is rejected"]], local.nan, (value) => { local.nan = value; })),
    labelled("Where label and ids disagree", choose([["", "it is an error"], ["label", "the label counts"], ["ids", "the ids count"]], local.genuine_by, (value) => { local.genuine_by = value; })),
    labelled("Person within an id (pattern)", make("input", { type: "text", value: local.person, on: { change: (event) => { local.person = event.target.value; } } })),
    button("Read", read, { class: "primary", id: "read" })));

  const asked = () => {
    const file = leading();
    if (!file) throw new api.Told("choose which file holds the development scores");
    const scores = file.columns.filter((column) => (local.roles[column.name] || column.role) === "score").map(({ name }) => name);
    const negate = scores.filter((name) => local.distances[name]), all = negate.length > 0 && negate.length === scores.length;
    const roles = file.columns.length ? rolesAsked(file, Object.fromEntries(file.columns.map((column) => [column.name, local.roles[column.name] || column.role]))) : {};
    return { dev: chosen("dev"), test: chosen("test"), ...(chosen("test").length ? {} : { folds: local.folds }), ...(chosen("people").length ? { people: chosen("people")[0] } : {}), roles, ...labelsAsked(file),
      ...(all ? { distances: true } : negate.length ? { negate } : {}), ...(local.cluster ? { cluster: local.cluster } : {}), ...(local.nan === "error" ? {} : { nan: local.nan }), ...(local.person ? { person: local.person } : {}), ...(local.genuine_by ? { genuine_by: local.genuine_by } : {}) };
  };
  const read = async () => {
    const bar = make("progress", { max: 1, "aria-label": "Reading" });
    try {
      const fields = asked(), reading = api.work("read", fields, ({ share }) => { if (share) bar.value = share; });
      show(answer, make("div", { class: "work" }, "Reading\u2026", bar, button("Stop", reading.stop)));
      const data = await reading.done;
      if (data === null) { show(answer, make("p", {}, "Stopped.")); return; }
      const session_ = await api.get("session");
      state.reading = session_.reading;
      app.begun(data);
      app.save();
      app.go("look");
    } catch (error) {
      show(answer, told(error.message));
    }
  };

  const draw = () => { drawList(); drawColumns(); drawOptions(); };
  show(host, zone, list, columns, options, answer,
    app.data && make("section", {}, make("h2", {}, "What was read"), make("p", { id: "read-data" }, app.data.said),
      make("ul", {}, app.data.notes.map((note) => make("li", {}, note)))));
  draw();
};

// what was asked for before, as it is to be shown
const restored = (given, session) => {
  if (!given) return {};
  const reading = { dev: [], test: [], roles: {}, genuine: [], impostor: [], negate: [], nan: "error", person: "", cluster: "", genuine_by: "", ...given };
  const roles = {};
  for (const [role, given] of Object.entries(reading.roles)) for (const name of [given].flat()) roles[name] = role;
  const [file] = session.files.filter(({ key }) => reading.dev.includes(key));
  if (file && reading.roles.score && reading.roles.score.length) {
    for (const { name, role } of file.columns) if (role === "score" && !reading.roles.score.includes(name)) roles[name] = "other";
  }
  const labels = {};
  for (const kind of ["genuine", "impostor"]) for (const word of reading[kind]) labels[word] = kind;
  const sets = Object.fromEntries(session.files.map(({ key }) => [key, reading.dev.includes(key) ? "dev" : reading.test.includes(key) ? "test" : reading.people === key ? "people" : ""]));
  const distances = Object.fromEntries((file ? file.columns : []).map(({ name }) => [name, reading.distances || reading.negate.includes(name)]));
  return { sets, roles, labels, distances, folds: reading.folds || 5, cluster: reading.cluster, nan: reading.nan, person: reading.person, genuine_by: reading.genuine_by };
};
