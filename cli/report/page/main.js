// Draws the page, then what depends on the threshold.

function drawTheme() {
  const root = document.documentElement, button = byId('theme');
  const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme:dark)').matches;
  const name = () => { button.textContent = isDark() ? 'Light' : 'Dark'; };
  button.hidden = false;
  button.onclick = () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    name();
  };
  name();
}

const SHORT = {compare: 'What changed', choose: 'Threshold', rows: 'Rows', audit: 'Guarantee', groups: 'Groups', evidence: 'Reliability', data: 'Data',
  model: 'Model'};

function drawContents() {
  const headed = [...document.querySelectorAll('main > section:not([hidden]), #drawn h2')].filter(one =>
    one.matches('h2') || SHORT[one.id]);
  byId('contents').append(...headed.map(one => el('a', {href: '#' + one.id}, SHORT[one.id] || one.textContent)));
}

// What the program drew: pictures and series follow the threshold.
function followDrawn() {
  const drawn = byId('drawn');
  drawn.querySelectorAll('table').forEach(table => table.querySelectorAll('th button').forEach(button => {
    button.onclick = () => sortTable(table, button.closest('th'));
  }));
  onState(now => {
    drawn.querySelectorAll('[data-score]').forEach(one => {
      const on = Math.fround(one.dataset.score) >= now.threshold; // nine digits of a float
      one.classList.toggle('flagged', on);
      const mark = one.querySelector('.mark');
      if (mark) mark.textContent = on ? 'flagged' : '';
    });
    drawn.querySelectorAll('.level').forEach(line => {
      const {from, to, high} = line.dataset;
      const up = Math.max(0, Math.min(1, (now.threshold - from) / (to - from)));
      line.setAttribute('transform', `translate(0 ${(1 - up) * high})`);
    });
  });
  const open = () => {
    const at = location.hash.length > 1 && byId(location.hash.slice(1));
    if (!at || at.tagName !== 'DETAILS') return;
    for (let up = at; up; up = up.parentElement.closest('details')) up.open = true;
    at.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();
}

drawTheme();
drawVerdict();
const start = drawChooser();
drawList();
drawAudit();
drawGroups();
drawCompare();
drawEvidence();
drawData();
drawModel();
followDrawn();
if (start) start();
drawContents();
