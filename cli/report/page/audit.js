// The audit: rows drawn at random that a person checks, and what the answers guarantee.

const AUDIT_OWN = ['row', 'score', 'label', 'audit', 'stratum', 'probability'];

function auditCommand(options, page) {
  return `puad report --model ${shellWord(data.model.path)} ${shellWord(data.inputs[0].path)} ${options} -o ${page}`;
}

// As 'puad query --audit' writes it.
function auditFile() {
  const {design, cells, rows} = data.audit_sample, id = data.inputs[0].id_name;
  const names = cells.map(name => AUDIT_OWN.includes(name) ? `input.${name}` : name);
  const lines = [['row', ...(id ? [id] : []), 'score', 'label', 'audit', 'stratum', 'probability', ...names]];
  for (const row of rows) {
    lines.push([row.row, ...(id ? [row.id] : []), row.score, markOf(row) ? ANSWERS[markOf(row)] : '', design, row.stratum,
      row.probability, ...row.cells]);
  }
  return csvText(lines);
}

function drawSample(section) {
  const {cells, rows} = data.audit_sample, id = data.inputs[0].id_name;
  const done = el('b', {id: 'audit-count'});
  const note = () => {
    const answered = rows.filter(row => markOf(row)).length;
    done.textContent = `${count(answered)} of ${plural(rows.length, 'row')} checked`;
  };
  const heads = [id || 'row', 'your answer', ...cells];
  section.append(el('p', {}, 'These rows are a random draw, denser where scores are high. Mark each one: unsure counts as normal, and a '
    + 'wrong answer voids the guarantee. ', done, '.'),
  el('div.wide', {tabindex: 0}, el('table', {id: 'audit-rows'},
    el('thead', {}, el('tr', {}, heads.map(name => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, rows.map(row => {
      const buttons = markButtons(row);
      buttons.addEventListener('click', note);
      return el('tr', {}, el('td', {}, row.id || `row ${row.row}`), el('td', {}, buttons),
        row.cells.map((text, i) => el('td.text', {'data-name': cells[i]}, text || '–')));
    })))),
  el('div.tools', {}, el('button', {type: 'button', id: 'download-audit', onclick: () => download('audit.csv', 'text/csv', auditFile())},
    'Download audit.csv')),
  el('p.caption', {}, 'Then see what the answers guarantee:'),
  code(auditCommand(`--audit-answers audit.csv --fdr ${data.audit_sample.rate}`, 'audited.html')));
  note();
}

const intervalText = (one, text) => one.value === null ? 'unknown' : `${text(one.value)} (${text(one.low)} to ${text(one.high)})`;

function drawGuarantee(section) {
  const {points, precision, recall, alpha, confidence} = data.audit;
  const facts = [['precision of the flagged rows', precision], ['anomalies found among all', recall], ['anomalies among all rows', alpha]];
  section.append(el('p', {}, `From ${plural(data.audit.checked, 'checked row')}, ${count(data.audit.anomalies)} of them anomalies`
    + (data.audit.unanswered ? ` (${count(data.audit.unanswered)} without an answer count as normal)` : '')
    + `. Ranges have ${percent(confidence)} confidence.`),
  el('ul', {id: 'audit-estimates'}, facts.map(([name, one]) => el('li', {}, `${name}: ${intervalText(one, percent)}`))));
  const asked = [];
  if (data.audit.threshold === null && data.audit.lowest_rate !== null) {
    asked.push(`The smallest rate that these answers support is ${percent(data.audit.lowest_rate)}, with `
      + `${plural(data.audit.lowest_rate_flagged, 'row')} flagged.`);
  }
  if (data.audit.checks_for_rate > data.audit.checked) {
    const rate = data.audit.threshold === null ? data.audit.rate : data.audit.rate / 2;
    asked.push(`A rate of ${percent(rate)} would take about ${count(data.audit.checks_for_rate)} checks.`);
  }
  if (asked.length) section.append(el('p', {}, asked.join(' ')));
  if (points.length) {
    section.append(el('div.wide', {tabindex: 0}, makeSortable(el('table', {id: 'audit-points'},
      el('thead', {}, el('tr', {}, ['threshold', 'flagged', 'supported rate', 'limit', 'precision', 'recall']
        .map(name => el('th.n', {scope: 'col'}, name)))),
      el('tbody', {}, points.map(one => el('tr', {}, [shortNumber(one.threshold), count(one.flagged), percent(one.rate), percent(one.limit),
        intervalText(one.precision, percent), intervalText(one.recall, percent)].map(text => el('td.n', {}, text)))))))),
    el('p.caption', {}, 'Supported rate: the smallest rate that the answers support at a threshold. Limit: the fraction of false alarms is '
      + `at most this with ${percent(confidence)} confidence, for all thresholds at once.`));
  }
}

function drawAudit() {
  if (!data.model.path || data.inputs.length !== 1 || data.ranks_training || data.kind === 'series' || !data.ranked) return;
  const section = begin('audit', data.audit ? 'What the checked rows guarantee' : data.audit_sample
    ? `Audit: check ${plural(data.audit_sample.rows.length, 'row')}` : 'A guarantee for thirty checks');
  if (data.audit) drawGuarantee(section);
  else if (data.audit_sample) drawSample(section);
  else {
    section.append(el('p', {}, 'Labels alone do not prove how many flagged rows are false alarms. A random draw of rows that you check '
      + 'does, for any model and any data. This command makes a page with the draw:'),
    code(auditCommand('--audit 30 --fdr 0.1', 'audit.html')));
  }
}

function auditSentences() {
  const {flagged, rate, limit, confidence, threshold, checked, anomalies: found} = data.audit;
  if (threshold === null) {
    return [[`The ${plural(checked, 'checked row')} support no threshold at a false-alarm rate of ${percent(rate)}.`],
      [`Only the ${anomalies(found, 'checked ')} can be flagged. More checks, or a larger rate, may support one.`]];
  }
  return [[`${count(flagged)} of ${count(data.ranked)} rows are flagged, and at most ${percent(rate)} of them are expected to be false alarms.`],
    [`This holds for any model and any labels: it rests on ${plural(checked, 'row')} that were checked at random. With ${percent(confidence)} `
      + `confidence at most ${percent(limit)} are false alarms.`]];
}
