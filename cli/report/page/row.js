// One row in full: its reasons (unusual values against typical ones), the nearest labeled anomalies, all its values.

// Where a number lies against the range of nine in ten unlabeled rows.
function strip(column, value) {
  if (column.low === undefined || value === undefined) return null;
  let from = Math.min(column.low, value), span = Math.max(column.high, value) - from;
  if (!(span > 0)) return null;
  from -= 0.06 * span;
  span *= 1.12;
  const at = x => (100 * (x - from) / span).toFixed(1) + '%';
  const made = el('span.strip', {'aria-hidden': 'true'}, el('i'), el('s'), el('b'));
  made.children[0].style.left = at(column.low);
  made.children[0].style.width = Math.max(1, 100 * (column.high - column.low) / span).toFixed(1) + '%';
  made.children[1].style.left = at(column.median);
  made.children[2].style.left = at(value);
  return made;
}

function reasonsTable(row) {
  if (!row.reasons || !row.reasons.length) {
    return el('p', {}, 'No single value of this row is unusual: its combination of values is.');
  }
  return el('table.reasons', {}, el('thead', {}, el('tr', {}, ['column', 'value', 'typical in unlabeled rows', 'part of the score']
    .map(name => el('th', {scope: 'col'}, name)))),
  el('tbody', {}, row.reasons.map(one => {
    const column = data.columns[one.column];
    const bar = el('span.share', {}, el('i'), percent(one.share));
    bar.firstChild.style.width = Math.max(2, 60 * one.share) + '%';
    return el('tr', {}, el('td', {'data-name': 'column'}, el('b', {}, column.name)),
      el('td', {'data-name': 'value'}, one.value, strip(column, one.number)),
      el('td.soft', {'data-name': 'typical'}, column.typical), el('td', {'data-name': 'part of the score'}, bar));
  })));
}

function nearestTable(row) {
  const nearest = (row.nearest || []).map(([place, distance]) => [data.labeled.rows[place], distance]);
  if (!nearest.length) return null;
  const own = data.inputs[row.input].cells;
  const names = data.labeled.cells;
  const chosen = [...new Set([...(row.reasons || []).map(one => data.columns[one.column].name), ...names])]
    .filter(name => names.includes(name)).slice(0, 4);
  const line = (first, cells) => el('tr', {}, el('td', {}, first), cells.map((text, i) => el('td', {'data-name': chosen[i]}, text || '–')));
  return [el('h4', {title: 'distances in encoded values'}, 'Nearest labeled anomalies'), el('div.wide', {tabindex: 0}, el('table.nearest', {},
    el('thead', {}, el('tr', {}, ['', ...chosen].map(name => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, line(el('b', {}, 'this row'), chosen.map(name => row.cells ? row.cells[own.indexOf(name)] : '')),
      nearest.map(([one, distance]) => line([`${one.id || 'row ' + one.row} `, el('span.soft', {}, `at ${distance.toFixed(2)}`)],
        chosen.map(name => one.cells[names.indexOf(name)]))))))];
}

function allValues(row) {
  if (!row.cells) return null;
  const names = data.inputs[row.input].cells;
  return fold('All values of this row', el('dl.values', {}, row.cells.map((text, i) =>
    el('div', {}, el('dt', {}, names[i]), el('dd', {}, text || '–')))));
}

function drawRow(row) {
  const facts = [`score ${shortNumber(row.score)}`, `rank ${row.rank} of ${count(data.ranked)}`];
  if (row.probability !== undefined) facts.push(`probability of an anomaly ${percent(row.probability)}`);
  if (row.p_value !== undefined) facts.push(`${row.p_value < 0.0001 ? 'less than 0.01' : +(100 * row.p_value).toPrecision(2)}% of normal rows score as high`);
  return el('div.row', {}, el('p', {}, el('b', {}, row.id ? `${row.id} (${row.name})` : row.name), ` · ${facts.join(' · ')} `,
    kindBadge(row.kind)), reasonsTable(row), nearestTable(row), allValues(row));
}
