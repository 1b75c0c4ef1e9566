"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);

  // a chart where the page has a place for it, called as the page calls it
  const place = (id, make, contents, options = {}) => {
    const room = byId(id).closest("figure").clientWidth;
    const chart = make(contents, { label: byId(id).getAttribute("aria-label"), room, ...options });
    chart.node.id = id;
    byId(id).replaceWith(chart.node);
    return chart;
  };
  const at = (chart, where, words) => {
    chart.node.dataset.at = words;
    return chart.move(where);
  };
  const offer = (chooser, names) => names.forEach((name, k) => chooser.add(new Option(name, k)));

  const explore = ({ systems: given, shared = {}, together, alpha: alphaAxis, det, rates, no_threshold: noThreshold }) => {
    const systems = given.map((system) => ({ ...shared, ...system })), others = together ? systems : [];
    const chooser = byId("system"), slider = byId("alpha");
    offer(chooser, systems.map(({ name }) => name));
    slider.max = systems[0].alpha.length - 1;
    let useAsked = true, shown = {};

    const point = (system) => {
      const k = Number(slider.value);
      if (useAsked) return system.asked;
      return { alpha: system.alpha[k], threshold: system.threshold[k], far: system.far[k], frr: system.frr[k],
        hter: system.hter[k], low: system.low[k], high: system.high[k], x: system.at.x[k], y: system.at.y[k] };
    };
    // limits along alpha, or only at what was asked
    const ends = ({ low, high }) => ({ low, high }), known = ({ low }) => low.filter((limit) => limit !== null).length > 1;
    const limited = (name) => systems.filter((system) => system.limits[name]);
    const limits = (system, name) => {
      const { asked, low, high } = system.limits[name], k = Number(slider.value);
      return { rate: point(system)[name], low: useAsked ? asked[0] : low[k], high: useAsked ? asked[1] : high[k] };
    };

    const draw = () => {
      const system = systems[chooser.value];
      const errors = ({ name, alpha, hter }) => ({ name, x: alpha, y: hter }), tradeOff = (each) => ({ name: each.name, ...each.det });
      shown = {
        epc: place("epc", charts.epc, { x: alphaAxis, y: system.axis, chosen: errors(system), others: others.map(errors),
          band: { x: system.alpha, low: system.low, high: system.high, at: known(system) ? null : { x: system.asked.alpha, ...ends(system.asked) } } }),
        det: place("det", charts.det, { ...det, chosen: tradeOff(system), others: others.map(tradeOff) }),
        density: place("density", charts.density, system.density, { beside: others.length > 1 }),
      };
      if (rates) for (const name of ["far", "frr"]) {
        const rows = limited(name), id = `rates-${name}`;
        byId(id).closest("figure").hidden = !rows.length;
        shown[name] = place(id, charts.rates, { axis: rates[name].axis, names: rows.map((row) => row.name), chosen: rows.indexOf(system) });
      }
    };
    const move = () => {
      const system = systems[chooser.value], now = point(system), elsewhere = others.filter((other) => other !== system).map(point);
      const word = now.alpha === null ? "none: as requested" : now.alpha.toFixed(2) + (useAsked ? ", as requested" : "");
      byId("alpha-value").textContent = word;
      slider.setAttribute("aria-valuetext", word);
      byId("threshold").textContent = Number.isFinite(now.threshold) ? String(+now.threshold.toPrecision(5)) : noThreshold;
      for (const name of ["far", "frr", "hter"]) byId(name).textContent = tables.percent(now[name]);
      byId("interval").textContent = now.low !== null && now.low !== undefined ? `${tables.percent(now.low)} to ${tables.percent(now.high)}`
        : system.asked.low === null || known(system) ? "not known" : "only at the requested alpha";
      at(shown.epc, { x: now.alpha, y: now.hter, others: now.alpha === null ? [] : elsewhere.map(({ hter }) => ({ x: now.alpha, y: hter })) },
        now.alpha === null ? "asked" : now.alpha);
      at(shown.det, { ...now, others: elsewhere }, `${now.far},${now.frr}`);
      at(shown.density, now, now.threshold);
      if (rates) for (const name of ["far", "frr"]) {
        const rows = limited(name).map((row) => limits(row, name)), { all, asked } = rates[name];
        const arrows = at(shown[name], { all: useAsked ? asked : all[Number(slider.value)], rows }, rows.map(({ rate }) => rate).join(","));
        byId(`rates-${name}`).closest("figure").querySelector(".arrows").hidden = !arrows;
      }
    };
    const backToAsked = () => {
      const { alpha } = systems[chooser.value].asked;
      useAsked = true;
      slider.value = Math.round((alpha === null ? 0.5 : alpha) * (systems[0].alpha.length - 1));
      move();
    };
    slider.addEventListener("input", () => { useAsked = false; move(); });
    chooser.addEventListener("change", () => { draw(); move(); });
    byId("asked").addEventListener("click", backToAsked);
    draw();
    backToAsked();
  };

  const evidence = (given) => {
    const { systems, log_odds: odds } = given, chooser = byId("calibrated"), slider = byId("odds");
    offer(chooser, systems.map(({ name }) => name));
    const number = (value) => value === null || value === undefined ? "not known" : String(+value.toPrecision(4));
    let shown = {};
    const draw = () => {
      shown = charts.evidence(given, chooser.value, (name, contents, options) => place(name === "map" ? "llr-map" : name, charts[name], contents, options));
    };
    const move = () => {
      const now = shown.move(Number(slider.value));
      byId("odds-value").textContent = number(now.odds);
      slider.setAttribute("aria-valuetext", `${number(now.odds)}, a prior of ${number(now.prior)}`);
      byId("prior").textContent = number(now.prior);
      byId("accepted").textContent = number(-now.odds);
      byId("bayes-now").textContent = number(now.bayes);
      byId("bayes-least").textContent = number(now.least);
      byId("errors").textContent = `${now.accepts.toLocaleString("en")} and ${now.rejects.toLocaleString("en")}`;
      byId("ece-now").textContent = `${number(now.ece)} bits`;
      byId("misled").textContent = now.misled;
    };
    slider.value = Math.floor(odds.length / 2);
    slider.addEventListener("input", move);
    chooser.addEventListener("change", () => { draw(); move(); });
    draw();
    move();
  };

  const coverage = ({ cells, maps, best, legend }) => {
    const chooser = byId("method");
    for (const name of Object.keys(maps)) chooser.add(new Option(name));
    chooser.value = best;
    const draw = () => { place("map", charts.coverage, { cells, legend, ...maps[chooser.value] }).node.dataset.at = chooser.value; };
    chooser.addEventListener("change", draw);
    for (const [colour, label] of legend) {
      const entry = document.createElement("span"), swatch = document.createElement("i");
      swatch.style.background = colour;
      entry.append(swatch, label);
      byId("legend").appendChild(entry);
    }
    draw();
  };

  // the clipboard is closed to some pages that are files; a selection can be copied everywhere
  const copy = async (button) => {
    const from = byId(button.dataset.copy), text = from.innerText.trim();
    try { await navigator.clipboard.writeText(text); } catch {
      const selection = getSelection();
      selection.selectAllChildren(from);
      document.execCommand("copy");
      selection.removeAllRanges();
    }
    byId("copied").textContent = "Copied";
  };
  for (const button of document.querySelectorAll("button[data-copy]")) button.addEventListener("click", () => copy(button));
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
  theme(byId("theme"));
  document.querySelectorAll("table.sortable").forEach(tables.sortable);
  for (const button of document.querySelectorAll("button[data-save]")) button.addEventListener("click", () => {
    const { save, as } = button.dataset;
    charts.save(byId(save), save, as);
  });
  if (data.systems) explore(data);
  if (data.evidence) evidence(data.evidence);
  if (data.differences) place("differences", charts.differences, data.differences);
  if (data.pooled) place("pooled", charts.pooled, data.pooled);
  if (data.coverage) coverage(data.coverage);
})();
