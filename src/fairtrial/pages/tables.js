/* What tables do on reports and in the explorer: a classic script that defines `tables`.

  tables.percent(rate)     a rate as the tables of fairtrial write it, with its unit
  tables.sortable(table)   makes the heads of a table, each with a button, sort its rows: by the data-sort of the cells
                           of a column if they have it, and by what they say otherwise */
const tables = (() => {
  "use strict";
  // as Python rounds: a number halfway between two goes to the even one, where toFixed would take the larger
  const fixed = (value, digits) => {
    const scaled = value * 10 ** digits, halfway = Number.isInteger(value * 2 ** (digits + 1)) && Math.abs(scaled % 1) === 0.5;
    return halfway ? (2 * Math.round(scaled / 2) / 10 ** digits).toFixed(digits) : value.toFixed(digits);
  };
  const percent = (rate) => {
    if (rate === null || rate === undefined) return "not known";
    const value = 100 * rate, size = Math.abs(value);
    if (value === 0) return "0.000 %";
    if (size >= 1) return `${fixed(value, 2)} %`;
    const place = Math.floor(Math.log10(size)), shown = fixed(value, 2 - place);
    return `${Math.abs(shown) < 10 ** (place + 1) ? shown : fixed(value, 1 - place)} %`; // 0.9999 is 1.00
  };

  const numberOf = (text) => text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);
  const inOrder = (column) => (a, b) => {
    const [one, two] = [a.cells[column], b.cells[column]];
    if (one.dataset.sort === undefined) return one.textContent.localeCompare(two.textContent, undefined, { numeric: true });
    const [first, second] = [numberOf(one.dataset.sort), numberOf(two.dataset.sort)];
    return first === second ? 0 : first - second;
  };
  const sortable = (table) => {
    const heads = [...table.querySelectorAll("th")];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const rising = head.getAttribute("aria-sort") !== "ascending", order = inOrder(column);
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort((a, b) => rising ? order(a, b) : order(b, a)));
    }));
  };

  return { percent, sortable };
})();
