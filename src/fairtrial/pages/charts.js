/* The charts of reports and of the explorer: a classic script that needs the globals d3 and Plot, and defines `charts`.

Every chart is made by `charts.NAME(data, options)`, which returns {node, move}:
  node       its SVG element, yet to be put into the document
  move(at)   moves the operating point, by which no curve is drawn anew; what `at` holds is said below
Options of all charts: {label}, what the chart is called for those who do not see it, {width, height} in units of the
SVG, which is as wide as the element it is in, and {room}, the width of that element in pixels: a chart is drawn no wider,
so that its text stays legible on a phone.

  Axis    {label, low, high, ticks: [[value, text], ...]}   as fairtrial.figures.style gives it
  Curve   {name, x: [...], y: [...]}                        null and NaN are gaps

  epc     {x, y, chosen: Curve, others: [Curve], band: {x, low, high, at}}
          The others are faint, with names at their ends if there are several (the chosen one may be among them). `at`,
          {x, low, high}, is one interval instead of a band. Others and band may be left out.
          move({x, y, others: [{x, y}, ...]}); x is null for a point that has a height only
  det     {x, y, chosen: Curve, others: [Curve]}            move as that of epc
  roc     the same as det; {diagonal: false} in the options leaves out the line of equal coordinates
  density {scores: Axis, top, genuine: [...], impostor: [...], saturated}         move({threshold})
          Heights, up to `top`, of bins of equal width from the low to the high end of the axis; saturated ones, of which
          a few would hide all others, are drawn by their square roots.
          With the option {beside: true} it is as wide as a chart with names beside it. With onThreshold(value), the
          threshold can be dragged, or moved by arrow keys, Page Up and Down, Home and End.
  rates   {axis: Axis in powers of ten, names: [...], chosen: number of a row}
          move({all, rows: [{rate, low, high}, ...]}); a limit of null is not known; returns whether there is an arrow
  differences {x, pairs: [{name, estimate, low, high, sure}]}
  pooled  {x, y, curves: [{name, alpha, hter, colour, dashes, bold, low, high}], regions: [{from, to, better}]}
          With or without the band. Between `from` and `to` the curve named `better` is significantly better.
  coverage {cells: [[n, m, pi, rho], ...], values, classes, legend: [[colour, text], ...]}
  zoo     {x, y, points: [{x, y, name, kind}], kinds: [{name, colour, symbol: number}]}                      move({x, y}), or move({}) for none
  bayes   {x, y, odds, chosen: name, calibrated, minimum, supported, band: {at, low, high}, others: [{name, y}]}
  ece     {x, y, odds, chosen: name, calibrated, minimum, neutral, band, others}  both: move({x, y})
  tippett {x, y, genuine, impostor}, evenly along x                               move({x})
  pav     {x, y, at: [n + 1], steps: [n], places: [m + 1], low: [m], high: [m]}   move({x})
          Steps from each place to the next; the same for their band.
  map     {scores: Axis, y, llr, low, high}, evenly along the scores

charts.evidence(data, k, make) makes the five charts of the calibrated system `k` of the data that `evidence_charts` gives, by
make(NAME, data, options); {move} moves them to a place along the priors, and tells what is there.

charts.save(node, name, "svg" or "png") saves a chart that is in the document as a file of its own.

Looks are those of charts.css, by class. Plot's own style element and style attributes are not used, so that a page may
forbid styles within it. */
const charts = (() => {
  "use strict";
  const WIDTH = 420, HEIGHT = 300, MARGINS = { top: 8, right: 10, bottom: 39, left: 48 };
  const NAMES = 92, APART = 12, ROW = 20, MANY_ROWS = 20, LEGEND_ROW = 18;
  const SYMBOLS = [d3.symbolCircle, d3.symbolTriangle, d3.symbolSquare, d3.symbolDiamond, d3.symbolCross, d3.symbolStar, d3.symbolWye];

  const short = (name, most) => name.length > most ? `${name.slice(0, most - 1)}\u2026` : name;
  const known = (values) => Array.from(values, (value) => Number.isFinite(value) ? value : NaN);
  const within = (value, low, high) => Math.max(low, Math.min(high, value));
  const written = (value) => String(+value.toPrecision(5));

  // marks, by the class that gives them their looks; what lies beyond the axes is cut off at their frame
  const line = (name, x, y, look = {}) => Plot.line({ length: x.length }, { x: known(x), y: known(y), className: name, clip: true, ...look });
  const band = (x, low, high, look = {}) => Plot.areaY({ length: x.length }, { x: known(x), y1: known(low), y2: known(high), className: "band", clip: true, ...look });
  const dashed = (name, x, y, look = {}) => line(name, x, y, { strokeLinecap: "butt", ...look });
  // heights of steps, which begin at places: one more of these, where the last step ends
  const STAIRS = { curve: "step-after" }, MIDWAY = { curve: "step" }, ended = (heights) => [...heights, heights[heights.length - 1]];
  const evenly = ({ low, high }, count) => d3.range(count).map((k) => low + (high - low) * k / (count - 1));
  const straight = (name, from, to) => line(name, [from[0], to[0]], [from[1], to[1]]);
  const equal = (name, x, y) => {
    const from = Math.max(x.low, y.low), to = Math.min(x.high, y.high);
    return straight(name, [from, from], [to, to]);
  };
  const ticks = { className: "grid", strokeOpacity: 1 }, value = (tick) => tick[0], text = (tick) => tick[1];
  const across = (x) => [
    Plot.gridX(x.ticks, { x: value, ...ticks }),
    Plot.axisX(x.ticks, { x: value, text, tickSize: 0, tickPadding: 6, label: x.label || null, labelAnchor: "center", labelArrow: "none", labelOffset: 29 }),
    Plot.frame({ anchor: "bottom", className: "axis" }),
  ];
  const upwards = (y) => [
    Plot.gridY(y.ticks, { y: value, ...ticks }),
    Plot.axisY(y.ticks, { y: value, text, tickSize: 0, tickPadding: 5, label: y.label || null, labelAnchor: "center", labelArrow: "none", labelOffset: 44 }),
    Plot.frame({ anchor: "left", className: "axis" }),
  ];

  // the marks on their axes, and the places in between: {node, svg, x, y, area}
  const linear = (axis) => ({ type: "linear", domain: [axis.low, axis.high], label: null });
  const NARROW = 380, narrow = (room) => room > 0 && room < NARROW;
  const plotted = (marks, { label, width: wide = WIDTH, height = HEIGHT, margins = {}, room, beside, ...scales }) => {
    const { top, right, bottom, left } = { ...MARGINS, ...margins };
    const width = room > 0 ? Math.min(wide, Math.max(room, 280)) : wide;
    const node = Plot.plot({ marks, width, height, marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left,
      className: "chart", ariaLabel: label, ...scales });
    node.querySelector("style").remove();
    node.setAttribute("role", "img");
    node.querySelectorAll("[aria-label]").forEach((mark) => mark.removeAttribute("aria-label"));
    const [x, y] = ["x", "y"].map((name) => node.scale(name));
    return { node, svg: d3.select(node), x: x && x.apply, y: y && y.apply, area: { left, right: width - right, top, bottom: height - bottom } };
  };
  // a chart that has a row of the page to itself is wide, but no wider than its text stays legible in
  const wholeRow = (room) => within((room || 0) / 1.3, 640, 960);
  const onAxes = (x, y, marks, layout) => plotted([...across(x), ...upwards(y), ...marks], { x: linear(x), y: linear(y), ...layout });

  let frames = 0;
  const framed = ({ svg, area }) => {
    const id = `chart-frame-${frames += 1}`;
    svg.append("clipPath").attr("id", id).append("rect").attr("x", area.left).attr("y", area.top)
      .attr("width", area.right - area.left).attr("height", area.bottom - area.top);
    return svg.append("g").attr("clip-path", `url(#${id})`);
  };
  const nameAt = (parent, { name, most, x, y, anchor, look = "name" }) =>
    parent.append("text").attr("class", look).attr("x", x).attr("y", y).attr("text-anchor", anchor)
      .text(short(name, most)).append("title").text(name);
  const shown = (selection, visible) => selection.attr("display", visible ? null : "none");
  const upright = (selection, { area }, at) => shown(selection, at >= area.left && at <= area.right)
    .attr("d", `M${at} ${area.top}V${area.bottom}`);

  // names to the right of the axes, each beside the last point of its curve within them, none on another
  const named = ({ svg, x, y, area }, curves, chosen, until = 1) => {
    const end = area.left + until * (area.right - area.left);
    const ends = curves.map((curve) => {
      let last = null;
      curve.x.forEach((value, k) => {
        const place = { x: x(value), y: y(curve.y[k]) };
        const inside = curve.y[k] !== null && place.x >= area.left && place.x <= end && place.y >= area.top && place.y <= area.bottom;
        if (inside && (last === null || place.x >= last.x)) last = place;
      });
      return { name: curve.name, last: last || { x: area.right, y: area.top } };
    }).sort((a, b) => a.last.y - b.last.y);
    let next = area.top + 4;
    ends.forEach((entry) => { entry.y = Math.max(entry.last.y, next); next = entry.y + APART; });
    let lowest = area.bottom;
    ends.slice().reverse().forEach((entry) => { entry.y = Math.min(entry.y, lowest); lowest = entry.y - APART; });
    for (const { name, last, y: height } of ends) {
      svg.append("path").attr("class", "leader").attr("d", `M${last.x.toFixed(1)} ${last.y.toFixed(1)}L${area.right + 6} ${height.toFixed(1)}`);
      const [look, most] = name === chosen ? ["name chosen", 14] : ["name", 15];
      nameAt(svg, { name, most, look, x: area.right + 8, y: height + 3, anchor: "start" });
    }
  };
  // room for the names of several curves: to the right, and below if there are many
  const besides = (curves, room) => {
    if (curves.length < 2 || narrow(room)) return {};
    const height = Math.max(HEIGHT, MARGINS.top + MARGINS.bottom + APART * (curves.length + 1));
    return { width: WIDTH + NAMES, height, margins: { right: MARGINS.right + NAMES } };
  };

  // as wide as a chart with names beside it
  const aside = (beside) => ({ width: beside ? WIDTH + NAMES : WIDTH });

  // the operating point: its upright line, itself, and where others are; beyond the axes it stays at their edge
  const pointed = (drawn, { lined = true, look = "point", r = 5 } = {}) => {
    const { x, y, area, svg } = drawn;
    const elsewhere = framed(drawn), marker = svg.append("path").attr("class", "marker"), dot = svg.append("circle").attr("class", look).attr("r", r);
    const move = ({ x: at, y: height, others = [] }) => {
      const has = Number.isFinite(at), up = Number.isFinite(height);
      elsewhere.selectAll("circle").data(others.filter((other) => Number.isFinite(other.x) && Number.isFinite(other.y))).join("circle")
        .attr("class", "elsewhere").attr("r", 3).attr("cx", (other) => x(other.x)).attr("cy", (other) => y(other.y));
      const top = up ? within(y(height), area.top, area.bottom) : NaN;
      if (has) upright(marker, drawn, x(at));
      else shown(marker, up).attr("d", up ? `M${area.left} ${top}H${area.right}` : "");
      if (!lined) shown(marker, false);
      shown(dot, has && up);
      if (has && up) dot.attr("cx", within(x(at), area.left, area.right)).attr("cy", top);
    };
    move({});
    return move;
  };
  const upMoved = (drawn) => {
    const marker = drawn.svg.append("path").attr("class", "marker");
    return ({ x }) => { upright(marker, drawn, drawn.x(x)); };
  };
  const still = () => {};

  // one curve among others, with names at their ends and an operating point; names are those before `until` of the width
  const amongOthers = (drawn, others, chosen, room, { until, lined } = {}) => {
    if (others.length > 1 && !narrow(room)) named(drawn, others, chosen, until);
    return { node: drawn.node, move: pointed(drawn, { lined }) };
  };

  const epc = ({ x, y, chosen, others = [], band: limits }, options = {}) => amongOthers(onAxes(x, y, [
    limits ? band(limits.x, limits.low, limits.high) : null,
    limits && limits.at ? Plot.ruleX([limits.at], { x: "x", y1: "low", y2: "high", className: "span" }) : null,
    ...others.map((other) => line("other", other.x, other.y, MIDWAY)),
    line("curve", chosen.x, chosen.y, MIDWAY),
  ], { ...besides(others, options.room), ...options }), others, chosen.name, options.room, { until: 0.95 });  // before errors soar

  const tradeOff = ({ x, y, chosen, others = [] }, { diagonal = true, ...options } = {}) => amongOthers(onAxes(x, y, [
    diagonal ? equal("grid", x, y) : null,
    ...others.map((other) => line("other", other.x, other.y)),
    line("curve", chosen.x, chosen.y),
  ], { ...besides(others, options.room), ...options }), others, chosen.name, options.room, { lined: false });

  const density = ({ scores, top, genuine, impostor, saturated }, { onThreshold, beside = false, ...options } = {}) => {
    const scaled = saturated ? Math.sqrt : (height) => height, label = saturated ? "density, square-root scale" : "density";
    const steps = (mark, name, heights) => mark(name,
      [scores.low, ...evenly(scores, heights.length + 1), scores.high], [0, ...ended(heights.map(scaled)), 0], STAIRS);
    const drawn = onAxes(scores, { label, low: 0, high: scaled(top), ticks: [] },
      [steps(line, "first", genuine), steps(dashed, "second", impostor)], { ...aside(beside), ...options });
    const { svg, x, area } = drawn, handle = svg.append("g").datum(null);
    const marker = handle.append("path").attr("class", "threshold");
    const word = handle.append("text").attr("class", "halo").attr("y", area.top + 12).text("threshold");
    const grip = onThreshold ? handle.append("path").attr("class", "grip") : null;
    const put = (threshold) => {
      const at = within(x(threshold), area.left, area.right), left = at > (area.left + area.right) / 2;
      for (const each of grip ? [marker, grip] : [marker]) upright(each, drawn, at);
      word.attr("x", at + (left ? -5 : 5)).attr("text-anchor", left ? "end" : "start");
      if (grip) handle.attr("aria-valuenow", threshold).attr("aria-valuetext", written(threshold));
    };
    if (grip) draggable(drawn, handle, scores, (threshold) => { put(threshold); onThreshold(threshold); });
    const move = ({ threshold }) => {
      shown(handle, Number.isFinite(threshold));
      if (Number.isFinite(threshold)) put(threshold);
    };
    return { node: drawn.node, move };
  };

  // a handle that goes along an axis: by mouse and touch, and as a slider by keys
  const STEPS = 200, KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };
  const draggable = ({ node }, handle, { label, low, high }, set) => {
    const { invert } = node.scale("x");
    node.setAttribute("role", "group");
    handle.attr("class", "slider").attr("tabindex", 0).attr("role", "slider").attr("aria-label", "threshold")
      .attr("aria-description", label).attr("aria-valuemin", low).attr("aria-valuemax", high).attr("aria-orientation", "horizontal");
    handle.call(d3.drag().container(node)
      .on("start", () => handle.node().focus())
      .on("drag", (event) => set(within(invert(event.x), low, high))));
    handle.on("keydown", (event) => {
      const steps = KEYS[event.key];
      if (steps === undefined) return;
      event.preventDefault();
      set(within(Number(handle.attr("aria-valuenow")) + steps * (high - low) / STEPS, low, high));
    });
  };

  // one rate of every group with its interval, on a log axis, where a limit beyond the frame is an arrow; says if one is
  const rates = ({ axis, names, chosen }, options = {}) => {
    const slim = narrow(options.room), left = slim ? 90 : 130, drawn = plotted([...across(axis), Plot.frame({ anchor: "left", className: "axis" })],
      { x: linear(axis), width: WIDTH + NAMES, height: 60 + (names.length > MANY_ROWS ? 13 : ROW) * names.length, margins: { left, right: 16 }, ...options });
    const { svg, x, area } = drawn, up = (k) => area.top + (k + 0.5) * (area.bottom - area.top) / names.length;
    names.forEach((name, k) => nameAt(svg, { name, most: slim ? 13 : 18, x: left - 6, y: up(k) + 4, anchor: "end", look: k === chosen ? "name chosen" : "name" }));
    const inside = framed(drawn), marker = inside.append("path").attr("class", "marker");
    const at = (rate) => rate > 0 ? Math.max(x(Math.log10(rate)), area.left) : area.left;
    const start = ({ rate, low }) => rate > 0 ? at(low) : area.left;
    const span = (row, k) => {
      if (!Number.isFinite(row.high)) return "";
      const y = up(k), from = start(row), to = at(row.high), interval = `M${from} ${y}H${to}M${to} ${y - 4}v8`;
      return from > area.left ? `${interval}M${from} ${y - 4}v8` : `${interval}M${from + 6} ${y - 4}L${from} ${y}l6 4`;
    };
    const move = ({ all, rows }) => {
      upright(marker, drawn, at(all));
      inside.selectAll(".span").data(rows).join("path").attr("class", "span").attr("d", span);
      inside.selectAll("circle").data(rows.map((row, k) => ({ ...row, k })).filter(({ rate }) => rate > 0)).join("circle").raise()
        .attr("class", ({ k }) => k === chosen ? "point" : "sure").attr("r", ({ k }) => k === chosen ? 5 : 4)
        .attr("cx", ({ rate }) => at(rate)).attr("cy", ({ k }) => up(k));
      return rows.some((row) => Number.isFinite(row.high) && start(row) <= area.left);
    };
    return { node: drawn.node, move };
  };

  const differences = ({ x, pairs }, options = {}) => {
    const slim = narrow(options.room), most = 30, rows = pairs.map((pair, k) => ({ ...pair, k }));
    // a name stands before its interval, or above it where there is no room
    const left = slim ? 14 : 14 + 6 * Math.min(most, d3.max(pairs, ({ name }) => name.length) || 0), row = slim ? 2 * ROW : ROW;
    const dots = (name, some) => Plot.dot(some, { x: "estimate", y: "k", r: 4.5, className: name });
    const drawn = plotted([
      ...across(x),
      Plot.frame({ anchor: "left", className: "axis" }),
      Plot.ruleX([0], { className: "threshold" }),
      Plot.ruleY(rows, { y: "k", x1: "low", x2: "high", className: "span" }),
      Plot.tickX(rows.flatMap(({ k, low, high }) => [{ k, end: low }, { k, end: high }]), { x: "end", y: "k", className: "ends" }),
      dots("sure", rows.filter(({ sure }) => sure)),
      dots("unsure", rows.filter(({ sure }) => !sure)),
    ], { x: linear(x), y: { type: "band", domain: d3.range(pairs.length), padding: 0.6, axis: null },
      width: 640, height: 60 + row * pairs.length, margins: { left }, ...options });
    const middle = (k) => drawn.y(k) + drawn.node.scale("y").bandwidth / 2;
    pairs.forEach(({ name }, k) => nameAt(drawn.svg, { name, look: null,
      ...(slim ? { most: 50, x: left + 4, y: middle(k) - 9, anchor: "start" } : { most, x: left - 8, y: middle(k) + 4, anchor: "end" }) }));
    return { node: drawn.node, move: still };
  };

  // what lines or symbols stand for, one below the other: to the right of the axes, or below if there is no room
  const legend = ({ svg, area }, entries, { width, most, key, below = false }) => entries.forEach((entry, k) => {
    const [x, y] = below ? [area.left, area.bottom + 50 + LEGEND_ROW * k] : [area.right + 12, area.top + 12 + LEGEND_ROW * k];
    key(svg.append("path").attr("class", "key").attr("transform", `translate(${x} ${y})`), entry);
    nameAt(svg, { name: entry.name, most, x: x + width + 6, y: y + 4, anchor: "start", look: null });
  });

  const listed = (entries) => ({ height: HEIGHT + 12 + LEGEND_ROW * entries, margins: { bottom: MARGINS.bottom + 12 + LEGEND_ROW * entries } });

  const pooled = ({ x, y, curves, regions = [] }, options = {}) => {
    const below = narrow(options.room);
    const looks = curves.map(({ colour, dashes, bold }) => {
      const strokeWidth = bold ? 3 : 1.6;
      return { stroke: `var(--c${colour})`, strokeWidth, strokeDasharray: dashes.map((length) => length * strokeWidth).join(" ") || "none" };
    });
    const bands = curves.flatMap(({ alpha, low, high }, k) => low ? [
      band(alpha, low, high, { fill: looks[k].stroke, className: "pooled-band" }),
      ...[low, high].map((limit) => dashed("pooled", alpha, limit, { ...looks[k], strokeWidth: 0.8 })),
    ] : []);
    const tints = regions.map((region) => Plot.rect([region], { x1: "from", x2: "to", className: "tint", clip: true,
      fill: looks[curves.findIndex(({ name }) => name === region.better)].stroke, title: ({ better }) => `${better} is significantly better` }));
    const drawn = onAxes(x, y, [...tints, ...bands, ...curves.map(({ alpha, hter }, k) => dashed("pooled", alpha, hter, { ...looks[k], ...MIDWAY }))],
      { ...(below ? listed(curves.length) : { width: wholeRow(options.room), height: Math.max(320, 60 + LEGEND_ROW * curves.length), margins: { right: MARGINS.right + 190 } }), ...options });
    for (const { from, to, better } of regions) {
      const [left, right] = [drawn.x(from), drawn.x(to)], most = Math.floor((right - left) / 6);
      if (most > 3) nameAt(drawn.svg, { name: better, most, x: (left + right) / 2, y: drawn.area.top + 11, anchor: "middle" });
    }
    legend(drawn, curves.map(({ name }, k) => ({ name, ...looks[k] })), { below, width: 24, most: 26, key: (path, { stroke, strokeWidth, strokeDasharray }) =>
      path.attr("d", "M0 0h24").attr("stroke", stroke).attr("stroke-width", strokeWidth).attr("stroke-dasharray", strokeDasharray) });
    return { node: drawn.node, move: still };
  };

  const zoo = ({ x, y, points, kinds }, options = {}) => {
    const below = narrow(options.room), looks = new Map(kinds.map(({ name, colour, symbol }) => [name, { fill: colour, symbol: SYMBOLS[symbol] }]));
    const drawn = onAxes(x, y, [...looks].map(([kind, look]) => Plot.dot(points.filter((point) => point.kind === kind),
      { x: "x", y: "y", ...look, r: 3.5, stroke: "var(--paper)", className: "person", clip: true, title: ({ name }) => `${name}: ${kind}` })),
    { ...(below ? listed(looks.size) : { width: wholeRow(options.room), margins: { right: MARGINS.right + 1.3 * NAMES } }), ...options });
    legend(drawn, [...looks].map(([name, look]) => ({ name, ...look })), { below, width: 6, most: below ? 26 : 14, key: (path, { fill, symbol }) =>
      path.attr("d", d3.symbol(symbol, 50)()).attr("fill", fill) });
    return { node: drawn.node, move: pointed(drawn, { lined: false, look: "ring", r: 8 }) };
  };

  // blocks of one n and one m, and in each a cell for every pi and rho
  const coverage = ({ cells, values, classes, legend: colours }, options = {}) => {
    const rows = cells.map(([n, m, pi, rho], k) => ({ n, m, pi, rho, colour: colours[classes[k]][0],
      text: `n ${n}, m ${m}, pi ${pi}, rho ${rho}: ${(100 * values[k]).toFixed(1)} %` }));
    const distinct = (name) => d3.sort(new Set(rows.map((row) => row[name])));
    const blocks = { padding: 0.02, label: null, axis: null }, axis = { tickSize: 0, labelAnchor: "center", labelArrow: "none" };
    const drawn = plotted([
      Plot.axisFx({ ...axis, anchor: "bottom", label: "n, individuals", labelOffset: 33 }),
      Plot.axisFy({ ...axis, anchor: "left", label: "m, attempts of each", labelOffset: 44 }),
      Plot.cell(rows, { fx: "n", fy: "m", x: "pi", y: "rho", fill: "colour", title: "text", inset: 0, className: "cell" }),
    ], { width: wholeRow(options.room), height: narrow(options.room) ? 380 : 330, ...options,
      fx: { ...blocks, domain: distinct("n") }, fy: { ...blocks, domain: distinct("m"), reverse: true },
      x: { padding: 0, domain: distinct("pi"), axis: null }, y: { padding: 0, domain: distinct("rho"), reverse: true, axis: null },
      color: { type: "identity" } });
    return { node: drawn.node, move: still };
  };

  // a measure of evidence over priors, against the least there is and against deciding without scores
  const overPriors = ({ x, y, odds, chosen, minimum, band: limits, others }, neutral, curves, options) => amongOthers(onAxes(x, y, [
    line("guide", odds, neutral),
    band(limits.at, limits.low, limits.high),
    ...others.map((other) => line("other", odds, other.y)),
    dashed("least", odds, minimum),
    ...curves,
  ], { ...besides(others, options.room), ...options }), others.map((other) => ({ ...other, x: odds })), chosen, options.room);
  const bayes = (data, options = {}) => overPriors(data, data.odds.map(() => 1), [
    line("faint", data.odds, data.calibrated),
    line("curve", data.odds, data.calibrated.map((rate, k) => data.supported[k] ? rate : NaN)),
  ], options);
  const ece = (data, options = {}) => overPriors(data, data.neutral, [line("curve", data.odds, data.calibrated)], options);

  const tippett = ({ x, y, genuine, impostor }, options = {}) => {
    const drawn = onAxes(x, y, [line("curve", evenly(x, genuine.length), genuine), dashed("against", evenly(x, impostor.length), impostor)],
      { ...aside(options.beside), ...options });
    return { node: drawn.node, move: upMoved(drawn) };
  };
  const pav = ({ x, y, at, steps, places, low, high }, options = {}) => {
    const drawn = onAxes(x, y, [
      band(places, ended(low), ended(high), STAIRS),
      straight("guide", [x.low, x.low], [x.high, x.high]),
      line("curve", at, ended(steps), STAIRS),
    ], { ...aside(options.beside), ...options });
    return { node: drawn.node, move: upMoved(drawn) };
  };
  const map = ({ scores, y, llr, low, high }, options = {}) => {
    const at = evenly(scores, llr.length);
    const drawn = onAxes(scores, y, [band(at, low, high), straight("guide", [scores.low, 0], [scores.high, 0]), line("curve", at, llr)],
      { ...aside(options.beside), ...options });
    return { node: drawn.node, move: still };
  };

  const evidence = ({ systems, together, log_odds: odds, priors, band_odds: bandOdds, neutral, odds: x, rates, bits, shares }, chosen, make) => {
    const { name, tippett: above, pav: steps, map: fitted, ...kinds } = systems[chosen];
    const others = together && systems.length > 1 ? systems : [], beside = { beside: others.length > 0 };
    const along = (kind, y) => make(kind, { x, y, odds, chosen: name, neutral, ...kinds[kind], band: { at: bandOdds, ...kinds[kind].band },
      others: others.map((other) => ({ name: other.name, y: other[kind].calibrated })) });
    const drawn = { bayes: along("bayes", rates), ece: along("ece", bits), tippett: make("tippett", { y: shares, ...above }, beside), pav: make("pav", steps, beside) };
    if (fitted) make("map", fitted, beside);
    const at = (chart, where) => {
      chart.move(where);
      chart.node.dataset.at = Object.values(where).join(",");
    };
    const move = (k) => {
      const { bayes: errors, ece: entropy } = kinds;
      at(drawn.bayes, { x: odds[k], y: errors.calibrated[k] });
      at(drawn.ece, { x: odds[k], y: entropy.calibrated[k] });
      at(drawn.tippett, { x: -odds[k] });
      at(drawn.pav, { x: -odds[k] });
      return { odds: odds[k], prior: priors[k], bayes: errors.calibrated[k], least: errors.minimum[k], ece: entropy.calibrated[k],
        accepts: errors.false_accepts[k], rejects: errors.false_rejects[k], misled: above.misled };
    };
    return { move };
  };

  // a chart as a file of its own: with the looks that the style sheet gives it, on the paper of the page
  const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-family",
    "font-size", "font-weight", "paint-order"];
  const PIXELS = 3;
  const alone = (node) => {
    const copy = node.cloneNode(true), [, , width, height] = node.getAttribute("viewBox").split(" ").map(Number);
    const originals = node.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((each, k) => {
      const looks = getComputedStyle(originals[k]);
      for (const name of LOOKS) if (looks.getPropertyValue(name)) each.setAttribute(name, looks.getPropertyValue(name));
    });
    const drawn = d3.select(copy).attr("class", null).attr("role", "img").attr("xmlns", d3.namespaces.svg).attr("width", width).attr("height", height);
    drawn.selectAll(".grip").remove();
    drawn.selectAll("*").attr("class", null).attr("style", null);
    drawn.insert("rect", ":first-child").attr("width", width).attr("height", height).attr("fill", getComputedStyle(document.body).backgroundColor);
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  };
  const download = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const save = (node, name, kind) => {
    const { text: source, width, height } = alone(node);
    if (kind === "svg") { download(new Blob([source], { type: "image/svg+xml" }), `${name}.svg`); return; }
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = PIXELS * width;
      canvas.height = PIXELS * height;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => download(blob, `${name}.png`), "image/png");
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  };

  return { epc, det: tradeOff, roc: tradeOff, density, rates, differences, pooled, coverage, zoo, bayes, ece, tippett, pav, map, evidence, save };
})();
