// Charts as SVG: bars, lines and bands over linear or logarithmic axes.

function ticksOf(axis, most) {
  const ticks = [];
  if (axis.log) {
    for (let e = Math.ceil(Math.log10(axis.from) - 1e-9); e <= Math.log10(axis.to) + 1e-9; e++) ticks.push(10 ** e);
    return ticks.length > 1 ? ticks : [axis.from, axis.to];
  }
  const rough = (axis.to - axis.from) / most || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(k => k * power).find(k => k >= rough);
  for (let t = Math.ceil(axis.from / step - 1e-9) * step; t <= axis.to + step * 1e-9; t += step) {
    ticks.push(Math.abs(t) < step * 1e-9 ? 0 : t);
  }
  return ticks;
}

function scaleOf(axis, low, high) {
  const at = axis.log ? Math.log10 : x => x;
  const from = at(axis.from), span = at(axis.to) - from || 1;
  return x => low + (at(axis.log ? Math.max(x, axis.from) : x) - from) / span * (high - low);
}

const CHART = {left: 52, right: 20, top: 10, bottom: 40};

// {name, width, height, x, y, series: [{kind: 'bars'|'line'|'dots', values, low, high, color, name, x, edges}]}
// An axis is {from, to, log, label, format}. Bars have `edges`, one more than values.
function chart(about) {
  const width = about.width || 390, height = about.height || 250;
  const x = scaleOf(about.x, CHART.left, width - CHART.right);
  const y = scaleOf(about.y, height - CHART.bottom, CHART.top);
  const floor = height - CHART.bottom;
  const inside = value => Math.max(CHART.top, Math.min(floor, value));
  const drawn = svg('svg', {viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': about.name});
  for (const t of ticksOf(about.y, 4)) {
    drawn.append(svg('line', {class: 'grid', x1: CHART.left, x2: width - CHART.right, y1: y(t), y2: y(t)}),
      svg('text', {class: 'tick end', x: CHART.left - 6, y: y(t) + 4}, (about.y.format || shortNumber)(t)));
  }
  for (const t of ticksOf(about.x, width < 500 ? 5 : 9)) {
    drawn.append(svg('line', {class: 'axis', x1: x(t), x2: x(t), y1: floor, y2: floor + 4}),
      svg('text', {class: 'tick middle', x: x(t), y: floor + 16}, (about.x.format || shortNumber)(t)));
  }
  drawn.append(svg('line', {class: 'axis', x1: CHART.left, x2: width - CHART.right, y1: floor, y2: floor}),
    svg('text', {class: 'label middle', x: (CHART.left + width - CHART.right) / 2, y: height - 5}, about.x.label || ''));
  if (about.y.label) {
    drawn.append(svg('text', {class: 'label middle', transform: `translate(12 ${(CHART.top + floor) / 2}) rotate(-90)`},
      about.y.label));
  }
  for (const one of about.series) drawn.append(drawSeries(one, x, value => inside(y(value)), floor));
  const named = about.series.filter(one => one.name);
  const legend = named.length > 1 ? el('p.legend', {}, named.map(one =>
    el('span', {}, el('i', {class: one.color + (one.kind === 'bars' ? ' square' : '')}), one.name))) : null;
  return el('figure', {}, about.title ? el('h3', {}, about.title) : null, legend, drawn,
    about.caption ? el('figcaption', {}, about.caption) : null);
}

function drawSeries(one, x, y, floor) {
  const group = svg('g', {class: 'series ' + one.color});
  if (one.kind === 'bars') {
    one.values.forEach((value, i) => {
      if (!value) return;
      const left = x(one.edges[i]), top = y(value);
      group.append(svg('rect', {x: left, y: top, width: Math.max(0.5, x(one.edges[i + 1]) - left - 0.6),
        height: Math.max(0, floor - top), 'data-at': one.edges[i]},
      svg('title', {}, one.titles ? one.titles[i] : String(value))));
    });
    return group;
  }
  const points = one.x.map((at, i) => [x(at), one.values[i], i]).filter(p => p[1] !== null && isFinite(p[0]));
  if (one.low) {
    const band = points.filter(p => one.low[p[2]] !== null && one.high[p[2]] !== null);
    const upper = band.map(p => `${p[0].toFixed(1)} ${y(one.high[p[2]]).toFixed(1)}`);
    const lower = band.map(p => `${p[0].toFixed(1)} ${y(one.low[p[2]]).toFixed(1)}`).reverse();
    if (band.length > 1) group.append(svg('path', {class: 'band', d: 'M' + upper.concat(lower).join('L') + 'Z'}));
  }
  if (one.kind === 'dots') {
    points.forEach(p => group.append(svg('circle', {cx: p[0], cy: y(p[1]), r: one.sizes ? one.sizes[p[2]] : 4},
      svg('title', {}, one.titles ? one.titles[p[2]] : ''))));
  } else if (points.length) {
    group.append(svg('path', {class: 'line', d: 'M' + points.map(p => `${p[0].toFixed(1)} ${y(p[1]).toFixed(1)}`).join('L')}));
  }
  return group;
}

const edgesOf = (from, to, bins) => Array.from({length: bins + 1}, (_, i) => from + (to - from) * i / bins);
