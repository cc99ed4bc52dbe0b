import { html, type SafeHtml } from '@remix-run/html-template';
import { UNSEEN, unicodeEscape } from '../../domain/text.ts';
import { amountText, moment, said } from '../texts.ts';
import { spaced } from './findings.ts';
import type { FileView, ShownDiff } from './view.ts';

const NOT_SHOWN: Readonly<Record<string, string>> = {
  not_kept: 'One of the two versions is no longer stored.',
  too_long: 'The versions are too long to compare.',
  too_many_changes: 'Too many lines changed to show.',
};
const MARKS: Readonly<Record<string, string>> = { added: '+', removed: '−', same: ' ' };

/** The versions of a file, newest first, and the changes of one. `path` is the page's own. */
export function historyText(path: string, { history, diff, most }: FileView): SafeHtml {
  const { total, revisions } = history;
  if (total === 0) return html`<p>No versions.</p>`;
  const shown = revisions.slice(0, most);
  return html`${diff === undefined ? '' : changes(diff)}
<h3>Versions</h3>
<ol class="places" reversed>${shown.map(
    ({ revision_number: number, edit_summary: summary, created_at: at, rolled_back_to: back }) =>
      html`<li>${number === diff?.revision ? html`<b>Version ${number}</b>` : html`<a href="${path}?revision=${number}#history">Version ${number}</a>`}, ${moment(at)}${back === undefined ? '' : `, same content as version ${back}`}<p class="type">${said(summary, 240)}</p></li>`,
  )}</ol>
${total > shown.length ? html`<p>${history.total_truncated ? 'More than ' : ''}${amountText(total - shown.length, 'older version')}.</p>` : ''}`;
}

function changes({
  revision,
  hunks = [],
  truncated,
  laid_out: laidOut,
  only_form: onlyForm,
  not_shown: why,
}: ShownDiff): SafeHtml {
  if (why !== undefined)
    return html`<h3>What changed in version ${revision}</h3><p>${NOT_SHOWN[why] ?? 'The versions cannot be compared.'}</p>`;
  if (revision === 1) return html`<p>Version 1 is the first version.</p>`;
  if (hunks.length === 0)
    return html`<h3>What changed in version ${revision}</h3><p>${onlyForm ? 'Only the formatting changed: layout, line endings or byte order mark.' : 'The text did not change; only its URL or the way to it did.'}</p>`;
  return html`<h3>What changed in version ${revision}</h3>
${laidOut ? html`<p class="type">Lines are wrapped here because they are too long. Line and column numbers are those of the file.</p>` : ''}
${hunks.map(
  ({ before_line: before, before_column: from, after_line: after, after_column: to, lines }) =>
    html`<pre class="excerpt" tabindex="0" role="region" aria-label="Changes from ${placeText(after, to)}"><code><span class="number">before: ${placeText(before, from)}, now: ${placeText(after, to)}</span>\n${lines.map(({ change, text }) => line(change, text))}</code></pre>`,
)}
${truncated ? html`<p>More changes are not shown.</p>` : ''}`;
}

function placeText(row: number, column: number | undefined): string {
  return column === undefined ? `line ${row}` : `line ${row}, column ${column}`;
}

function line(change: string, text: string): SafeHtml {
  const body = html`${MARKS[change] ?? ' '} <bdi>${spaced(visible(text))}</bdi>`;
  if (change === 'added') return html`<ins>${body}</ins>\n`;
  return change === 'removed' ? html`<del>${body}</del>\n` : html`${body}\n`;
}

/** Writes invisible characters as escapes: otherwise the removed and the added line look the same. */
function visible(text: string): string {
  return text.replace(/[^\P{Cc}\t]/gu, unicodeEscape).replace(UNSEEN, unicodeEscape);
}
