// What the estimates rest on: held-out rows, recall and precision, a baseline, probabilities, columns.

const column3 = (list, what, k) => list.map(one => one[what] ? one[what][k] : null);

function heldOutChart() {
  const held = data.held_out;
  const edges = edgesOf(held.from, held.to, held.unlabeled.length);
  const parts = counts => {
    const sum = counts.reduce((a, b) => a + b, 0) || 1;
    return counts.map(n => n / sum);
  };
  const unlabeled = parts(held.unlabeled), labeled = parts(held.anomalies);
  return chart({title: 'Scores of held-out rows', name: 'Scores of held-out rows', width: 390,
    x: {from: held.from, to: held.to, label: 'score'},
    y: {from: 0, to: Math.max(...unlabeled, ...labeled) * 1.05 || 1, label: 'fraction of each', format: percent},
    series: [{kind: 'bars', name: `${count(held.unlabeled_rows)} unlabeled rows`, color: 'rows', values: unlabeled, edges},
      {kind: 'bars', name: anomalies(held.anomaly_rows, 'labeled '),
        color: 'labeled', values: labeled, edges}],
    caption: 'Labeled anomalies were scored by models trained without them.'});
}

function precisionRecallChart() {
  const list = data.operating.filter(one => one.precision && one.precision[0] !== null);
  if (!list.length) return null;
  return chart({title: 'Precision and recall', name: 'Precision by recall', width: 390,
    x: {from: 0, to: 1, label: 'recall', format: percent}, y: {from: 0, to: 1, label: 'precision', format: percent},
    series: [{kind: 'line', color: 'flag', x: column3(list, 'recall', 0), values: column3(list, 'precision', 0),
      low: column3(list, 'precision', 1), high: column3(list, 'precision', 2)}],
    caption: 'Shaded: 95% intervals of precision, including uncertainty about the number of hidden anomalies.'});
}

function baselineChart() {
  const own = data.operating.filter(one => one.flagged > 0);
  if (!own.length) return null;
  const series = (name, list, color) => ({kind: 'line', name, color, x: list.map(one => one.flagged),
    values: column3(list, 'recall', 0), low: column3(list, 'recall', 1), high: column3(list, 'recall', 2)});
  const all = [series('this model', own, 'flag')];
  if (data.baseline) all.push(series('isolation forest', data.baseline.operating.filter(one => one.flagged > 0), 'rows'));
  return chart({title: 'Anomalies found by rows checked', name: 'Recall by fraction of rows checked', width: 390,
    x: {from: Math.min(...own.map(one => one.flagged)), to: 1, log: true, label: 'fraction of unlabeled rows checked',
      format: x => +(100 * x).toPrecision(2) + '%'},
    y: {from: 0, to: 1, label: 'recall', format: percent}, series: all,
    caption: data.baseline ? 'The isolation forest was trained without labels on the same file, with rows held out in the '
      + 'same way. Shaded: intervals of at least 95%.' : 'Shaded: intervals of at least 95%.'});
}

function probabilityChart() {
  const bins = data.probabilities;
  if (!bins || bins.length < 2) return null;
  const most = Math.max(...bins.map(one => one.rows));
  return chart({title: 'Are the probabilities right?', name: 'Stated and estimated probabilities', width: 390,
    x: {from: 0, to: 1, label: 'stated probability', format: percent}, y: {from: 0, to: 1, label: 'estimated from labels', format: percent},
    series: [{kind: 'line', color: 'ideal', x: [0, 1], values: [0, 1]},
      {kind: 'dots', color: 'flag', x: bins.map(one => one.stated), values: bins.map(one => one.estimated),
        sizes: bins.map(one => 3 + 6 * Math.sqrt(one.rows / most)),
        titles: bins.map(one => `${count(one.rows)} unlabeled rows and ${count(one.labeled)} labeled anomalies: stated `
          + `${percent(one.stated)}, estimated ${percent(one.estimated)}`)}],
    caption: 'One dot for a tenth of the scale; larger dots have more rows. On the line, probabilities are right, if labeled '
      + 'anomalies are a random sample of all.'});
}

// The columns that the scores of the flagged rows come from.
function contributionBars() {
  const columns = data.columns.filter(one => one.contribution > 0.002).sort((a, b) => b.contribution - a.contribution).slice(0, 12);
  if (!columns.length) return null;
  const most = columns[0].contribution;
  return el('figure.contributions', {}, el('h3', {}, 'What the scores of flagged rows come from'),
    el('dl.bars', {}, columns.map(one => {
      const bar = el('i');
      bar.style.width = Math.max(1, 100 * one.contribution / most) + '%';
      return el('div', {}, el('dt', {}, one.name), el('dd', {}, bar, el('span', {}, percent(one.contribution))));
    })), el('figcaption', {}, 'Mean part of the score by column, over the listed flagged rows.'));
}

const withRange = figure => figure && figure[0] !== null
  ? `${fixed(figure[0], 3)} (${fixed(figure[1], 3)} to ${fixed(figure[2], 3)})` : '–';

function operatingTable() {
  const names = [['recall', 'recall'], ['precision', 'precision'], ['false_positive_rate', 'false positive rate'], ['f1', 'F1']];
  const shown = names.filter(([name]) => data.operating.some(one => one[name] && one[name][0] !== null));
  return fold('All thresholds with their estimates', el('div.wide', {tabindex: 0}, makeSortable(el('table', {},
    el('thead', {}, el('tr', {}, ['threshold', 'unlabeled rows flagged', ...shown.map(([, name]) => name)].map(name =>
      el('th.n', {scope: 'col'}, name)))),
    el('tbody', {}, data.operating.map(one => el('tr', {}, el('td.n', {}, shortNumber(one.threshold)),
      el('td.n', {}, (100 * one.flagged).toFixed(2) + '%'), shown.map(([name]) => el('td.n', {}, withRange(one[name]))))))))));
}

function contaminationText() {
  const about = data.contamination;
  if (about.low === undefined) {
    return about.used !== null ? `The fraction of hidden anomalies is not known. Training used ${about.used}.`
      : 'The fraction of hidden anomalies is not known.';
  }
  if (about.value === null) {
    return `The fraction of hidden anomalies cannot be estimated from these labels: it lies between ${percent(about.low)} and `
      + `${percent(about.high)} of the unlabeled rows (95% interval).`;
  }
  return about.estimated ? `An estimated ${percent(about.value)} of the unlabeled rows are anomalies like the labeled ones `
    + `(95% interval ${percent(about.low)} to ${percent(about.high)}). New kinds are not counted.`
    : `The fraction of hidden anomalies was given as ${percent(about.value)}; the estimates take it as certain.`;
}

function drawEvidence() {
  const section = begin('evidence', 'How reliable this is', '');
  if (data.no_estimates) section.append(el('p.box', {}, 'Recall and precision cannot be estimated: ', data.no_estimates));
  section.append(el('p', {}, contaminationText()));
  if (data.auroc && data.auroc[0] !== null) {
    const other = data.baseline && data.baseline.auroc[0] !== null
      ? ` An isolation forest reaches ${withRange(data.baseline.auroc)}.` : '';
    section.append(el('p', {}, 'Of a labeled anomaly and a normal row, both unknown to the model, the anomaly scores higher with '
      + `probability ${withRange(data.auroc)} (AUROC with its 95% interval).${other}`));
  }
  const charts = [data.held_out ? heldOutChart() : null, data.operating ? precisionRecallChart() : null,
    data.operating ? baselineChart() : null, probabilityChart(), contributionBars()].filter(Boolean);
  section.append(el('div.charts', {}, charts));
  if (data.operating && data.operating.length) section.append(operatingTable());
}
