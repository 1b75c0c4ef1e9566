// an answer: sentences, charts, tables and notes, and the files it can be saved as
import * as api from "./api.js";
import { button, choose, copyable, labelled, make, show, warned } from "./dom.js";
import { chartOf, figure } from "./figures.js";

const MANY = 25; // rows of a longer table are cut by .few of explorer.css, after they were sorted
const laidOut = (table) => {
  const heads = table.headings.map((heading, k) =>
    make(
      "th",
      { scope: "col", class: table.numeric[k] ? "number" : null, "aria-sort": "none" },
      make("button", { type: "button" }, heading),
    ),
  );
  const rows = table.rows.map((row) =>
    make(
      "tr",
      {},
      row.map(({ text, sort }, k) => make("td", table.numeric[k] ? { class: "number", "data-sort": sort } : {}, text)),
    ),
  );
  const node = make(
    "table",
    { class: "sortable" },
    make("caption", {}, table.caption),
    make("thead", {}, make("tr", {}, heads)),
    make("tbody", {}, rows),
  );
  tables.sortable(node);
  const scroll = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": table.caption }, node);
  if (rows.length <= MANY) return scroll;
  node.classList.add("few");
  const count = rows.length.toLocaleString("en"),
    all = rows.length < table.total ? `${count} of ${table.total.toLocaleString("en")}` : `all ${count}`;
  const more = button(`Show ${all} rows`, () => {
    node.classList.remove("few");
    more.remove();
  });
  return make("div", {}, scroll, more);
};

// tables are folded below the figures, and open if there are none
export const tablesOf = ({ tables: listed, notes }, open) =>
  make(
    "details",
    { class: "tables", open },
    make("summary", {}, "Tables and notes"),
    make("div", { class: "beside" }, listed.map(laidOut)),
    notes.length > 0 &&
      make(
        "ul",
        { class: "note" },
        notes.map((note) => make("li", {}, note)),
      ),
  );
// as on a report: the numbers that people quote, the sentence to quote, and the differences beside it
const SAID = 3;
export const warningsOf = ({ warnings }, go) =>
  warnings.length > 0 &&
  make(
    "div",
    { class: "warnings" },
    warnings.map((warning) => warned(warning, go)),
  );
const cardOf = (answer, go) => {
  const {
    sentences,
    numbers,
    shown: { differences },
  } = answer;
  const paragraphs = sentences.map((sentence, k) => make("p", { class: k ? "aside" : "answer" }, sentence)),
    folded = paragraphs.splice(SAID);
  return make(
    "div",
    { class: "card" },
    numbers.length > 0 &&
      make(
        "dl",
        { class: "numbers" },
        numbers
          .slice(0, 6)
          .map(([name, value, detail]) =>
            make("div", {}, make("dt", {}, name), make("dd", {}, value), make("dd", { class: "detail" }, detail)),
          ),
      ),
    make(
      "div",
      { class: "said" },
      paragraphs,
      folded.length > 0 && make("details", {}, make("summary", {}, `${folded.length} more`), folded),
    ),
    warningsOf(answer, go),
    differences &&
      figure(
        "differences",
        "The difference with its interval; filled: significant",
        chartOf("differences", differences, { label: "Difference", card: true }),
      ),
  );
};
export const answerOf = (answer, go) => {
  const drawn = chartsOf(answer.shown);
  return make("div", { class: "answered" }, cardOf(answer, go), drawn, tablesOf(answer, !drawn));
};

const link = (answer, file, text) => make("a", { href: api.address(answer.answer, file), download: file }, text);
// one box for all answers of a view
export const saving = (...answers) =>
  make(
    "details",
    { class: "away" },
    make("summary", {}, "Save or repeat: report, tables, figures, command, Python"),
    answers.map(partOf),
  );
const partOf = (answer) => {
  const { command, python, note } = answer.repeated;
  return make(
    "div",
    { class: "saved" },
    answer.has_page &&
      make(
        "p",
        { class: "row" },
        "Report, one file: ",
        link(answer, "report.html", "Save"),
        make(
          "a",
          { href: `${api.address(answer.answer, "report.html")}?show`, target: "_blank", rel: "noopener" },
          "Open",
        ),
      ),
    make(
      "p",
      { class: "row" },
      "Tables: ",
      ["csv", "tex", "md", "json", "parquet"].map((kind) =>
        link(answer, `table.${kind}`, kind === "tex" ? "LaTeX" : kind === "md" ? "Markdown" : kind.toUpperCase()),
      ),
    ),
    answer.figures.map((name) =>
      make(
        "p",
        { class: "row" },
        `Figure ${name}: `,
        ["svg", "png", "pdf"].map((kind) => link(answer, `${name}.${kind}`, kind.toUpperCase())),
      ),
    ),
    command && make("div", {}, make("p", {}, "The same on the command line:"), copyable(command, "the command")),
    make("div", {}, make("p", {}, "The same in Python:"), copyable(python, "the lines of Python")),
    note && make("p", { class: "note" }, `Note: ${note}.`),
  );
};

// what a report would draw, at the point that was asked for
const chartsOf = (shown) => {
  if (shown.evidence) return evidence(shown.evidence);
  const panels = [];
  if (shown.rates) for (const rate of ["far", "frr"]) panels.push(...groupRates(shown, rate));
  if (shown.systems) panels.push(...systemCharts(shown));
  if (shown.pooled)
    panels.push(
      figure(
        "regions",
        "Expected performance curves; shaded where one is significantly better",
        chartOf("pooled", shown.pooled, { label: "Expected performance curves" }),
      ),
    );
  if (shown.zoo)
    panels.push(
      figure(
        "zoo",
        "One point per person; symbols mark those who stand out",
        chartOf("zoo", shown.zoo, { label: "Zoo" }),
      ),
    );
  return panels.length ? make("div", { class: "panels" }, panels) : null;
};
const systemCharts = ({ systems, together, alpha, det, captions }) => {
  const [system] = systems,
    others = together && systems.length > 1 ? systems : [];
  const errors = (each) => ({ name: each.name, x: each.alpha, y: each.hter }),
    tradeOff = (each) => ({ name: each.name, ...each.det });
  const epc = chartOf(
    "epc",
    {
      x: alpha,
      y: system.axis,
      chosen: errors(system),
      others: others.map(errors),
      band: { x: system.alpha, low: system.low, high: system.high },
    },
    { label: "Expected performance curve" },
  );
  const curve = chartOf("det", { ...det, chosen: tradeOff(system), others: others.map(tradeOff) }, { label: "DET curve" });
  const elsewhere = systems.slice(1).map(({ asked }) => asked);
  epc.move({
    x: system.asked.alpha,
    y: system.asked.hter,
    others: system.asked.alpha === null ? [] : elsewhere.map((point) => ({ x: point.alpha, y: point.hter })),
  });
  curve.move({ ...system.asked, others: elsewhere });
  return [
    figure("epc", `${captions.epc}; around ${system.name}: ${captions.interval}`, epc),
    figure("det", `DET curve ${captions.curve}: ${system.name}`, curve),
  ];
};
const groupRates = ({ systems, rates }, rate) => {
  const rows = systems.filter((system) => system.limits[rate]);
  if (!rows.length) return [];
  const chart = chartOf(
    "rates",
    { axis: rates[rate].axis, names: rows.map(({ name }) => name), chosen: -1 },
    { label: `${rate.toUpperCase()} by group` },
  );
  const arrows = chart.move({
    all: rates[rate].asked,
    rows: rows.map((row) => ({
      rate: row.asked[rate],
      low: row.limits[rate].asked[0],
      high: row.limits[rate].asked[1],
    })),
  });
  return [
    figure(
      `rates-${rate}`,
      `${rate.toUpperCase()} of every group with its interval${arrows ? "; arrow: it goes on" : ""}; the vertical line is that of all trials`,
      chart,
    ),
  ];
};

const LABELS = {
  bayes: "Normalised Bayes error over priors",
  ece: "Empirical cross-entropy over priors",
  tippett: "Tippett plot",
  pav: "Log-likelihood ratios from dev against those of test",
  map: "From scores to log-likelihood ratios",
};
const evidence = (shown) => {
  const { systems, log_odds: odds, captions } = shown,
    panels = make("div", { class: "panels" }),
    said = make("span", { "aria-live": "polite" });
  const slider = make("input", {
    type: "range",
    id: "odds",
    min: 0,
    max: odds.length - 1,
    value: Math.floor(odds.length / 2),
    "aria-label": "Prior log-odds",
    on: { input: () => move() },
  });
  let chosen = 0,
    drawn = {};
  const draw = () => {
    const { misled } = systems[chosen].tippett,
      tippett = `Test trials above a log-likelihood ratio: genuine; impostor, dashed. Evidence for the wrong side: ${misled}`;
    show(panels);
    drawn = charts.evidence(shown, chosen, (name, data, options) => {
      const chart = chartOf(name, data, { label: LABELS[name], ...options });
      panels.append(figure({ bayes: "bayes-error", map: "llr-map" }[name] || name, { tippett, ...captions }[name], chart));
      return chart;
    });
  };
  const move = () => {
    const { prior, bayes, least } = drawn.move(Number(slider.value));
    said.textContent = `prior ${+prior.toPrecision(3)}: normalised Bayes error ${+bayes.toPrecision(4)}, at least ${+least.toPrecision(4)}`;
    slider.setAttribute("aria-valuetext", said.textContent);
  };
  draw();
  move();
  return make(
    "div",
    {},
    make(
      "div",
      { class: "form" },
      systems.length > 1 &&
        labelled(
          "Show",
          choose(
            systems.map(({ name }, k) => [k, name]),
            0,
            (k) => {
              chosen = Number(k);
              draw();
              move();
            },
          ),
        ),
      labelled("Prior log-odds of a genuine trial", slider),
      said,
    ),
    panels,
  );
};
