// elements from names, attributes and children; whatever comes from files is text, never markup
export const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
};
export const byId = (id) => document.getElementById(id);
export const button = (text, click, attributes = {}) =>
  make("button", { type: "button", ...attributes, on: { click } }, text);
export const labelled = (text, field) => make("label", {}, text, field);
export const choose = (options, value, change, attributes = {}) => {
  const field = make(
    "select",
    { ...attributes, on: { change: () => change(field.value) } },
    options.map((option) => {
      const [key, text] = Array.isArray(option) ? option : [option, option];
      return make("option", { value: key }, text);
    }),
  );
  field.value = value;
  return field;
};
export const checks = (legend, options, checked, change, title = null) =>
  make(
    "fieldset",
    { title },
    make("legend", {}, legend),
    make(
      "div",
      { class: "choices" },
      options.map((name) => {
        const box = make("input", {
          type: "checkbox",
          checked: checked.includes(name),
          on: {
            change: () => {
              change(options.filter((other) => (other === name ? box.checked : checked.includes(other))));
            },
          },
        });
        return make("label", {}, box, name);
      }),
    ),
  );
// new contents of a host; who was at a control there stays at the one of the same name
const nameOf = (node) =>
  [
    node.tagName,
    node.id,
    node.getAttribute("aria-label"),
    [...(node.labels || [])].map((label) => label.textContent),
  ].join();
export const show = (host, ...children) => {
  const at = host.contains(document.activeElement) ? document.activeElement : null,
    name = at && nameOf(at);
  host.replaceChildren(...children.flat().filter(Boolean));
  if (!at || host.contains(at)) return;
  const same = [...host.querySelectorAll(at.tagName)].find((node) => nameOf(node) === name);
  if (same) same.focus({ preventScroll: true });
};
// an error or a warning, with the button that leads to what mends it if that is elsewhere
const UNDER_FILES = ["input", "file", "nothing-read", "not-applicable", "scores-and-distances"];
UNDER_FILES.push("reversed-scores", "same-trials", "shared-trials", "ids-like-files", "few-trials-per-id");
const mended = (code, go) => go && UNDER_FILES.includes(code) && button("Go to Files", go);
export const refused = ({ message, code }, go) =>
  make("div", { class: "error", role: "alert" }, make("p", {}, message), mended(code, go));
export const warned = ({ text, code }, go) =>
  make("p", { class: "warning" }, make("strong", {}, "Warning: "), `${text}. `, mended(code, go));
export const copyable = (text, label) => {
  const copied = button(
    "Copy",
    async () => {
      await navigator.clipboard.writeText(text);
      copied.textContent = "Copied";
    },
    { "aria-label": `Copy ${label}` },
  );
  return [make("pre", {}, make("code", {}, text)), copied];
};
// a table that scrolls by itself where it is too wide; a row has one entry per cell, which may be a cell already
export const tableOf = (caption, heads, rows, attributes = {}) => {
  const cell = (entry) => (entry instanceof HTMLTableCellElement ? entry : make("td", {}, entry));
  const above = make(
    "tr",
    {},
    heads.map((text) => (text ? make("th", { scope: "col" }, text) : make("td"))),
  );
  const below = rows.map((row) => make("tr", {}, row.map(cell)));
  const table = make(
    "table",
    attributes,
    make("caption", {}, caption),
    make("thead", {}, above),
    make("tbody", {}, below),
  );
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, table);
};
