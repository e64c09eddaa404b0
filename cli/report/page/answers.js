// Answers about rows: marked in the list, kept by the browser, downloaded as files that puad reads.

const ANSWERS = {anomaly: '1', normal: '-1', unsure: ''};
const storeName = `puad answers ${data.title} ${data.created || ''}`;
let marks = {};
try {
  marks = JSON.parse(localStorage.getItem(storeName)) || {};
} catch {
  marks = {}; // a browser may keep nothing for files
}

const keyOf = row => row.input + ':' + row.row;
const markOf = row => marks[keyOf(row)];

function setMark(row, mark) {
  if (markOf(row) === mark) delete marks[keyOf(row)];
  else marks[keyOf(row)] = mark;
  try {
    localStorage.setItem(storeName, JSON.stringify(marks));
  } catch {
    // kept until the page is closed
  }
  refreshAnswers();
}

function markButtons(row) {
  const group = el('span.marks', {role: 'group', 'aria-label': 'your answer'});
  const show = () => [...group.children].forEach(one => one.setAttribute('aria-pressed', String(markOf(row) === one.dataset.mark)));
  for (const mark of Object.keys(ANSWERS)) {
    group.append(el('button.' + mark, {type: 'button', 'data-mark': mark, title: mark, onclick: () => {
      setMark(row, mark);
      show();
    }}, mark));
  }
  show();
  return group;
}

const marked = (input, mark) => data.rows.filter(row => row.input === input && markOf(row) && (!mark || markOf(row) === mark))
  .sort((a, b) => a.row - b.row);

// As 'puad query' writes it: the answer first, then the cells, by which puad recognizes the row.
function answersFile(input) {
  const about = data.inputs[input], id = about.id_name;
  const rows = marked(input);
  const cells = rows.some(row => row.cells) ? about.cells : [];
  const lines = [['row', ...(id ? [id] : []), 'score', 'label', ...cells]];
  for (const row of rows) {
    lines.push([row.row, ...(id ? [row.id] : []), row.score, ANSWERS[markOf(row)], ...(row.cells || [])]);
  }
  return csvText(lines);
}

// Rows of one answer, with the columns of their file.
function rowsFile(mark) {
  const inputs = data.inputs.map((_, i) => i).filter(i => marked(i, mark).length);
  if (!inputs.length) return null;
  const {id_name: id, cells} = data.inputs[inputs[0]];
  const lines = [[...(id ? [id] : []), ...cells]];
  for (const input of inputs) {
    for (const row of marked(input, mark)) {
      const own = data.inputs[input].cells;
      lines.push([...(id ? [row.id] : []), ...cells.map(name => row.cells[own.indexOf(name)])]);
    }
  }
  return csvText(lines);
}

const MARK_FILES = {anomaly: ['anomalies.csv', 'anomalies'], normal: ['normals.csv', 'normals']};

// The command that trains with the answers.
function answersCommand() {
  if (!data.fit_command) return null;
  const model = ` -o ${shellWord(baseName(data.model.path || 'model.safetensors'))}`;
  if (data.ranks_training) return `${data.fit_command} --answers answers.csv${model}`;
  const files = Object.entries(MARK_FILES).filter(([mark]) => data.inputs.some((_, i) => marked(i, mark).length))
    .map(([, [file, option]]) => ` --${option} ${file}`);
  return files.length ? data.fit_command + files.join('') + model : null;
}

function refreshAnswers() {
  const panel = byId('answers');
  if (!panel) return; // images have no list
  const totals = Object.keys(ANSWERS).map(mark => [mark, data.inputs.reduce((sum, _, i) => sum + marked(i, mark).length, 0)]);
  const all = totals.reduce((sum, [, n]) => sum + n, 0);
  const buttons = [];
  if (all) {
    data.inputs.forEach((input, i) => {
      if (!marked(i).length) return;
      const file = data.inputs.length > 1 ? `answers-${i + 1}.csv` : 'answers.csv';
      buttons.push(el('button', {type: 'button', class: 'download-answers', onclick: () => download(file, 'text/csv', answersFile(i))},
        `Download ${file}` + (data.inputs.length > 1 ? ` (${baseName(input.path)})` : '')));
    });
    if (!data.ranks_training) {
      for (const [mark, [file]] of Object.entries(MARK_FILES)) {
        const text = data.rows.some(row => row.cells) && rowsFile(mark);
        if (text) buttons.push(el('button', {type: 'button', onclick: () => download(file, 'text/csv', text)}, `Download ${file}`));
      }
    }
    buttons.push(el('button', {type: 'button', id: 'clear-answers', onclick: () => {
      marks = {};
      try { localStorage.removeItem(storeName); } catch { /* nothing was kept */ }
      refreshAnswers();
      refreshList();
    }}, 'Clear all answers'));
  }
  const command = all ? answersCommand() : null;
  panel.replaceChildren(el('h3', {}, 'Your answers'),
    el('p', {id: 'answer-count'}, all ? totals.map(([mark, n]) => `${count(n)} ${mark}`).join(', ') + '.'
      : 'Mark rows as anomaly, normal or unsure. The answers can be downloaded and used to train again.'),
    el('div.tools', {}, buttons));
  if (command) {
    panel.append(el('p.caption', {}, 'To train with them, download the files named in this command:'), code(command));
    if (data.ranks_training && marked(0).length >= 5) {
      panel.append(el('p.caption', {}, 'Answers about the top of the list alone tell a model little about the anomalies '
        + 'it ranks low: mark some rows that were chosen by another way too.'));
    }
  }
}

function answersPanel() {
  const panel = el('div', {id: 'answers'});
  queueMicrotask(refreshAnswers);
  return panel;
}
