// Groups of flagged rows; the inputs and their columns; the model, its settings, and the commands.

const middleOf = numbers => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

// The columns that a group's scores come from, with the median or the most frequent of its unusual values.
function groupReasons(group) {
  return group.reasons.map(({column}) => {
    const values = group.members.flatMap(place => (data.rows[place].reasons || []).filter(one => one.column === column));
    if (2 * values.length < group.members.length) return null;
    // The cell as it stands in the file; the encoding may bound it.
    const numbers = values.filter(one => one.number !== undefined).map(one => isNaN(+one.value) ? one.number : +one.value);
    const times = new Map();
    values.forEach(one => times.set(one.value, (times.get(one.value) || 0) + 1));
    const frequent = [...times].sort((a, b) => b[1] - a[1])[0][0];
    const about = data.columns[column];
    return el('li', {}, el('b', {}, about.name), ` ${numbers.length ? shortNumber(middleOf(numbers)) : frequent}, typical ${about.typical}`);
  }).filter(Boolean);
}

function drawGroups() {
  if (!data.groups || !data.groups.length || data.kind !== 'table') return;
  const section = begin('groups', 'Groups of flagged rows', 'Rows whose scores come from the same columns. New kinds come first: '
    + 'nothing like them has been labeled.');
  const order = data.groups.map((group, i) => [group, i]).sort((a, b) =>
    (b[0].kind === 'new') - (a[0].kind === 'new') || b[0].size - a[0].size);
  section.append(el('div.cards', {}, order.map(([group, i]) => {
    const example = data.rows[group.example], reasons = groupReasons(group);
    const fresh = group.kind === 'new' ? 0 : group.members.filter(place => data.rows[place].kind === 'new').length;
    return el('div.card', {}, el('h3', {}, plural(group.size, 'row'), ' ', kindBadge(group.kind),
      fresh ? [' ', el('span.kind.new', {}, `${count(fresh)} of a new kind`)] : ''),
      reasons.length ? el('ul', {}, reasons) : el('p', {}, 'No single column: the combination.'),
      el('p.tools', {}, el('button', {type: 'button', onclick: () => showRow(example)}, `Example: ${example.id || example.name}`),
        el('button', {type: 'button', onclick: () => {
          list.group = list.group === i ? undefined : i;
          refreshList();
          byId('rows').scrollIntoView();
        }}, 'List this group')));
  })));
  if (data.grouped < data.flagged) {
    section.append(el('p.caption', {}, `Grouped are ${count(data.grouped)} of ${count(data.flagged)} flagged rows, taken evenly.`));
  }
}

function spark(column) {
  if (!column.rows) return null;
  const wide = 120, high = 26, bins = column.rows.length;
  const parts = counts => {
    const sum = counts.reduce((a, b) => a + b, 0);
    return sum ? counts.map(n => n / sum) : null;
  };
  const rows = parts(column.rows), labeled = parts(column.anomalies);
  if (!rows) return null;
  const most = Math.max(...rows, ...(labeled || [0]));
  const y = value => high - value / most * (high - 2);
  return svg('svg', {class: 'spark', viewBox: `0 0 ${wide} ${high}`, 'aria-hidden': 'true'},
    rows.map((value, i) => svg('rect', {x: i * wide / bins, y: y(value), width: wide / bins - 0.6, height: high - y(value)})),
    labeled ? svg('path', {d: 'M' + labeled.map((value, i) => `${i * wide / bins} ${y(value)}L${(i + 1) * wide / bins} ${y(value)}`)
      .join('L')}) : []);
}

function columnsTable() {
  const shows = data.columns.some(one => one.rows);
  return el('div.wide', {tabindex: 0}, makeSortable(el('table', {id: 'columns'}, el('thead', {}, el('tr', {},
    ['column', 'encoding', 'typical in unlabeled rows', ...(shows ? ['distribution'] : [])].map(name => el('th', {scope: 'col'}, name)))),
  el('tbody', {}, data.columns.map(one => el('tr', {}, el('td', {}, el('b', {}, one.name)), el('td.text', {}, one.encoding),
    el('td.text', {}, one.typical), shows ? el('td', {}, spark(one)) : []))))));
}

function driftText(input) {
  if (input.drift.length) return `${baseName(input.path)} differs from the training data; see the warnings above.`;
  if (!(data.compared_rows > 0)) return data.kind === 'images' ? 'Drift is not measured for images.' : 'The model cannot compare new rows with its training data.';
  if (input.rows < 20) return `${baseName(input.path)} has too few rows (${input.rows}) to compare with the training data.`;
  return `${baseName(input.path)} (${plural(input.rows, 'row')}): no drift from the training data was found.`;
}

function drawData() {
  const section = begin('data', 'The data', '');
  const t = data.training;
  const rows = data.kind === 'series' ? `windows of ${data.model.window} rows` : 'rows';
  section.append(el('p', {}, `${t.path ? 'Training file: ' : 'The model was trained on '}${count(t.rows)} ${rows}, `
    + `${anomalies(t.anomalies, 'labeled ')}, ${plural(t.normals, 'labeled normal')}; `
    + `${count(t.held_out)} rows were held out of training for the estimates.`));
  if (!data.ranks_training) section.append(el('ul', {id: 'drift'}, data.inputs.map(one => el('li', {}, driftText(one)))));
  if (!data.columns.length) return;
  section.append(columnsTable());
  if (data.column_count > data.columns.length) {
    section.append(el('p.caption', {}, `${count(data.column_count - data.columns.length)} more columns are not shown.`));
  }
  if (data.columns.some(one => one.rows)) {
    section.append(el('p.caption', {}, 'Bars: training rows. Gold line: labeled anomalies. Outliers are counted in the first and '
      + 'the last bar.'));
  }
}

function historyChart(name, title) {
  const history = data.model.history[name];
  if (!history || history.length < 2) return null;
  const x = history.map(one => one[0]), values = [1, 2].map(k => history.map(one => one[k]));
  const finite = values.flat().filter(value => value !== null);
  const low = Math.min(...finite), high = Math.max(...finite);
  return chart({title, name: title, width: 390, x: {from: x[0], to: x[x.length - 1], label: 'epoch'},
    y: {from: low - 0.05 * (high - low || 1), to: high + 0.05 * (high - low || 1), label: 'loss'},
    series: [{kind: 'line', name: 'training', color: 'rows', x, values: values[0]},
      {kind: 'line', name: 'validation', color: 'flag', x, values: values[1]}]});
}

function drawModel() {
  const section = begin('model', 'The model', '');
  section.append(el('p', {}, `Method ${data.model.method}: ${data.model.title}.` + (data.model.path ? ` It is in ${data.model.path}.` : '')));
  const charts = [historyChart('pretraining', 'Pretraining'), historyChart('training', 'Training')].filter(Boolean);
  if (charts.length) section.append(el('div.charts', {}, charts));
  section.append(el('h3', {}, 'To repeat this page'), code(data.command),
    fold('All settings of the training', el('table', {}, el('tbody', {}, Object.entries(data.model.settings).map(([name, value]) =>
      el('tr', {}, el('td', {}, name), el('td', {}, value)))))),
    el('p.tools', {}, el('button', {type: 'button', id: 'download-json', onclick: () => download('report.json', 'application/json',
      byId('report').textContent)}, 'Download everything as JSON')),
    el('p.soft', {}, `puad ${data.version}. The same command on the same files gives the same numbers for any number of threads.`));
}
