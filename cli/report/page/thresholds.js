// What a threshold flags and what is expected of it; and the choice of one by score, by capacity or by cost.

// Scores of all rows that the page knows, the largest first.
const keptScores = [...(data.rows || []).map(row => row.score), ...((data.more || {}).score || [])]
  .sort((a, b) => b - a);

function rowsAbove(threshold) {
  const exact = (data.thresholds || []).find(stop => stop.threshold === threshold);
  if (exact) return exact.flagged;
  let low = 0, high = keptScores.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keptScores[middle] >= threshold) low = middle + 1; else high = middle;
  }
  if (low < keptScores.length || keptScores.length >= data.ranked) return low;
  const ladder = data.scores.ladder; // about, from the distribution of all scores
  const after = ladder.findIndex(step => step[1] < threshold);
  if (after < 0) return data.ranked;
  if (after === 0) return 0;
  const [n0, s0] = ladder[after - 1], [n1, s1] = ladder[after];
  return Math.max(low, Math.round(s0 === s1 ? n0 : n0 + (n1 - n0) * (s0 - threshold) / (s0 - s1)));
}

function thresholdOf(rows) {
  if (rows < 1) return Infinity;
  if (rows <= keptScores.length) return keptScores[rows - 1];
  const ladder = data.scores.ladder;
  const after = ladder.findIndex(step => step[0] >= rows);
  if (after <= 0) return ladder[after < 0 ? ladder.length - 1 : 0][1];
  const [n0, s0] = ladder[after - 1], [n1, s1] = ladder[after];
  return s0 + (s1 - s0) * (rows - n0) / (n1 - n0 || 1);
}

// [value, low, high] of 'recall' or 'precision' at a threshold, between the two nearest that were estimated.
function estimateAt(threshold, rows, what) {
  const stops = (data.thresholds || []).filter(stop => stop[what] && stop[what][0] !== null);
  if (!stops.length) return null;
  const after = stops.findIndex(stop => stop.threshold <= threshold);
  if (after < 0) return stops[stops.length - 1][what];
  if (after === 0) {
    const first = stops[0];
    if (what === 'precision' || first.threshold === threshold || !first.flagged) return first[what];
    const part = Math.min(1, rows / first.flagged);
    return first[what].map(value => value * part);
  }
  const a = stops[after - 1], b = stops[after];
  const part = (a.threshold - threshold) / (a.threshold - b.threshold || 1);
  return a[what].map((value, i) => value + (b[what][i] - value) * part);
}

function stateAt(threshold) {
  const rows = rowsAbove(threshold);
  const precision = estimateAt(threshold, rows, 'precision');
  const recall = estimateAt(threshold, rows, 'recall');
  const found = precision ? precision.map(value => value * rows) : null;
  return {threshold, rows, precision, recall, found};
}

const suggestedThreshold = Number.isInteger(data.suggested) ? data.thresholds[data.suggested].threshold : null;
const isJudged = (data.thresholds || []).some(stop => stop.precision);
let state = null;
const listeners = [];
const onState = call => listeners.push(call);

function setThreshold(threshold) {
  state = stateAt(threshold);
  listeners.forEach(call => call(state));
}

function typedThreshold(threshold) {
  const stop = data.thresholds.find(one => one.threshold === threshold);
  return stop ? stop.typed : String(+Math.fround(threshold).toPrecision(9));
}

const CHOOSER = {width: 800, height: 210};

function scoreChart() {
  const {from, to, counts, labeled} = data.scores;
  const edges = edgesOf(from, to, counts.length);
  const most = Math.max(...counts);
  // Logarithmic heights: a few flagged rows among thousands must be seen.
  const figure = chart({name: 'How many rows have which score', ...CHOOSER,
    x: {from, to, label: 'score'}, y: {from: 0.7, to: most * 1.3, log: true, label: 'rows', format: count},
    series: [{kind: 'bars', color: 'rows', values: counts, edges,
      titles: counts.map((n, i) => `${count(n)} rows score ${shortNumber(edges[i])} to ${shortNumber(edges[i + 1])}`)}]});
  const drawing = figure.querySelector('svg');
  drawing.id = 'scores';
  const x = scaleOf({from, to}, CHART.left, CHOOSER.width - CHART.right);
  const floor = CHOOSER.height - CHART.bottom;
  for (const score of labeled) {
    drawing.append(svg('line', {class: 'rug', x1: x(score), x2: x(score), y1: floor - 9, y2: floor}));
  }
  const cut = svg('line', {id: 'cut', y1: 4, y2: floor});
  drawing.append(cut);
  onState(now => {
    const at = x(Math.max(from, Math.min(to, now.threshold)));
    cut.setAttribute('x1', at);
    cut.setAttribute('x2', at);
    drawing.querySelectorAll('rect').forEach(bar => bar.classList.toggle('on',
      +bar.dataset.at + (to - from) / counts.length / 2 >= now.threshold));
  });
  return figure;
}

function slider() {
  const {from, to} = data.scores;
  const made = el('input', {id: 'threshold', type: 'range', min: from, max: to, step: 'any', 'aria-label': 'Threshold'});
  made.oninput = () => setThreshold(Math.fround(+made.value));
  made.onkeydown = event => { // from row to row
    const step = {ArrowRight: -1, ArrowUp: -1, ArrowLeft: 1, ArrowDown: 1}[event.key];
    if (!step) return;
    event.preventDefault();
    setThreshold(thresholdOf(Math.max(1, Math.min(data.ranked, state.rows + step))));
  };
  onState(now => {
    made.value = now.threshold;
    made.setAttribute('aria-valuetext', `threshold ${shortNumber(now.threshold)}, ${count(now.rows)} rows to check`);
  });
  return made;
}

function numberField(id, label, value, change) {
  return el('label.field', {for: id}, label,
    el('input', {id, type: 'number', min: 0, step: 'any', value, oninput: change}));
}

// As many rows as fit: of rows with equal scores all or none, unless they are the first.
function chooseCapacity() {
  const rows = Math.min(Math.floor(+byId('capacity').value), data.ranked);
  if (!(rows >= 1)) return;
  let threshold = thresholdOf(rows);
  if (rows < keptScores.length && keptScores[rows] === threshold) {
    const larger = keptScores.filter(score => score > threshold);
    if (larger.length) threshold = larger[larger.length - 1];
  }
  setThreshold(threshold);
}

// Expected cost: every checked row and every anomaly that is not among them.
function chooseCost() {
  const miss = +byId('cost-miss').value, check = +byId('cost-check').value;
  const total = data.contamination.value * data.ranked;
  const missed = now => total * (1 - now.recall[0]);
  const cost = now => now.rows * check + missed(now) * miss;
  let best = null;
  for (const stop of data.thresholds.filter(one => one.precision)) {
    const now = stateAt(stop.threshold);
    if (!best || cost(now) < cost(best)) best = now;
  }
  setThreshold(best.threshold);
  byId('cost-result').textContent = `Expected cost ${count(cost(best))}: ${plural(best.rows, 'check')}, and about `
    + `${anomalies(missed(best), 'missed ')}.`;
}

const SUGGESTIONS = {
  asked: 'This threshold follows from the options of the command.',
  audit: 'This threshold follows from the checked rows.',
  best_f1: 'Suggested: the best balance of recall and precision (F1). Move the slider to see what changes.',
  best_youden: 'Suggested: the largest difference between the fractions of anomalies and of rows flagged. '
    + 'Move the slider to see what changes.',
  alpha: 'Suggested: as many rows as there are estimated to be anomalies. Move the slider to see what changes.',
  top: 'The top 1% of the rows. Move the slider to see what changes.',
};

function modes() {
  const capacity = Math.min(50, data.ranked);
  const back = el('button', {type: 'button', id: 'suggested', onclick: () => setThreshold(suggestedThreshold)},
    'Back to the suggested threshold');
  const advice = el('p.soft', {}, SUGGESTIONS[data.suggestion] || '');
  onState(now => {
    back.hidden = suggestedThreshold === null || now.threshold === suggestedThreshold;
    advice.hidden = !back.hidden;
  });
  const panels = {
    threshold: el('div', {}, back, advice),
    capacity: el('div', {}, numberField('capacity', 'Rows I can check', capacity, chooseCapacity)),
  };
  if (isJudged && data.contamination.value !== undefined && data.contamination.value !== null) {
    panels.cost = el('div', {}, numberField('cost-miss', 'Cost of a missed anomaly', 100, chooseCost),
      numberField('cost-check', 'Cost of checking a row', 1, chooseCost),
      el('p.soft', {id: 'cost-result', 'aria-live': 'polite'}));
  }
  const names = {threshold: 'By score', capacity: 'By capacity', cost: 'By cost'};
  const show = name => {
    for (const one of Object.keys(panels)) {
      panels[one].hidden = one !== name;
      byId('mode-' + one).setAttribute('aria-selected', one === name);
    }
  };
  const tabs = el('div.tabs', {role: 'tablist'}, Object.keys(panels).map(name =>
    el('button', {type: 'button', role: 'tab', id: 'mode-' + name, onclick: () => {
      show(name);
      if (name === 'capacity') chooseCapacity();
      if (name === 'cost') chooseCost();
    }}, names[name])));
  return {element: el('div', {}, tabs, el('div.mode', {}, Object.values(panels))), show};
}

function figures() {
  const tile = (id, label) => el('div', {}, el('span', {}, label), el('b', {id}), el('small', {id: id + '-range'}));
  const tiles = el('div.figures', {}, tile('at-rows', 'rows to check'), tile('at-found', 'expected anomalies'),
    tile('at-recall', 'of such anomalies found'), tile('at-threshold', 'threshold'));
  const put = (id, text, range) => {
    byId(id).textContent = text;
    byId(id + '-range').textContent = range || '';
  };
  onState(now => {
    put('at-rows', count(now.rows), percent(now.rows / data.ranked) + ' of ' + count(data.ranked));
    put('at-found', now.found ? 'about ' + count(now.found[0]) : 'unknown',
      now.found ? `${count(Math.floor(now.found[1]))} to ${count(Math.ceil(now.found[2]))}` : '');
    put('at-recall', now.recall ? percent(now.recall[0]) : 'unknown',
      now.recall ? `${percent(now.recall[1])} to ${percent(now.recall[2])}` : '');
    put('at-threshold', shortNumber(now.threshold));
  });
  return tiles;
}

function drawChooser() {
  if (!data.thresholds.length) return;
  const section = begin('choose', 'Choose how many rows to check',
    'Rows that score at least the threshold are flagged. Everything below follows your choice.');
  const ways = modes();
  section.append(ways.element, figures(), el('div.plot', {}, scoreChart(), slider()));
  const marks = data.scores.labeled.length
    ? ' Gold marks: labeled anomalies, each scored by a model trained without it.' : '';
  section.append(el('p.caption', {}, 'The bars count rows on a logarithmic scale.' + marks));
  if (isJudged) {
    section.append(el('p.caption', {}, 'Ranges are 95% intervals. They hold for anomalies like the labeled ones '
      + 'and say nothing about new kinds.'));
  }
  if (data.score_command) {
    const line = code('');
    onState(now => { line.firstChild.textContent = `${data.score_command} --threshold=${typedThreshold(now.threshold)}`; });
    section.append(el('p.caption', {}, 'The same from the command line:'), line);
  }
  const capacityFirst = suggestedThreshold === null || !isJudged;
  ways.show(capacityFirst ? 'capacity' : 'threshold');
  return () => capacityFirst ? chooseCapacity() : setThreshold(suggestedThreshold);
}
