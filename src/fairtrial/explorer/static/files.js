// files: opened, told, corrected and read
import * as api from "./api.js";
import { button, choose, labelled, make, refused, show, tableOf } from "./dom.js";
import { guess, wantedOf } from "./wanted.js";

const SETS = [
  ["dev", "development"],
  ["test", "test"],
  ["people", "a table of people"],
  ["", "leave out"],
];
const MEANINGS = [
  ["genuine", "genuine"],
  ["impostor", "impostor"],
  ["", "left out"],
];
const HELP =
  "CSV, TSV, Parquet, NumPy, Bob, Kaldi and VoxCeleb lists; dev and test, or one file that is cut into folds. Files are " +
  "copied to a temporary folder and deleted at the end; name large ones on the command line: fairtrial " +
  "explore dev.parquet test.parquet.";

const size = (bytes) => {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
};
// fields that keep what they are given
const kept = (object, name, options) =>
  choose(
    options,
    object[name],
    (value) => {
      object[name] = value;
    },
    { id: name },
  );
const typed = (object, name, attributes, read = (field) => field.value) =>
  make("input", {
    value: object[name],
    ...attributes,
    on: {
      change: ({ target }) => {
        object[name] = read(target);
      },
    },
  });

const dropZone = (opened) => {
  const input = make("input", {
    type: "file",
    multiple: true,
    id: "choose",
    on: { change: () => opened([...input.files]) },
  });
  const zone = make(
    "div",
    { class: "drop" },
    labelled("Drop score files here, or choose them:", input),
    make("p", { class: "note" }, HELP),
  );
  for (const event of ["dragover", "dragleave", "drop"])
    zone.addEventListener(event, (happened) => {
      happened.preventDefault();
      zone.classList.toggle("over", event === "dragover");
      if (event === "drop") opened([...happened.dataTransfer.files]);
    });
  return zone;
};

const fileTable = (files, wanted, { draw, close }) => {
  const row = (file) => [
    file.name,
    choose(
      SETS,
      wanted.sets[file.key],
      (set) => {
        wanted.sets[file.key] = set;
        draw();
      },
      { "aria-label": `Use ${file.name} as` },
    ),
    make("td", { class: "number" }, size(file.size)),
    file.description || "not known",
    button("Close", () => close(file), { "aria-label": `Close ${file.name}` }),
  ];
  return tableOf("Files", ["file", "use as", "size", "read as", ""], files.map(row), { class: "files" });
};

const columnTable = (file, wanted, { roles, labels }, draw) => {
  const distance = ({ name }) =>
    make("input", {
      type: "checkbox",
      checked: Boolean(wanted.distances[name]),
      "aria-label": `Lower scores of ${name} mean genuine`,
      on: {
        change: ({ target }) => {
          wanted.distances[name] = target.checked;
        },
      },
    });
  const row = (column) => [
    column.name,
    choose(
      roles,
      wanted.role(column),
      (role) => {
        wanted.roles[column.name] = role;
        draw();
      },
      { "aria-label": `Column ${column.name} is` },
    ),
    wanted.role(column) === "score" ? distance(column) : "",
    make("td", { class: "examples" }, column.examples.join(", ")),
  ];
  const heads = ["column", "is", labels.negate, "examples"];
  return tableOf(`Columns of ${file.name}`, heads, file.columns.map(row), { class: "columns" });
};

const labelForm = (wanted) => {
  const words = wanted.labelWords();
  const field = (label) =>
    labelled(
      label.word,
      choose(
        MEANINGS,
        wanted.meaning(label),
        (meaning) => {
          wanted.labels[label.word] = meaning;
        },
        { "aria-label": `Label ${label.word} means` },
      ),
    );
  return (
    words.length > 0 &&
    make(
      "div",
      { class: "form", role: "group", "aria-label": "Labels", id: "genuine_labels" },
      make("span", {}, `Labels in ${wanted.labelColumn().name}:`),
      words.map(field),
    )
  );
};

const withoutColumns = (file) => [
  make(
    "p",
    { class: "note" },
    `The format ${file.format || "is not known and"} has no columns to choose from. It begins with:`,
  ),
  make("pre", {}, file.lines.join("\n")),
];

const optionForm = (wanted, { labels, choices }, read) =>
  make(
    "div",
    { class: "form" },
    !wanted.inSet("test").length &&
      labelled(
        labels.folds,
        typed(wanted, "folds", { type: "number", min: 2, max: 50 }, (field) => Number(field.value)),
      ),
    ["cluster", "nan", "genuine_by"].map((name) => labelled(labels[name], kept(wanted, name, choices[name]))),
    labelled(labels.person, typed(wanted, "person", { type: "text", id: "person" })),
    button("Read", read, { class: "primary", id: "read" }),
  );

export const filesView = (host, app) => {
  const { session, state } = app,
    { files } = session,
    wanted = wantedOf(files, state.reading);
  const list = make("div"),
    columns = make("div"),
    options = make("div"),
    answer = make("div");

  const draw = () => {
    const troubled = [...wanted.inSet("dev"), ...wanted.inSet("test")].filter((file) => file.trouble);
    show(
      list,
      files.length > 0 && fileTable(files, wanted, { draw, close }),
      troubled.map((file) => refused({ message: file.trouble })),
    );
    drawColumns();
    show(options, files.length > 0 && optionForm(wanted, session, read));
  };
  const drawColumns = () => {
    const file = wanted.leading();
    if (!file) show(columns);
    else if (!file.columns.length) show(columns, withoutColumns(file));
    else show(columns, columnTable(file, wanted, session, drawColumns), labelForm(wanted));
  };

  const opened = async (dropped) => {
    for (const file of dropped) {
      app.say(`Opening ${file.name}\u2026`);
      try {
        files.push(await api.drop(file));
      } catch (error) {
        show(answer, refused(error));
      }
    }
    const before = files.length > 2 ? wanted.sets : {};
    wanted.sets = { ...guess(files), ...before };
    app.say(files.length === 1 ? "1 file is open" : `${files.length} files are open`);
    draw();
  };
  const close = async (file) => {
    try {
      await api.close(file.key);
      files.splice(files.indexOf(file), 1);
      delete wanted.sets[file.key];
      draw();
    } catch (error) {
      show(answer, refused(error));
    }
  };
  const read = async () => {
    const bar = make("progress", { max: 1, "aria-label": "Reading" });
    for (const node of host.querySelectorAll(".mends")) node.classList.remove("mends");
    try {
      const reading = api.work("read", wanted.asked(), ({ done }) => {
        if (done) bar.value = done;
      });
      show(answer, make("div", { class: "work" }, "Reading\u2026", bar, button("Stop", reading.stop)));
      const data = await reading.done;
      if (data === null) {
        show(answer, make("p", {}, "Stopped."));
        return;
      }
      state.reading = (await api.get("session")).reading;
      state.asked = {};
      app.begun(data);
      app.save();
      app.go("look");
    } catch (error) {
      const said = files.some((file) => wanted.sets[file.key] && file.trouble === error.message); // it stands above
      show(answer, !said && refused(error));
      for (const name of error.controls || []) host.querySelector(`#${name}`)?.classList.add("mends");
    }
  };

  const { data } = app;
  const known =
    data &&
    make(
      "section",
      {},
      make("h2", {}, "What was read"),
      make("p", { id: "read-data" }, data.said),
      make(
        "ul",
        {},
        data.notes.map((note) => make("li", {}, note)),
      ),
    );
  show(host, dropZone(opened), list, columns, options, answer, known);
  draw();
};
