// Two inputs compared: columns, scores and flagged rows.

function flaggedIds() {
  const sets = [new Map(), new Map()];
  for (const row of data.rows) {
    if (row.id && row.input < 2 && row.score >= suggestedThreshold) sets[row.input].set(row.id, row);
  }
  const more = data.more;
  more.id.forEach((id, i) => {
    if (id && more.input[i] < 2 && more.score[i] >= suggestedThreshold) sets[more.input[i]].set(id, null);
  });
  return sets;
}

const summaryText = one => one.quantiles ? `${shortNumber(one.quantiles[2])} (${shortNumber(one.quantiles[0])} to `
  + `${shortNumber(one.quantiles[4])})` + missingText(one)
  : one.texts.slice(0, 3).map(([text, n]) => `${text} ${percent(n / one.rows)}`).join(', ');

function missingText(one) {
  const others = one.texts.reduce((sum, [, n]) => sum + n, 0);
  return others ? `, ${percent(others / one.rows)} other` : '';
}

function comparedColumns(names) {
  const columns = [...data.compare.columns].sort((a, b) => b.distance - a.distance);
  return el('div.wide', {tabindex: 0}, makeSortable(el('table', {id: 'compare-columns'},
    el('thead', {}, el('tr', {}, ['column', 'difference', ...names].map((name, i) => el('th' + (i === 1 ? '.n' : ''), {scope: 'col'}, name)))),
    el('tbody', {}, columns.map(one => el('tr', {}, el('td', {}, el('b', {}, data.columns[one.column].name)),
      el('td.n', {}, fixed(one.distance, 2)), one.values.map(value => el('td.text', {}, summaryText(value)))))))));
}

function comparedScores(names) {
  const {scores, from, to} = data.compare;
  const edges = edgesOf(from, to, scores[0].length);
  const parts = scores.map(counts => {
    const sum = counts.reduce((a, b) => a + b, 0) || 1;
    return counts.map(n => n / sum);
  });
  const middle = edges.slice(0, -1).map((edge, i) => (edge + edges[i + 1]) / 2);
  return chart({title: 'Scores', name: 'Scores of both files', width: 800, height: 230, x: {from, to, label: 'score'},
    y: {from: 0, to: Math.max(...parts.flat()) * 1.05 || 1, label: 'fraction of rows', format: percent},
    series: parts.map((values, i) => ({kind: 'line', name: names[i], color: i ? 'flag' : 'rows', x: middle, values}))});
}

function comparedRows(names) {
  if (!data.inputs.slice(0, 2).every(one => one.id_name)) {
    return el('p.soft', {}, 'Name an id column (--id-column) to see which flagged rows are new, gone or the same.');
  }
  const [before, after] = flaggedIds();
  const fresh = [...after.keys()].filter(id => !before.has(id));
  const gone = [...before.keys()].filter(id => !after.has(id));
  const same = [...after.keys()].filter(id => before.has(id));
  const ids = (title, id, list) => list.length ? fold(`${title}: ${count(list.length)}`, el('p', {id}, list.slice(0, 500).join(', ')
    + (list.length > 500 ? ', ...' : ''))) : el('p', {}, `${title}: none`);
  return [el('h3', {}, 'Flagged ids'), ids(`Flagged in ${names[1]} alone`, 'ids-new', fresh),
    ids(`Flagged in ${names[0]} alone`, 'ids-gone', gone), ids('Flagged in both', 'ids-same', same)];
}

function drawCompare() {
  if (!data.compare || suggestedThreshold === null) return;
  const [before, after] = data.inputs;
  const names = [baseName(before.path), baseName(after.path)];
  if (names[0] === names[1]) names.splice(0, 2, before.path, after.path);
  const rate = one => one.ranked ? one.flagged / one.ranked : 0;
  const moved = data.compare.columns.filter(one => one.distance > 0.1).length;
  const section = begin('compare', `What changed from ${names[0]} to ${names[1]}`, '');
  section.append(el('p', {id: 'compare-summary'}, `${count(after.flagged)} of ${count(after.ranked)} rows (${percent(rate(after))}) reach the `
    + `suggested threshold; before, ${count(before.flagged)} of ${count(before.ranked)} (${percent(rate(before))}) did. `
    + (data.compare.columns.length ? `${plural(moved, 'column')} of ${count(data.compare.columns.length)} differ${moved === 1 ? 's' : ''} `
      + 'by more than 0.1.' : '')));
  section.append(comparedScores(names), ...[comparedRows(names)].flat());
  if (data.compare.columns.length) {
    section.append(el('h3', {}, 'Columns, the most different first'), comparedColumns(names),
      el('p.caption', {}, `Numbers: median and the range of nine in ten rows. The difference is the largest gap between the two `
        + 'cumulative distributions, or half the sum of the differences of category frequencies: 0 is equal, 1 is disjoint. '
        + sampleText()));
  }
}

function sampleText() {
  const sampled = data.inputs.filter(one => one.sampled && one.sampled < one.rows);
  return sampled.length ? `Values are those of evenly spaced samples: ${sampled.map(one => `${count(one.sampled)} of `
    + `${count(one.rows)} rows of ${baseName(one.path)}`).join(', ')}.` : '';
}
