// The first screen: what to do, in sentences; warnings and notes of the program.

const newKinds = () => suggestedThreshold === null ? []
  : data.rows.filter(row => row.kind === 'new' && row.score >= suggestedThreshold);

function verdictSentences() {
  const rows = data.kind === 'images' ? 'images' : 'rows';
  if (!data.ranked) return [['There are no rows to rank.'], []];
  if (data.audit) return auditSentences();
  const all = count(data.ranked);
  if (data.suggestion === 'no_row') {
    return [[`No ${rows} can be flagged at the false-discovery rate that was asked for.`],
      [`The labels do not support that promise for any of the ${all} ${rows}. They are ranked by score: check as many as you `
        + 'can from the top, and mark what you find.']];
  }
  const now = stateAt(suggestedThreshold);
  const recall = now.recall ? `They should contain ${percent(now.recall[0])} of the anomalies like the `
    + `labeled ones (at least ${percent(now.recall[1])}).` : '';
  if (isJudged) {
    if (!now.rows) {
      return [[`None of the ${all} ${rows} needs to be checked at the suggested threshold.`],
        ['Their scores are below those of the labeled anomalies. Lower the threshold to see the highest-ranked.']];
    }
    const least = Math.floor(now.found[1]);
    return [[`${count(now.rows)} of ${all} ${rows} should be checked.`],
      [`About ${count(now.found[0])} of them are expected to be anomalies (at least ${count(least)}). ${recall}`]];
  }
  const why = data.declined
    ? 'Labeled anomalies score like many unlabeled rows, so the labels do not show how many anomalies there are.'
    : data.uncalibrated ? 'Too few rows are labeled to hold some out for estimates.'
      : 'No rows were held out of training for estimates.';
  return [[`${all} ${rows} are ranked by score. How many of them are anomalies cannot be estimated.`],
    [`${why} Choose how many you can check and start from the top. ${recall.replace('They', `The first ${count(now.rows)}`)}`]];
}

function nextSteps() {
  const steps = [], fresh = newKinds().length;
  const warned = data.warnings.length + driftCount();
  if (warned) {
    steps.push(el('li', {}, `Read the ${plural(warned, 'warning')} below first: the list may be wrong until `
      + `${warned === 1 ? 'it is' : 'they are'} resolved.`));
  }
  if (fresh) {
    steps.push(el('li', {}, el('a', {href: '#rows'}, `Check the ${plural(fresh, 'row')} of a new kind`),
      `: nothing like ${fresh === 1 ? 'it' : 'them'} has been labeled, so no estimate covers ${fresh === 1 ? 'it' : 'them'}.`));
  }
  const auditable = data.ranked && data.model.path && data.inputs.length === 1 && !data.ranks_training && data.kind !== 'series';
  if (data.audit_sample) {
    steps.push(el('li', {}, el('a', {href: '#audit'}, `Check the ${plural(data.audit_sample.rows.length, 'row')} of the audit`),
      ' and download the answers.'));
  } else if (!data.audit && (suggestedThreshold === null || !isJudged) && auditable) {
    steps.push(el('li', {}, 'If you need an error rate that holds, ', el('a', {href: '#audit'}, 'check thirty rows drawn at random'), '.'));
  }
  if (data.kind === 'table' && data.ranked) {
    steps.push(el('li', {}, 'Check ', el('a', {href: '#rows'}, 'the list'),
      ' from the top and mark each row as anomaly, normal or unsure.'));
    steps.push(el('li', {}, 'Download your answers and train again with them.'));
  } else if (data.ranked) {
    steps.push(el('li', {}, 'Check what is listed below from the top.'));
  }
  return steps;
}

const driftCount = () => data.inputs.reduce((sum, one) => sum + one.drift.length, 0);

function warningBoxes() {
  const boxes = data.warnings.map(one => el('div.box.warn', {role: 'alert'},
    el('b', {}, 'Warning'), one.name ? ` (${one.name.replace(/_/g, ' ')})` : '', ': ', one.text));
  for (const input of data.inputs.filter(one => one.drift.length)) {
    boxes.push(el('div.box.warn', {role: 'alert'}, el('b', {}, 'Warning (drift)'),
      `: ${baseName(input.path)} differs from the training data.`,
      el('ul', {}, input.drift.map(text => el('li', {}, text)))));
  }
  const notes = [...new Set([...(data.training.notes || []), ...data.inputs.flatMap(one => one.notes)])];
  if (notes.length) {
    boxes.push(el('details.box', {open: notes.length <= 3},
      el('summary', {}, plural(notes.length, 'note') + ' about the data'),
      el('ul', {}, notes.map(text => el('li', {}, text)))));
  }
  if (data.ranks_training) {
    boxes.push(el('div.box', {}, 'The model was trained on these rows, so it may be too sure of them.'));
  }
  return boxes;
}

function drawVerdict() {
  const from = data.training.path ? `trained on ${baseName(data.training.path)} (${count(data.training.rows)} rows, `
    + `${anomalies(data.training.anomalies, 'labeled ')})`
    : data.model.path ? `model ${baseName(data.model.path)}` : 'an existing model';
  const ranked = data.ranks_training ? 'its unlabeled rows are ranked'
    : `ranked: ${data.inputs.map(one => baseName(one.path)).join(', ')}`;
  byId('subtitle').textContent = `${from}; ${ranked}` + (data.created ? ` · ${data.created}` : '');
  const [first, rest] = verdictSentences();
  const fresh = newKinds().length;
  const section = byId('verdict');
  section.append(el('p.verdict', {}, el('b', {}, first), ' ', rest,
    fresh && isJudged ? ` ${plural(fresh, 'row')} ${fresh === 1 ? 'is' : 'are'} unusual in a new way.` : '',
    driftCount() && isJudged ? ' These rows differ from the training data, so the estimates may not hold.' : ''));
  const steps = nextSteps();
  if (steps.length) section.append(el('h3', {}, 'What to do next'), el('ol', {}, steps));
  section.append(...warningBoxes());
  if (!data.warnings.length && !driftCount()) {
    section.append(el('p.soft', {id: 'no-warnings'}, 'No problem with the labels, the columns or the model was found.'));
  }
}
