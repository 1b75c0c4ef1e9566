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
  const axes = (svg, area, xTicks, yTicks, xLabel, yLabel) => {
    for (const [at, label] of xTicks) {
      draw(svg, "path", { class: "grid", d: `M${at} ${area.top}V${area.bottom}` });
      draw(svg, "text", { x: at, y: area.bottom + 14, "text-anchor": "middle" }, label);
    }
    for (const [at, label] of yTicks) {
      draw(svg, "path", { class: "grid", d: `M${area.left} ${at}H${area.right}` });
      draw(svg, "text", { x: area.left - 5, y: at + 4, "text-anchor": "end" }, label);
    }
    draw(svg, "path", { class: "axis", d: `M${area.left} ${area.top}V${area.bottom}H${area.right}` });
    draw(svg, "text", { x: (area.left + area.right) / 2, y: area.bottom + 30, "text-anchor": "middle" }, xLabel);
    draw(svg, "text", { x: 12, y: (area.top + area.bottom) / 2, "text-anchor": "middle",
      transform: `rotate(-90 12 ${(area.top + area.bottom) / 2})` }, yLabel);
  };
  const niceTicks = (low, high, count) => {
    const raw = (high - low) / count, power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw);
    const ticks = [];
    for (let at = Math.ceil(low / step) * step; at <= high + 1e-9 * step; at += step) ticks.push(at);
    return [ticks, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))];
  };
  const clear = (svg) => { while (svg.firstChild) svg.removeChild(svg.firstChild); };

  // The standard normal quantile, by Acklam's rational approximation.
  const probit = (p) => {
    if (p <= 0) return -Infinity;
    if (p >= 1) return Infinity;
    const a = [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239];
    const b = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572];
    const c = [-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783];
    const d = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416];
    if (p < 0.02425 || p > 0.97575) {
      const q = Math.sqrt(-2 * Math.log(Math.min(p, 1 - p)));
      const x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
        ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
      return p < 0.5 ? x : -x;
    }
    const q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
      (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  };

  const explore = (systems) => {
    const chooser = byId("system"), slider = byId("alpha");
    systems.forEach((system, k) => {
      const option = document.createElement("option");
      option.value = k;
      option.textContent = system.name;
      chooser.appendChild(option);
    });
    slider.max = systems[0].alpha.length - 1;
    let useAsked = true;
    const faint = systems.length <= 12 ? systems : [];

    const point = () => {
      const system = systems[chooser.value], k = Number(slider.value);
      if (useAsked) return system.asked;
      return { alpha: system.alpha[k], threshold: system.threshold[k], far: system.far[k], frr: system.frr[k],
        hter: system.hter[k], low: system.low[k], high: system.high[k] };
    };

    const drawEpc = (system, now) => {
      const svg = byId("epc"), area = box(svg);
      clear(svg);
      const shown = [...faint, system];
      const top = Math.max(...shown.flatMap((s) => s.hter.filter((v, k) => s.alpha[k] >= 0.02 && s.alpha[k] <= 0.98)),
        ...system.high.filter((v, k) => v !== null && system.alpha[k] >= 0.1 && system.alpha[k] <= 0.9), 1e-4) * 1.08;
      const x = scale(0, 1, area.left, area.right), y = scale(0, top, area.bottom, area.top);
      const [ticks, digits] = niceTicks(0, 100 * top, 5);
      axes(svg, area, [0, .2, .4, .6, .8, 1].map((v) => [x(v), v.toFixed(1)]),
        ticks.map((v) => [y(v / 100), v.toFixed(digits)]), "alpha", "HTER %");
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

    const LOW = probit(0.00005), HIGH = probit(0.6);
    const RATES = [0.0001, 0.001, 0.01, 0.05, 0.1, 0.2, 0.4];
    const drawDet = (system, now) => {
      const svg = byId("det"), area = box(svg);
      clear(svg);
      const x = scale(LOW, HIGH, area.left, area.right), y = scale(LOW, HIGH, area.bottom, area.top);
      const inside = (v) => Math.max(LOW, Math.min(HIGH, v));
      const label = (rate) => String(+(100 * rate).toPrecision(2));
      axes(svg, area, RATES.map((r) => [x(probit(r)), label(r)]), RATES.map((r) => [y(probit(r)), label(r)]), "FAR %", "FRR %");
      draw(svg, "path", { class: "grid", d: `M${area.left} ${area.bottom}L${area.right} ${area.top}` });
      const line = (s) => path(s.det.far.map((v) => x(inside(probit(v)))), s.det.frr.map((v) => y(inside(probit(v)))));
      for (const other of faint) draw(svg, "path", { class: "other", d: line(other) });
      draw(svg, "path", { class: "curve", d: line(system) });
      draw(svg, "circle", { class: "point", r: 5, cx: x(inside(probit(now.far))), cy: y(inside(probit(now.frr))) });
      svg.setAttribute("data-at", `${now.far},${now.frr}`);
    };

    const drawDensity = (system, now) => {
      const svg = byId("density"), area = box(svg);
      clear(svg);
      const { edges, genuine, impostor } = system.density;
      const x = scale(edges[0], edges[edges.length - 1], area.left, area.right);
      const y = scale(0, Math.max(...genuine, ...impostor) * 1.05 || 1, area.bottom, area.top);
      const [ticks, digits] = niceTicks(edges[0], edges[edges.length - 1], 5);
      axes(svg, area, ticks.map((v) => [x(v), v.toFixed(digits)]), [], "score", "density");
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
      byId("threshold").textContent = Number.isFinite(now.threshold) ? String(+now.threshold.toPrecision(5)) : "none";
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

  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#888888", "#000000"];
  const DASHES = ["", "6 3", "2 2", "8 3 2 3", "", "6 3", "2 2", "8 3 2 3"];
  const pooled = (curves) => {
    const svg = byId("pooled");
    svg.setAttribute("viewBox", `0 0 640 ${Math.max(320, 60 + 18 * curves.length)}`);
    const area = box(svg);
    area.right -= 190;
    const top = Math.max(...curves.flatMap((c) => c.hter.filter((v, k) => c.alpha[k] >= 0.05 && c.alpha[k] <= 0.95))) * 1.08 || 0.01;
    const x = scale(0, 1, area.left, area.right), y = scale(0, top, area.bottom, area.top);
    const [ticks, digits] = niceTicks(0, 100 * top, 5);
    axes(svg, area, [0, .2, .4, .6, .8, 1].map((v) => [x(v), v.toFixed(1)]), ticks.map((v) => [y(v / 100), v.toFixed(digits)]), "alpha", "HTER %");
    curves.forEach((curve, k) => {
      const style = { fill: "none", stroke: k < 7 ? COLOURS[k] : "currentColor", "stroke-width": curve.name === "all" ? 3 : 1.6, "stroke-dasharray": DASHES[k % 8] };
      draw(svg, "path", { ...style, d: path(curve.alpha.map(x), curve.hter.map((v) => Math.max(area.top, y(v)))) });
      draw(svg, "path", { ...style, d: `M${area.right + 12} ${area.top + 12 + 18 * k}h24` });
      const name = curve.name.length > 26 ? curve.name.slice(0, 25) + "\u2026" : curve.name;
      draw(draw(svg, "text", { x: area.right + 42, y: area.top + 16 + 18 * k }, name), "title", {}, curve.name);
    });
  };

  const BOUNDS = [0.01, 0.25, 0.5, 0.75, 0.9, 0.925, 0.95];
  const CLASSES = ["#fff3b0", "#fdd870", "#f6a74b", "#d8745d", "#9f5f80", "#5f6fae", "#2f6fc4", "#12407a"];
  const coverage = ({ cells, values, best }) => {
    const chooser = byId("method"), svg = byId("map");
    for (const name of Object.keys(values)) {
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
      const found = values[chooser.value];
      cells.forEach(([n, m, pi, rho], k) => {
        const kind = BOUNDS.filter((bound) => found[k] >= bound).length;
        const rect = draw(svg, "rect", { x: left + atN.get(n) * blockWidth + atPi.get(pi) * width,
          y: bottom - atM.get(m) * blockHeight - (atRho.get(rho) + 1) * height, width, height, fill: CLASSES[kind] });
        draw(rect, "title", {}, `n ${n}, m ${m}, pi ${pi}, rho ${rho}: ${(100 * found[k]).toFixed(1)} %`);
      });
      ns.forEach((n, k) => draw(svg, "text", { x: left + (k + 0.5) * blockWidth, y: 678, "text-anchor": "middle" }, String(n)));
      ms.forEach((m, k) => draw(svg, "text", { x: left - 8, y: bottom - (k + 0.5) * blockHeight, "text-anchor": "end" }, String(m)));
      draw(svg, "text", { x: 450, y: 694, "text-anchor": "middle" }, "individuals n");
      draw(svg, "text", { x: 12, y: 340, transform: "rotate(-90 12 340)", "text-anchor": "middle" }, "attempts m");
      svg.setAttribute("data-at", chooser.value);
    };
    chooser.addEventListener("change", show);
    const legend = byId("legend"), ends = [0, ...BOUNDS, 1];
    CLASSES.forEach((colour, k) => {
      const entry = document.createElement("span"), swatch = document.createElement("i");
      swatch.style.background = colour;
      entry.append(swatch, `${100 * ends[k]} to ${100 * ends[k + 1]} %`);
      legend.appendChild(entry);
    });
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

  if (data.systems) explore(data.systems);
  if (data.curves) pooled(data.curves);
  if (data.coverage) coverage(data.coverage);
})();
