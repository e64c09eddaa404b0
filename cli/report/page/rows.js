// The list of rows: new kinds first, searchable, sortable, a page at a time; and its CSV.

const PAGE = 50;
const list = {shown: PAGE, search: '', only: 'flagged', sort: 'new', rising: false, rows: []};

// Rows get what the list needs: their rank by score, a name, a text to search in.
function prepareRows() {
  const ranks = new Map([...data.rows].sort((a, b) => b.score - a.score).map((row, i) => [row, i + 1]));
  data.rows.forEach((row, i) => {
    row.place = i;
    row.rank = ranks.get(row);
    row.file = baseName(data.inputs[row.input].path);
    row.name = (data.inputs.length > 1 ? row.file + ' ' : '') + 'row ' + row.row;
    row.why = (row.reasons || []).slice(0, 3).map(one => `${data.columns[one.column].name} = ${one.value}`).join(', ');
    row.text = [row.name, row.id, row.why, ...(row.cells || [])].join('\n').toLowerCase();
  });
}

const ORDERS = {
  new: (a, b) => (b.kind === 'new') - (a.kind === 'new') || b.score - a.score || a.rank - b.rank,
  score: (a, b) => a.score - b.score || b.rank - a.rank,
  row: (a, b) => a.input - b.input || a.row - b.row,
  id: (a, b) => String(a.id || '').localeCompare(String(b.id || ''), undefined, {numeric: true}),
  kind: (a, b) => String(a.kind).localeCompare(String(b.kind)) || b.score - a.score,
  why: (a, b) => a.why.localeCompare(b.why) || b.score - a.score,
  mark: (a, b) => String(markOf(a) || '~').localeCompare(String(markOf(b) || '~')) || b.score - a.score,
};

const isFlagged = row => row.score >= state.threshold;
const FILTERS = {
  flagged: row => isFlagged(row),
  new: row => row.kind === 'new' && isFlagged(row),
  known: row => row.kind === 'known' && isFlagged(row),
  marked: row => Boolean(markOf(row)),
  all: () => true,
};

function visibleRows() {
  const words = list.search.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = data.rows.filter(row => FILTERS[list.only](row)
    && words.every(word => row.text.includes(word))
    && (list.group === undefined || data.groups[list.group].members.includes(row.place)));
  rows.sort(ORDERS[list.sort]);
  return list.sort === 'new' || list.rising ? rows : rows.reverse();
}

// Columns that say the same of every row are left out.
function listColumns() {
  const differs = get => new Set(data.rows.map(get)).size > 1;
  return [
    ['rank', 'score', 'rank'],
    ['name', 'row', data.inputs.map(one => one.id_name).find(Boolean) || 'row'],
    ['score', 'score', 'score'],
    data.rows.some(row => row.probability !== undefined) && differs(row => row.probability)
      && ['probability', 'score', 'probability'],
    ['why', 'why', 'reasons'],
    ['mark', 'mark', 'your answer'],
  ].filter(Boolean);
}

const isNumber = name => ['rank', 'score', 'probability'].includes(name);
const kindBadge = kind => kind ? el('span.kind.' + kind, {}, kind === 'new' ? 'new kind' : 'known kind') : '';

function nameOf(row) {
  return [row.id ? el('b', {}, row.id) : null, el('small', {}, row.name), row.kind === 'new' ? kindBadge('new') : null];
}

function listCell(row, name) {
  if (name === 'rank') return el('button.open', {type: 'button', 'aria-expanded': 'false', 'aria-label': `show ${row.name}`,
    onclick: event => toggleRow(row, event.target.closest('tr'))}, String(row.rank));
  if (name === 'name') return nameOf(row);
  if (name === 'score') return fixed(row.score, Math.abs(row.score) < 100 ? 2 : 0);
  if (name === 'probability') return percent(row.probability);
  if (name === 'why') return row.why || (row.reasons ? 'no single value; the combination' : '');
  return markButtons(row);
}

function drawLine(row, columns) {
  const line = el('tr.item' + (isFlagged(row) ? '.flagged' : ''), {'data-place': row.place});
  for (const [name, , heading] of columns) {
    line.append(el(`td.in-${name}` + (isNumber(name) ? '.n' : ''), {'data-name': heading}, listCell(row, name)));
  }
  line.onclick = event => {
    if (!event.target.closest('button, a, input')) toggleRow(row, line);
  };
  return line;
}

function toggleRow(row, line, open) {
  const next = line.nextElementSibling;
  const isOpen = Boolean(next && next.classList.contains('detail'));
  if (isOpen === open) return;
  line.querySelector('.open').setAttribute('aria-expanded', String(!isOpen));
  if (isOpen) next.remove();
  else line.after(el('tr.detail', {}, el('td', {colspan: line.cells.length}, drawRow(row))));
}

function refreshList() {
  list.rows = visibleRows();
  const columns = listColumns();
  const body = byId('list').tBodies[0];
  body.replaceChildren(...list.rows.slice(0, list.shown).map(row => drawLine(row, columns)));
  const hidden = list.rows.length - list.shown;
  byId('more-rows').hidden = hidden <= 0;
  byId('more-rows').textContent = `Show ${count(Math.min(hidden, 100))} more of ${count(hidden)}`;
  const known = data.rows.filter(isFlagged).length;
  byId('list-count').textContent = `${plural(list.rows.length, 'row')} match${list.rows.length === 1 ? 'es' : ''}. `
    + (state.rows > known ? `${count(state.rows)} rows are flagged; the ${count(known)} with the largest scores are listed here`
      + `${knownFlagged() > known ? `, and ${count(knownFlagged() - known)} more are in the CSV file` : ''}.` : '');
  byId('list').querySelectorAll('th').forEach(heading => {
    heading.removeAttribute('aria-sort');
    if (heading.dataset.sort === list.sort && (heading.dataset.main || list.sort !== 'score')) {
      heading.setAttribute('aria-sort', list.rising ? 'ascending' : 'descending');
    }
  });
}

// Flagged rows of which the page knows at least the score.
const knownFlagged = () => keptScores.filter(score => score >= state.threshold).length;

function sortList(order) {
  list.rising = list.sort === order ? !list.rising : order !== 'score';
  list.sort = order;
  refreshList();
}

function listTable() {
  const columns = listColumns();
  const table = el('table', {id: 'list'}, el('thead', {}, el('tr', {}, columns.map(([name, order, heading]) =>
    el('th' + (isNumber(name) ? '.n' : ''), {scope: 'col', 'data-sort': order,
      'data-main': name === order ? 'yes' : null},
    el('button', {type: 'button', onclick: () => sortList(order)}, heading))))), el('tbody'));
  return table;
}

function choice(id, label, options, change) {
  return el('label.field', {for: id}, label, el('select', {id, onchange: change},
    options.map(([value, text]) => el('option', {value}, text))));
}

function listTools() {
  const search = el('input', {id: 'search', type: 'search', placeholder: 'id, row, column or value',
    oninput: () => { list.search = search.value; list.shown = PAGE; refreshList(); }});
  const kinds = data.rows.some(row => row.kind);
  const only = choice('only', 'Show', [['flagged', 'flagged rows'], kinds && ['new', 'new kinds'],
    kinds && ['known', 'known kinds'], ['marked', 'answered'], ['all', 'all listed rows']].filter(Boolean),
  () => { list.only = byId('only').value; list.shown = PAGE; refreshList(); });
  const order = choice('order', 'Sort by', [['new', kinds ? 'new kinds first' : 'score, largest first'], ['score', 'score'],
    ['row', 'row'], ['mark', 'your answer']], () => { list.sort = byId('order').value; list.rising = list.sort === 'row'; refreshList(); });
  return el('div.tools', {}, el('label.field.grow', {for: 'search'}, 'Search', search), only, order,
    el('button', {type: 'button', id: 'download-rows', onclick: downloadRows}, 'Download flagged rows (CSV)'));
}

// All flagged rows that the page knows: the listed ones with their cells, the others by row, id and score.
function downloadRows() {
  const id = data.inputs.map(one => one.id_name).find(Boolean) || (data.rows.some(row => row.id) && 'file');
  const names = [...new Set(data.inputs.flatMap(one => one.cells))];
  const several = data.inputs.length > 1;
  const lines = [[several && 'input', 'row', id, 'score', 'probability', 'p_value', 'kind', 'answer', 'reasons', ...names]];
  for (const row of [...data.rows].sort((a, b) => b.score - a.score).filter(isFlagged)) {
    const cells = data.inputs[row.input].cells;
    lines.push([several && row.file, row.row, id && row.id, row.score, row.probability, row.p_value, row.kind, markOf(row), row.why,
      ...names.map(name => row.cells && row.cells[cells.indexOf(name)])]);
  }
  data.more.score.forEach((score, i) => {
    if (score < state.threshold) return;
    lines.push([several && baseName(data.inputs[data.more.input[i]].path), data.more.row[i], id && data.more.id[i], score]);
  });
  download('flagged.csv', 'text/csv', csvText(lines.map(line => line.filter(cell => cell !== false))));
}

function drawList() {
  if (!data.rows.length || data.kind !== 'table') return;
  prepareRows();
  const section = begin('rows', 'Rows to check',
    (data.rows.some(row => row.kind === 'new') ? 'Rows of a new kind come first, then the largest scores. ' : '')
    + 'Select a row to see its values, what is typical, and the labeled anomalies nearest to it.');
  section.append(listTools(), el('p.soft', {id: 'list-count', 'aria-live': 'polite'}),
    el('div.wide', {tabindex: 0}, listTable()),
    el('button', {type: 'button', id: 'more-rows', onclick: () => { list.shown += 100; refreshList(); }}), answersPanel());
  onState(() => {
    list.shown = PAGE;
    refreshList();
  });
}

// Opens a listed row, wherever it stands in the list.
function showRow(row) {
  if (!isFlagged(row)) byId('only').value = list.only = 'all';
  list.search = byId('search').value = '';
  refreshList();
  list.shown = Math.max(list.shown, list.rows.indexOf(row) + 1);
  refreshList();
  const line = byId('list').querySelector(`[data-place="${row.place}"]`);
  if (!line) return;
  toggleRow(row, line, true);
  line.scrollIntoView({block: 'center'});
}
