// The slider: what a threshold would flag. Everything else on the page works without this.
{
  const text = document.getElementById('operating');
  const slider = document.getElementById('threshold');
  if (text && slider) {
    const data = JSON.parse(text.textContent), points = data.points;
    const percent = x => (x < 0.0995 ? (100 * x).toFixed(1) : (100 * x).toFixed(0)) + '%';
    const put = (name, words) => { const at = document.getElementById(name); if (at) at.textContent = words; };
    const band = b => b ? percent(b[0]) : '–', range = b => b ? percent(b[1]) + ' to ' + percent(b[2]) : '';
    const show = () => {
      const now = points[slider.value];
      slider.setAttribute('aria-valuetext', 'threshold ' + now.s + ' flags ' + now.n + ' rows');
      put('at-threshold', String(+now.t.toPrecision(4)));
      put('at-flagged', now.n.toLocaleString('en'));
      put('at-share', percent(now.n / data.rows) + ' of ' + data.rows.toLocaleString('en') + ' rows');
      put('at-recall', band(now.r));
      put('at-recall-range', range(now.r));
      put('at-precision', band(now.p));
      put('at-precision-range', range(now.p));
      put('at-command', data.command + ' --threshold=' + now.s);
      const line = document.getElementById('cut');
      const x = Math.max(0, Math.min(1, (now.t - data.from) / (data.to - data.from))) * data.width;
      if (line) line.setAttribute('transform', 'translate(' + x + ')');
      document.querySelectorAll('#scores rect').forEach(r => r.classList.toggle('on', +r.dataset.t >= now.t));
      let shown = 0;
      document.querySelectorAll('[data-score]').forEach(r => {
        const on = Math.fround(r.dataset.score) >= now.t; // nine digits of a float
        r.classList.toggle('flagged', on);
        const mark = r.querySelector('.mark');
        if (mark) { mark.textContent = on ? 'flagged' : ''; shown += on; }
      });
      const listed = document.querySelectorAll('.mark').length;
      const more = data.listed == 'rows' && now.n > shown;
      put('at-listed', shown + ' of the ' + listed + ' ' + data.listed + ' below are flagged' +
        (more ? '; ' + (now.n - shown).toLocaleString('en') + ' more are not listed' : '') + '.');
      document.querySelectorAll('.level').forEach(l => {
        const d = l.dataset, up = Math.max(0, Math.min(1, (now.t - d.from) / (d.to - d.from)));
        l.setAttribute('transform', 'translate(0 ' + (1 - up) * d.high + ')');
      });
    };
    slider.addEventListener('input', show);
    document.querySelectorAll('[data-step]').forEach(b => b.onclick = () => {
      slider.value = +slider.value + +b.dataset.step;
      show();
    });
    document.getElementById('suggested').onclick = () => { slider.value = data.at; show(); };
    document.getElementById('controls').hidden = false;
    show();
  }
  // A link to a row opens it.
  const open = () => {
    const at = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!at || at.tagName != 'DETAILS') return;
    for (let up = at; up; up = up.parentElement.closest('details')) up.open = true;
    at.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll('details.row:not([open])')].slice(0, 9);
    folded.forEach(d => d.open = true);
  });
  addEventListener('afterprint', () => folded.forEach(d => d.open = false));
}
