import { html, type SafeHtml } from '@remix-run/html-template';
import { amountText, pill, plain, said, sentence } from '../texts.ts';
import type { AdvisedFinding, ShownLine, ValidateView } from './view.ts';

const MOST_ALLOWED = 20;

/** Each finding with a link to its line: in the editor with script, else in the numbered file. */
export function findingList({ report: { findings, excerpt }, most }: ValidateView): SafeHtml {
  const lines = new Map(excerpt?.given.map((line) => [line.line, line]));
  const shown = findings.slice(0, most);
  const more = findings.length - shown.length;
  return html`<section aria-labelledby="found"><h2 id="found">Findings</h2>${
    findings.length === 0 ? html`<p>No errors and no warnings.</p>` : ''
  }${shown.map((one) => findingText(one, one.line === undefined ? undefined : lines.get(one.line)))}${
    more === 0 ? '' : html`<p class="type">${amountText(more, 'further finding')} not shown.</p>`
  }</section>`;
}

/** The file with line numbers, for readers without script; `isOpen`: the editor does not hold the file. */
export function numberedFile(
  { report: { excerpt, findings } }: ValidateView,
  isOpen: boolean,
): SafeHtml | string {
  if (excerpt === undefined || excerpt.given.length === 0) return '';
  const severities = new Map(
    findings.toReversed().flatMap(({ line, severity }) => (line === undefined ? [] : [[line, severity]])),
  );
  return html`<details class="numbered"${isOpen ? html` open` : ''}><summary>File with line numbers</summary>
<div class="listing" tabindex="0" role="region" aria-label="File with line numbers">${excerpt.given.map(
    (line, at) =>
      html`${gap(excerpt.given, at)}${codeLine(line, { id: `L${line.line}`, mark: severities.get(line.line) ?? '' })}`,
  )}</div></details>`;
}

/** What remains wrong after the safe fixes, and the text to copy. */
export function correctedFile({
  report: { excerpt, findings, fixed, errorsLeft = 0 },
}: ValidateView): SafeHtml | string {
  if (excerpt === undefined || excerpt.fixed.length === 0) return '';
  const fixes = findings.filter(({ fix }) => fix !== undefined).length;
  return html`<section aria-labelledby="fixed"><h2 id="fixed">Corrected file</h2>
<p>${appliedText(fixes, errorsLeft)}</p>
<p class="type">Changed lines have a bar at the left.${errorsLeft === 0 ? '' : ' Correct the other errors yourself: their findings show what to change.'}</p>
${isAll(excerpt.fixed, fixed) ? html`<p class="actions" data-copy="fixed-text" hidden></p>` : ''}<div class="listing" id="fixed-text" tabindex="0" role="region" aria-label="Lines of the corrected file">${excerpt.fixed.map(
    (line, at) => html`${gap(excerpt.fixed, at)}${codeLine(line)}`,
  )}</div></section>`;
}

function appliedText(fixes: number, left: number): string {
  const applied = `${fixes} safe ${fixes === 1 ? 'fix' : 'fixes'} applied`;
  if (left === 0) return `${applied}; no errors remain`;
  return `${applied}; ${left} ${left === 1 ? 'error remains' : 'errors remain'}`;
}

/** Whether these lines are the whole text, so that it can be copied from them. */
function isAll(lines: readonly ShownLine[], text: string | undefined): boolean {
  const count = text?.trimEnd().split(/\r\n|\n|\r/).length;
  return lines.every(({ line, cut }, at) => line === at + 1 && !cut) && count === lines.length;
}

function gap(lines: readonly ShownLine[], at: number): SafeHtml | string {
  const before = lines[at - 1]?.line ?? 0;
  return (lines[at]?.line ?? 0) === before + 1 ? '' : html`<p class="gap">…</p>`;
}

function codeLine(
  { line, text, changed, cut }: ShownLine,
  { id, mark = changed ? 'changed' : '' }: { readonly id?: string; readonly mark?: string } = {},
): SafeHtml {
  return html`<div class="line ${mark}"${id === undefined ? '' : html` id="${id}"`} data-line="${line}"><code>${text}${cut ? '…' : ''}</code></div>`;
}

/** `shown`: its line in the numbered file. */
function findingText(
  {
    severity,
    code,
    pointer,
    line,
    column = 1,
    message,
    hint,
    allowed = [],
    didYouMean,
    fix,
    frame,
  }: AdvisedFinding,
  shown?: ShownLine,
): SafeHtml {
  const place =
    line === undefined
      ? ''
      : shown === undefined
        ? html`<span class="at">Line ${line}:${column}</span> `
        : html`<a class="at" href="#L${line}" data-line="${line}" data-column="${column}">Line ${line}:${column}</a> `;
  return html`<div class="finding ${severity}">
<p>${place}${severity === 'error' ? pill('bad', 'error') : pill('warn', 'warning')} ${sentence(message, 400)} <code class="type">${said(code, 60)}</code></p>
${pointer === '' ? '' : html`<p class="type"><code>${said(pointer, 200)}</code></p>`}
${frame === undefined || (shown !== undefined && !shown.cut) ? '' : html`<pre class="frame-of">${frame}</pre>`}
${hint === undefined || fix !== undefined ? '' : html`<p>${sentence(hint, 400)}</p>`}
${didYouMean === undefined || fix !== undefined || message.includes('did you mean') ? '' : html`<p>Did you mean <code>${said(didYouMean, 120)}</code>?</p>`}
${allowed.length === 0 || fix !== undefined ? '' : html`<p>Allowed: ${allowed.slice(0, MOST_ALLOWED).map((one, at) => html`${at === 0 ? '' : ', '}<code>${said(one, 60)}</code>`)}${allowed.length > MOST_ALLOWED ? ` and ${allowed.length - MOST_ALLOWED} more` : ''}.</p>`}
${fix === undefined || message.endsWith(fix.title) ? '' : html`<p>Fixed in the corrected file: ${plain(fix.title, 120)}.</p>`}
</div>`;
}
