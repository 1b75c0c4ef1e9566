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
  const clear = (svg) => { while (svg.firstChild) svg.removeChild(svg.firstChild); };

  const explore = ({ systems, together, alpha: alphaAxis, det, no_threshold: noThreshold }) => {
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

    const point = () => {
      const system = systems[chooser.value], k = Number(slider.value);
      if (useAsked) return system.asked;
      return { alpha: system.alpha[k], threshold: system.threshold[k], far: system.far[k], frr: system.frr[k],
        hter: system.hter[k], low: system.low[k], high: system.high[k], x: system.at.x[k], y: system.at.y[k] };
    };

    const drawEpc = (system, now) => {
      const svg = byId("epc"), area = box(svg);
      clear(svg);
      const [x, y] = axes(svg, area, alphaAxis, system.axis);
      const clip = (v) => Math.max(area.top, Math.min(area.bottom, v));
      const known = system.alpha.map((_, k) => k).filter((k) => system.low[k] !== null);
      if (known.length) {
        const up = known.map((k) => `${x(system.alpha[k]).toFixed(1)} ${clip(y(system.high[k])).toFixed(1)}`);
        const down = known.slice().reverse().map((k) => `${x(system.alpha[k]).toFixed(1)} ${clip(y(system.low[k])).toFixed(1)}`);
        draw(svg, "path", { class: "band", d: `M${up.join("L")}L${down.join("L")}Z` });
      }
      for (const other of faint) draw(svg, "path", { class: "other", d: path(other.alpha.map(x), other.hter.map(y).map(clip)) });
      draw(svg, "path", { class: "curve", d: path(system.alpha.map(x), system.hter.map(y).map(clip)) });
      const at = now.alpha === null ? null : x(now.alpha);
      if (at !== null) draw(svg, "path", { class: "marker", d: `M${at} ${area.top}V${area.bottom}` });
      // a criterion that is no weighting of errors has no place on this axis, only a height
      if (at === null) draw(svg, "path", { class: "marker", d: `M${area.left} ${clip(y(now.hter))}H${area.right}` });
      else draw(svg, "circle", { class: "point", r: 5, cx: at, cy: clip(y(now.hter)) });
      svg.setAttribute("data-at", at === null ? "asked" : String(now.alpha));
    };

    const drawDet = (system, now) => {
      const svg = byId("det"), area = box(svg);
      clear(svg);
      const [x, y] = axes(svg, area, det.x, det.y);
      const from = Math.max(det.x.low, det.y.low), to = Math.min(det.x.high, det.y.high);
      draw(svg, "path", { class: "grid", d: `M${x(from)} ${y(from)}L${x(to)} ${y(to)}` });
      const line = (s) => path(s.det.x.map(x), s.det.y.map(y));
      for (const other of faint) draw(svg, "path", { class: "other", d: line(other) });
      draw(svg, "path", { class: "curve", d: line(system) });
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
        draw(svg, "path", { class: "marker", d: `M${at} ${area.top}V${area.bottom}` });
      }
      svg.setAttribute("data-at", String(now.threshold));
    };

    const show = () => {
      const system = systems[chooser.value], now = point();
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

  const pooled = ({ curves, x: across, y: up }) => {
    const svg = byId("pooled");
    svg.setAttribute("viewBox", `0 0 640 ${Math.max(320, 60 + 18 * curves.length)}`);
    const area = box(svg);
    area.right -= 190;
    const [x, y] = axes(svg, area, across, up);
    curves.forEach((curve, k) => {
      const width = curve.bold ? 3 : 1.6;
      const look = { fill: "none", style: `stroke: var(--c${curve.colour})`, "stroke-width": width,
        "stroke-dasharray": curve.dashes.map((length) => length * width).join(" ") };
      draw(svg, "path", { ...look, d: path(curve.alpha.map(x), curve.hter.map((v) => Math.max(area.top, y(v)))) });
      draw(svg, "path", { ...look, d: `M${area.right + 12} ${area.top + 12 + 18 * k}h24` });
      const name = curve.name.length > 26 ? curve.name.slice(0, 25) + "\u2026" : curve.name;
      draw(draw(svg, "text", { x: area.right + 42, y: area.top + 16 + 18 * k }, name), "title", {}, curve.name);
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
  if (data.pooled) pooled(data.pooled);
  if (data.coverage) coverage(data.coverage);
})();
