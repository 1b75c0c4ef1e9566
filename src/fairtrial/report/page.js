"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const NS = "http://www.w3.org/2000/svg";

  const draw = (parent, name, attributes, text) => {
    const node = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    parent.appendChild(node);
    return node;
  };
  const percent = (rate) => {
    if (rate === null || rate === undefined) return "not known";
    const value = 100 * rate;
    if (value !== 0 && Math.abs(value) < 0.0995) return String(+value.toPrecision(3)) + " %";
    return (Math.abs(value) < 1 ? value.toFixed(3) : value.toFixed(2)) + " %";
  };
  const scale = (low, high, from, to) => (value) => from + (value - low) / (high - low) * (to - from);
  const path = (xs, ys) => {
    let text = "", pen = false;
    for (let k = 0; k < xs.length; k++) {
      const known = Number.isFinite(xs[k]) && Number.isFinite(ys[k]);
      if (known) text += (pen ? "L" : "M") + xs[k].toFixed(1) + " " + ys[k].toFixed(1);
      pen = known;
    }
    return text;
  };
  const box = (svg) => {
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    return { left: 48, right: width - 10, top: 8, bottom: height - 36 };
  };
  const axes = (svg, area, across, up) => {
    const x = scale(across.low, across.high, area.left, area.right), y = scale(up.low, up.high, area.bottom, area.top);
    for (const [value, label] of across.ticks) {
      draw(svg, "path", { class: "grid", d: `M${x(value)} ${area.top}V${area.bottom}` });
      draw(svg, "text", { x: x(value), y: area.bottom + 14, "text-anchor": "middle" }, label);
    }
    for (const [value, label] of up.ticks) {
      draw(svg, "path", { class: "grid", d: `M${area.left} ${y(value)}H${area.right}` });
      draw(svg, "text", { x: area.left - 5, y: y(value) + 4, "text-anchor": "end" }, label);
    }
    draw(svg, "path", { class: "axis", d: `M${area.left} ${area.top}V${area.bottom}H${area.right}` });
    draw(svg, "text", { x: (area.left + area.right) / 2, y: area.bottom + 30, "text-anchor": "middle" }, across.label);
    draw(svg, "text", { x: 12, y: (area.top + area.bottom) / 2, "text-anchor": "middle",
      transform: `rotate(-90 12 ${(area.top + area.bottom) / 2})` }, up.label);
    return [x, y];
  };
  // what lies beyond the axes is cut off at their frame, never moved onto it
  const framed = (svg, area) => {
    const clip = draw(draw(svg, "defs", {}), "clipPath", { id: `${svg.id}-frame` });
    draw(clip, "rect", { x: area.left, y: area.top, width: area.right - area.left, height: area.bottom - area.top });
    return draw(svg, "g", { "clip-path": `url(#${svg.id}-frame)` });
  };
  const short = (name, most) => name.length > most ? name.slice(0, most - 1) + "\u2026" : name;
  // names to the right of the axes, each beside the last point of its curve within them, none on another
  const NAMES = 92, APART = 12;
  const named = (svg, area, curves, chosen, until = 1) => {
    const end = area.left + until * (area.right - area.left);
    const within = (x, y) => x >= area.left && x <= end && y >= area.top && y <= area.bottom;
    const ends = curves.map(({ name, xs, ys }) => {
      let last = null;
      xs.forEach((x, k) => { if (within(x, ys[k]) && (last === null || x >= last.x)) last = { x, y: ys[k] }; });
      return { name, last: last || { x: area.right, y: area.top } };
    }).sort((a, b) => a.last.y - b.last.y);
    let next = area.top + 4;
    ends.forEach((entry) => { entry.y = Math.max(entry.last.y, next); next = entry.y + APART; });
    let lowest = area.bottom;
    ends.slice().reverse().forEach((entry) => { entry.y = Math.min(entry.y, lowest); lowest = entry.y - APART; });
    for (const { name, last, y } of ends) {
      draw(svg, "path", { class: "leader", d: `M${last.x.toFixed(1)} ${last.y.toFixed(1)}L${area.right + 6} ${y.toFixed(1)}` });
      const text = draw(svg, "text", { class: name === chosen ? "name chosen" : "name", x: area.right + 8, y: y + 3 }, short(name, 15));
      draw(text, "title", {}, name);
    }
  };
  const clear = (svg) => { while (svg.firstChild) svg.removeChild(svg.firstChild); };

  // one rate of every group with its interval, on a log axis, where a rate of 0 is an arrow from its upper limit
  const ROW = 20, BESIDE = 130;
  const drawRates = (svg, rows, { axis, all }) => {
    clear(svg);
    svg.setAttribute("viewBox", `0 0 ${420 + NAMES} ${60 + ROW * rows.length}`);
    const area = box(svg);
    area.left = BESIDE;
    const [x] = axes(svg, area, axis, { label: "", low: 0, high: 1, ticks: [] });
    const at = (rate) => rate > 0 ? Math.max(x(Math.log10(rate)), area.left) : area.left;
    const inside = framed(svg, area);
    draw(inside, "path", { class: "marker", d: `M${at(all)} ${area.top}V${area.bottom}` });
    rows.forEach(({ name, rate, low, high, chosen }, k) => {
      const y = area.top + (k + 0.5) * (area.bottom - area.top) / rows.length;
      const label = draw(svg, "text", { class: chosen ? "name chosen" : "name", x: BESIDE - 6, y: y + 4, "text-anchor": "end" }, short(name, 18));
      draw(label, "title", {}, name);
      let line = "";
      if (high !== null) {
        const from = rate > 0 ? at(low) : area.left, to = at(high);
        line = `M${from} ${y}H${to}M${to} ${y - 4}v8`;
        if (!(rate > 0)) line += `M${from + 6} ${y - 4}L${from} ${y}l6 4`;
        else if (from > area.left) line += `M${from} ${y - 4}v8`;
      }
      draw(inside, "path", { class: "span", d: line });
      if (rate > 0) draw(inside, "circle", { class: chosen ? "point" : "sure", r: chosen ? 5 : 4, cx: at(rate), cy: y });
    });
    svg.setAttribute("data-at", rows.map(({ rate }) => rate).join(","));
  };

  const explore = ({ systems, together, alpha: alphaAxis, det, rates, no_threshold: noThreshold }) => {
    const chooser = byId("system"), slider = byId("alpha");
    systems.forEach((system, k) => {
      const option = document.createElement("option");
      option.value = k;
      option.textContent = system.name;
      chooser.appendChild(option);
    });
    slider.max = systems[0].alpha.length - 1;
    let useAsked = true;
    const faint = together ? systems : [];
    const room = faint.length > 1 ? NAMES : 0;
    for (const id of ["epc", "det", "density"]) byId(id).setAttribute("viewBox", `0 0 ${420 + room} 300`);
    const boxBesideNames = (svg) => { const area = box(svg); area.right -= room; return area; };

    const point = (system) => {
      const k = Number(slider.value);
      if (useAsked) return system.asked;
      return { alpha: system.alpha[k], threshold: system.threshold[k], far: system.far[k], frr: system.frr[k],
        hter: system.hter[k], low: system.low[k], high: system.high[k], x: system.at.x[k], y: system.at.y[k] };
    };

    // where the other systems are at the same alpha
    const others = (svg, chosen, across, up) => {
      for (const system of faint) {
        const now = point(system);
        if (system !== chosen) draw(svg, "circle", { class: "elsewhere", r: 3, cx: across(now), cy: up(now) });
      }
    };

    const drawRatesOf = (name, chosen) => {
      const k = Number(slider.value), { axis, all, asked } = rates[name];
      const rows = systems.filter((system) => system.limits[name]).map((system) => {
        const limits = system.limits[name];
        return { name: system.name, chosen: system === chosen, rate: point(system)[name],
          low: useAsked ? limits.asked[0] : limits.low[k], high: useAsked ? limits.asked[1] : limits.high[k] };
      });
      byId(`rates-${name}`).closest("figure").hidden = !rows.length;
      drawRates(byId(`rates-${name}`), rows, { axis, all: useAsked ? asked : all[k] });
    };

    const drawEpc = (system, now) => {
      const svg = byId("epc"), area = boxBesideNames(svg);
      clear(svg);
      const [x, y] = axes(svg, area, alphaAxis, system.axis);
      const clip = (v) => Math.max(area.top, Math.min(area.bottom, v));
      const inside = framed(svg, area);
      const known = system.alpha.map((_, k) => k).filter((k) => system.low[k] !== null);
      if (known.length) {
        const up = known.map((k) => `${x(system.alpha[k]).toFixed(1)} ${y(system.high[k]).toFixed(1)}`);
        const down = known.slice().reverse().map((k) => `${x(system.alpha[k]).toFixed(1)} ${y(system.low[k]).toFixed(1)}`);
        draw(inside, "path", { class: "band", d: `M${up.join("L")}L${down.join("L")}Z` });
      }
      for (const other of faint) draw(inside, "path", { class: "other", d: path(other.alpha.map(x), other.hter.map(y)) });
      draw(inside, "path", { class: "curve", d: path(system.alpha.map(x), system.hter.map(y)) });
      if (room) named(svg, area, faint.map((s) => ({ name: s.name, xs: s.alpha.map(x), ys: s.hter.map(y) })), system.name, 0.95);  // before errors soar
      const at = now.alpha === null ? null : x(now.alpha);
      if (at !== null) others(inside, system, () => at, ({ hter }) => y(hter));
      if (at !== null) draw(svg, "path", { class: "marker", d: `M${at} ${area.top}V${area.bottom}` });
      // a criterion that is no weighting of errors has no place on this axis, only a height
      if (at === null) draw(svg, "path", { class: "marker", d: `M${area.left} ${clip(y(now.hter))}H${area.right}` });
      else draw(svg, "circle", { class: "point", r: 5, cx: at, cy: clip(y(now.hter)) });
      svg.setAttribute("data-at", at === null ? "asked" : String(now.alpha));
    };

    const drawDet = (system, now) => {
      const svg = byId("det"), area = boxBesideNames(svg);
      clear(svg);
      const [x, y] = axes(svg, area, det.x, det.y);
      const from = Math.max(det.x.low, det.y.low), to = Math.min(det.x.high, det.y.high);
      draw(svg, "path", { class: "grid", d: `M${x(from)} ${y(from)}L${x(to)} ${y(to)}` });
      const line = (s) => path(s.det.x.map(x), s.det.y.map(y));
      const inside = framed(svg, area);
      for (const other of faint) draw(inside, "path", { class: "other", d: line(other) });
      draw(inside, "path", { class: "curve", d: line(system) });
      if (room) named(svg, area, faint.map((s) => ({ name: s.name, xs: s.det.x.map(x), ys: s.det.y.map(y) })), system.name);
      others(inside, system, (where) => x(where.x), (where) => y(where.y));
      draw(svg, "circle", { class: "point", r: 5, cx: x(now.x), cy: y(now.y) });
      svg.setAttribute("data-at", `${now.far},${now.frr}`);
    };

    const drawDensity = (system, now) => {
      const svg = byId("density"), area = box(svg);
      clear(svg);
      const { edges, genuine, impostor, top, scores } = system.density;
      const [x, y] = axes(svg, area, scores, { label: "density", low: 0, high: top, ticks: [] });
      const steps = (heights) => {
        let text = `M${x(edges[0])} ${area.bottom}`;
        heights.forEach((h, k) => { text += `L${x(edges[k]).toFixed(1)} ${y(h).toFixed(1)}L${x(edges[k + 1]).toFixed(1)} ${y(h).toFixed(1)}`; });
        return `${text}L${area.right} ${area.bottom}`;
      };
      draw(svg, "path", { class: "first", d: steps(genuine) });
      draw(svg, "path", { class: "second", d: steps(impostor) });
      if (Number.isFinite(now.threshold)) {
        const at = Math.max(area.left, Math.min(area.right, x(now.threshold)));
        draw(svg, "path", { class: "threshold", d: `M${at} ${area.top}V${area.bottom}` });
        const left = at > (area.left + area.right) / 2;
        draw(svg, "text", { class: "halo", x: at + (left ? -5 : 5), y: area.top + 12, "text-anchor": left ? "end" : "start" }, "threshold");
      }
      svg.setAttribute("data-at", String(now.threshold));
    };

    const show = () => {
      const system = systems[chooser.value], now = point(system);
      const word = now.alpha === null ? "none: as asked" : now.alpha.toFixed(2) + (useAsked ? ", as asked" : "");
      byId("alpha-value").textContent = word;
      slider.setAttribute("aria-valuetext", word);
      byId("threshold").textContent = Number.isFinite(now.threshold) ? String(+now.threshold.toPrecision(5)) : noThreshold;
      byId("far").textContent = percent(now.far);
      byId("frr").textContent = percent(now.frr);
      byId("hter").textContent = percent(now.hter);
      byId("interval").textContent = now.low === null || now.low === undefined ? "not known" : `${percent(now.low)} to ${percent(now.high)}`;
      drawEpc(system, now);
      drawDet(system, now);
      drawDensity(system, now);
      if (rates) for (const name of ["far", "frr"]) drawRatesOf(name, system);
    };
    slider.addEventListener("input", () => { useAsked = false; show(); });
    chooser.addEventListener("change", show);
    const backToAsked = () => {
      const { alpha } = systems[chooser.value].asked;
      useAsked = true;
      slider.value = Math.round((alpha === null ? 0.5 : alpha) * (systems[0].alpha.length - 1));
      show();
    };
    byId("asked").addEventListener("click", backToAsked);
    backToAsked();
  };

  const evidence = ({ systems, together, log_odds: odds, neutral, odds: across, rates, bits, shares }) => {
    const faint = together ? systems : [], room = faint.length > 1 ? NAMES : 0;
    for (const id of ["bayes", "ece"]) byId(id).setAttribute("viewBox", `0 0 ${420 + room} 300`);
    const chooser = byId("calibrated"), slider = byId("odds");
    systems.forEach((system, k) => {
      const option = document.createElement("option");
      option.value = k;
      option.textContent = system.name;
      chooser.appendChild(option);
    });
    const number = (value) => value === null || value === undefined ? "not known" : String(+value.toPrecision(4));
    const frame = (id, x, y, beside = 0) => {
      const svg = byId(id), area = box(svg);
      area.right -= beside;
      clear(svg);
      const [atX, atY] = axes(svg, area, x, y), inside = framed(svg, area);
      // what is infinite comes as null, and is not drawn
      const line = (name, xs, ys) => draw(inside, "path", { class: name, d: path(xs.map(atX), ys.map((y) => y === null ? NaN : atY(y))) });
      const band = (xs, low, high) => draw(inside, "path", { class: "band", d: path(
        [...xs, ...xs.slice().reverse()].map(atX), [...high, ...low.slice().reverse()].map(atY)) + "Z" });
      const upright = (value) => draw(inside, "path", { class: "marker", d: `M${atX(value)} ${area.top}V${area.bottom}` });
      const point = (value, height) => draw(inside, "circle", { class: "point", r: 5, cx: atX(value), cy: atY(height) });
      const others = (values) => {
        for (const other of faint) line("other", odds, values(other));
        if (beside) named(svg, area, faint.map((s) => ({ name: s.name, xs: odds.map(atX), ys: values(s).map(atY) })), systems[chooser.value].name);
      };
      return { svg, line, band, upright, point, others };
    };
    const show = () => {
      const k = Number(slider.value), { bayes, ece, tippett, pav, map } = systems[chooser.value], now = odds[k];
      const prior = 1 / (1 + Math.exp(-now));
      byId("odds-value").textContent = number(now);
      slider.setAttribute("aria-valuetext", `${number(now)}, a prior of ${number(prior)}`);
      byId("prior").textContent = number(prior);
      byId("accepted").textContent = number(-now);
      byId("bayes-now").textContent = number(bayes.calibrated[k]);
      byId("bayes-least").textContent = number(bayes.minimum[k]);
      byId("errors").textContent = `${bayes.false_accepts[k].toLocaleString("en")} and ${bayes.false_rejects[k].toLocaleString("en")}`;
      byId("ece-now").textContent = `${number(ece.calibrated[k])} bits`;
      byId("misled").textContent = tippett.misled;

      const errors = frame("bayes", across, rates, room);
      errors.line("guide", [odds[0], odds[odds.length - 1]], [1, 1]);
      errors.band(bayes.band.at, bayes.band.low, bayes.band.high);
      errors.others((other) => other.bayes.calibrated);
      errors.line("least", odds, bayes.minimum);
      errors.line("faint", odds, bayes.calibrated);
      errors.line("curve", odds, bayes.calibrated.map((rate, j) => bayes.supported[j] ? rate : NaN));
      errors.upright(now);
      errors.point(now, bayes.calibrated[k]);
      errors.svg.setAttribute("data-at", `${now},${bayes.calibrated[k]}`);

      const entropy = frame("ece", across, bits, room);
      entropy.line("guide", odds, neutral);
      entropy.band(ece.band.at, ece.band.low, ece.band.high);
      entropy.others((other) => other.ece.calibrated);
      entropy.line("least", odds, ece.minimum);
      entropy.line("curve", odds, ece.calibrated);
      entropy.upright(now);
      if (ece.calibrated[k] !== null) entropy.point(now, ece.calibrated[k]);
      entropy.svg.setAttribute("data-at", `${now},${ece.calibrated[k]}`);

      const trials = frame("tippett", tippett.x, shares);
      trials.line("curve", tippett.at, tippett.genuine);
      trials.line("against", tippett.at, tippett.impostor);
      trials.upright(-now);
      trials.svg.setAttribute("data-at", String(-now));

      const reliable = frame("pav", pav.x, pav.y);
      reliable.band(pav.places, pav.low, pav.high);
      reliable.line("guide", [pav.x.low, pav.x.high], [pav.x.low, pav.x.high]);
      reliable.line("curve", pav.at, pav.steps);
      reliable.upright(-now);

      if (!map) return;
      const fitted = frame("llr-map", map.scores.x, map.y);
      fitted.band(map.scores.at, map.low, map.high);
      fitted.line("guide", [map.scores.x.low, map.scores.x.high], [0, 0]);
      fitted.line("curve", map.scores.at, map.llr);
    };
    slider.value = Math.floor(odds.length / 2);
    slider.addEventListener("input", show);
    chooser.addEventListener("change", show);
    show();
  };

  const differences = ({ pairs, x: across }) => {
    const svg = byId("differences"), beside = 200, row = 20;
    svg.setAttribute("viewBox", `0 0 640 ${60 + row * pairs.length}`);
    const area = box(svg);
    area.left = beside;
    const [x] = axes(svg, area, across, { label: "", low: 0, high: 1, ticks: [] });
    draw(svg, "path", { class: "threshold", d: `M${x(0)} ${area.top}V${area.bottom}` });
    pairs.forEach(({ name, estimate, low, high, sure }, k) => {
      const y = area.top + (k + 0.5) * (area.bottom - area.top) / pairs.length;
      draw(svg, "path", { class: "span", d: `M${x(low)} ${y}H${x(high)}M${x(low)} ${y - 4}v8M${x(high)} ${y - 4}v8` });
      draw(svg, "circle", { class: sure ? "sure" : "unsure", r: 4.5, cx: x(estimate), cy: y });
      draw(draw(svg, "text", { x: beside - 8, y: y + 4, "text-anchor": "end" }, short(name, 30)), "title", {}, name);
    });
  };

  const pooled = ({ curves, x: across, y: up }) => {
    const svg = byId("pooled");
    svg.setAttribute("viewBox", `0 0 640 ${Math.max(320, 60 + 18 * curves.length)}`);
    const area = box(svg);
    area.right -= 190;
    const [x, y] = axes(svg, area, across, up);
    const inside = framed(svg, area);
    curves.forEach((curve, k) => {
      const width = curve.bold ? 3 : 1.6;
      const look = { fill: "none", style: `stroke: var(--c${curve.colour})`, "stroke-width": width,
        "stroke-dasharray": curve.dashes.map((length) => length * width).join(" ") };
      draw(inside, "path", { ...look, d: path(curve.alpha.map(x), curve.hter.map(y)) });
      draw(svg, "path", { ...look, d: `M${area.right + 12} ${area.top + 12 + 18 * k}h24` });
      draw(draw(svg, "text", { x: area.right + 42, y: area.top + 16 + 18 * k }, short(curve.name, 26)), "title", {}, curve.name);
    });
  };

  const coverage = ({ cells, maps, best, legend }) => {
    const chooser = byId("method"), svg = byId("map");
    for (const name of Object.keys(maps)) {
      const option = document.createElement("option");
      option.value = option.textContent = name;
      chooser.appendChild(option);
    }
    chooser.value = best;
    const distinct = (k) => [...new Set(cells.map((cell) => cell[k]))].sort((a, b) => a - b);
    const [ns, ms, pis, rhos] = [0, 1, 2, 3].map(distinct);
    const place = (list) => new Map(list.map((v, k) => [v, k]));
    const [atN, atM, atPi, atRho] = [ns, ms, pis, rhos].map(place);
    const show = () => {
      clear(svg);
      const left = 50, bottom = 660, blockWidth = 800 / ns.length, blockHeight = 640 / ms.length;
      const width = (blockWidth - 6) / pis.length, height = (blockHeight - 6) / rhos.length;
      const { values, classes } = maps[chooser.value];
      cells.forEach(([n, m, pi, rho], k) => {
        const rect = draw(svg, "rect", { x: left + atN.get(n) * blockWidth + atPi.get(pi) * width,
          y: bottom - atM.get(m) * blockHeight - (atRho.get(rho) + 1) * height, width, height, fill: legend[classes[k]][0] });
        draw(rect, "title", {}, `n ${n}, m ${m}, pi ${pi}, rho ${rho}: ${(100 * values[k]).toFixed(1)} %`);
      });
      ns.forEach((n, k) => draw(svg, "text", { x: left + (k + 0.5) * blockWidth, y: 678, "text-anchor": "middle" }, String(n)));
      ms.forEach((m, k) => draw(svg, "text", { x: left - 8, y: bottom - (k + 0.5) * blockHeight, "text-anchor": "end" }, String(m)));
      draw(svg, "text", { x: 450, y: 694, "text-anchor": "middle" }, "n, individuals");
      draw(svg, "text", { x: 12, y: 340, transform: "rotate(-90 12 340)", "text-anchor": "middle" }, "m, attempts of each");
      svg.setAttribute("data-at", chooser.value);
    };
    chooser.addEventListener("change", show);
    for (const [colour, label] of legend) {
      const entry = document.createElement("span"), swatch = document.createElement("i");
      swatch.style.background = colour;
      entry.append(swatch, label);
      byId("legend").appendChild(entry);
    }
    show();
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.querySelectorAll("th")];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const rising = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      const body = table.tBodies[0], rows = [...body.rows];
      const key = (row) => row.cells[column].dataset.sort;
      const number = (row) => { const text = key(row); return text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text); };
      rows.sort((a, b) => (key(a) === undefined
        ? a.cells[column].textContent.localeCompare(b.cells[column].textContent, undefined, { numeric: true })
        : number(a) === number(b) ? 0 : number(a) - number(b)) * (rising ? 1 : -1));
      rows.forEach((row) => body.appendChild(row));
    }));
  }

  // a figure as a file of its own: with the looks that the style sheet gives it, on the paper of the page
  const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-family",
    "font-size", "font-weight", "paint-order"];
  const PIXELS = 3;
  const alone = (svg) => {
    const copy = svg.cloneNode(true), [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const originals = svg.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((node, k) => {
      const looks = getComputedStyle(originals[k]);
      for (const name of LOOKS) if (looks.getPropertyValue(name)) node.setAttribute(name, looks.getPropertyValue(name));
      node.removeAttribute("class");
      node.removeAttribute("style");
    });
    copy.setAttribute("xmlns", NS);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    const paper = document.createElementNS(NS, "rect");
    for (const [key, value] of Object.entries({ width, height, fill: getComputedStyle(document.body).backgroundColor })) paper.setAttribute(key, value);
    copy.insertBefore(paper, copy.firstChild);
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  };
  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  for (const button of document.querySelectorAll("button[data-save]")) button.addEventListener("click", () => {
    const id = button.dataset.save, { text, width, height } = alone(byId(id));
    if (button.dataset.as === "svg") { save(new Blob([text], { type: "image/svg+xml" }), `${id}.svg`); return; }
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = PIXELS * width;
      canvas.height = PIXELS * height;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, `${id}.png`), "image/png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  });

  const theme = byId("theme"), root = document.documentElement;
  const darkNow = () => root.classList.contains("dark") ||
    (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  const label = () => { theme.textContent = darkNow() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => {
    const dark = !darkNow();
    root.classList.toggle("dark", dark);
    root.classList.toggle("light", !dark);
    label();
  });
  label();

  if (data.systems) explore(data);
  if (data.evidence) evidence(data.evidence);
  if (data.differences) differences(data.differences);
  if (data.pooled) pooled(data.pooled);
  if (data.coverage) coverage(data.coverage);
})();
