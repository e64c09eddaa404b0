// The data, and small helpers: elements, numbers in words, downloads. Text reaches the page as text nodes only.
'use strict';

const data = JSON.parse(document.getElementById('report').textContent);
const byId = id => document.getElementById(id);

// el('p.soft', {title: 'x', onclick: f}, 'text', element, [list], null)
function el(what, attributes, ...children) {
  const [tag, ...classes] = what.split('.');
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(' ');
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') made[name] = value;
    else made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat(Infinity).filter(one => one !== null && one !== undefined && one !== false));
  return made;
}

function svg(tag, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter(one => one !== null && one !== undefined));
  return made;
}

const count = n => Math.round(n).toLocaleString('en');
const plural = (n, noun) => count(n) + ' ' + noun + (Math.round(n) === 1 ? '' : 's');
const anomalies = (n, what = '') => `${count(n)} ${what}${Math.round(n) === 1 ? 'anomaly' : 'anomalies'}`;
const percent = x => (x > 0 && x < 0.0005 ? 'less than 0.1' : x < 0.0995 && x > 0 ? (100 * x).toFixed(1)
  : x < 1 && x > 0.995 ? 'more than 99' : (100 * x).toFixed(0)) + '%';
const fixed = (x, digits) => x === null || !isFinite(x) ? '–' : x.toFixed(digits);
const shortNumber = x => Math.abs(x) >= 1e6 || (x !== 0 && Math.abs(x) < 1e-3) ? String(+x.toPrecision(3))
  : Math.abs(x) >= 1000 ? count(x) : String(+x.toPrecision(4));
const baseName = path => path.split('\n')[0].split('/').pop() || path;

// A section's heading; `lead` is one sentence below it.
function begin(id, heading, lead) {
  const section = byId(id);
  section.hidden = false;
  section.replaceChildren(el('h2', {}, heading));
  if (lead) section.append(el('p', {}, lead));
  return section;
}

function fold(summary, ...inside) {
  return el('details.fold', {}, el('summary', {}, summary), ...inside);
}

function code(text) {
  return el('pre', {tabindex: 0}, el('code', {}, text));
}

function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const link = el('a', {href: address, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// A cell of CSV. A text that a spreadsheet would run as a formula gets an apostrophe, which puad takes off.
function csvCell(value) {
  let text = value === null || value === undefined ? '' : String(value);
  if (/^[=+\-@\t\r]/.test(text) && !/^[+-]?([\d., ']*\d[\d., ']*(e[+-]?\d+)?)?%?$/i.test(text)) text = '\'' + text;
  return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}
const csvText = lines => lines.map(line => line.map(csvCell).join(',') + '\n').join('');

// A shell word.
const shellWord = text => /^[\w@%+=:,./-]+$/.test(text) ? text : '\'' + text.replace(/'/g, '\'\\\'\'') + '\'';

// Headings of tables of class "sorted" sort by a click: numbers by value, texts by the alphabet.
function makeSortable(table) {
  table.querySelectorAll('th').forEach(heading => {
    const name = [...heading.childNodes];
    heading.replaceChildren(el('button', {type: 'button', onclick: () => sortTable(table, heading)}, name));
  });
  return table;
}

function sortTable(table, heading) {
  const body = table.tBodies[0], rows = [...body.rows];
  const text = row => row.cells[heading.cellIndex].textContent.trim();
  const number = row => {
    const own = row.cells[heading.cellIndex].dataset.value;
    return parseFloat(own === undefined ? text(row).replace(/,/g, '') : own);
  };
  const numeric = rows.filter(row => !isNaN(number(row))).length * 2 > rows.length;
  const before = heading.getAttribute('aria-sort');
  const rising = before ? before !== 'ascending' : !numeric;
  table.querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
  heading.setAttribute('aria-sort', rising ? 'ascending' : 'descending');
  rows.sort((left, right) => {
    const a = number(left), b = number(right);
    if (numeric && (isNaN(a) || isNaN(b))) return isNaN(a) - isNaN(b);
    const order = numeric ? a - b : text(left).localeCompare(text(right), undefined, {numeric: true});
    return rising ? order : -order;
  });
  body.append(...rows);
}
