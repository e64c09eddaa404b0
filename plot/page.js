// The theme button, and tables that sort by a click on a heading: numbers by value, largest first; the rest
// by the alphabet.
'use strict';
{
  const root = document.documentElement;
  const button = document.getElementById('theme');
  const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme:dark)').matches;
  const name = () => { button.textContent = isDark() ? 'Light' : 'Dark'; };
  button.hidden = false;
  button.onclick = () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    name();
  };
  name();

  const sortBy = heading => {
    const body = heading.closest('table').tBodies[0];
    const rows = [...body.rows];
    const text = row => row.cells[heading.cellIndex].textContent.trim();
    const number = row => parseFloat(text(row).replace('\u2212', '-'));
    const numeric = rows.filter(row => !isNaN(number(row))).length * 2 > rows.length;
    const before = heading.getAttribute('aria-sort');
    const ascending = before ? before !== 'ascending' : !numeric;
    heading.closest('table').querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
    heading.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
    const order = (left, right) => {
      if (!numeric) {
        return (ascending ? 1 : -1) * text(left).localeCompare(text(right), undefined, {numeric: true});
      }
      const a = number(left), b = number(right);
      if (isNaN(a) || isNaN(b)) return isNaN(a) - isNaN(b);
      return ascending ? a - b : b - a;
    };
    body.append(...rows.sort(order));
  };
  document.querySelectorAll('th button').forEach(one => { one.onclick = () => sortBy(one.parentNode); });
}
