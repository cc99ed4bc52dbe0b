import { html, type SafeHtml } from '@remix-run/html-template';
import { amountText, pill, plain, said, sentence } from '../texts.ts';
import type { AdvisedFinding, ShownLine, ValidateView } from './view.ts';

const MOST_ALLOWED = 20;

/** The file with its findings at their lines, and the corrected one beside it. */
export function filePanels({
  report: { excerpt, findings, fixed, errorsLeft = 0 },
  most,
}: ValidateView): SafeHtml | string {
  if (excerpt === undefined || excerpt.given.length === 0) return '';
  const fixes = findings.filter(({ fix }) => fix !== undefined).length;
  const shown = new Set(findings.slice(0, most));
  const atLine = Map.groupBy(
    findings.filter((one) => one.line !== undefined && shown.has(one)),
    ({ line }) => line,
  );
  return html`<div class="panels"><section aria-labelledby="given"><h2 id="given">The file</h2>
<div class="listing" tabindex="0" role="region" aria-label="The file with its findings">${excerpt.given.map(
    (line, at) =>
      html`${gap(excerpt.given, at)}${codeLine(line)}${(atLine.get(line.line) ?? []).map((one) => findingText(one, line))}`,
  )}</div></section>
${
  excerpt.fixed.length === 0
    ? ''
    : html`<section aria-labelledby="fixed"><h2 id="fixed">The corrected file</h2>
<p>${appliedText(fixes, errorsLeft)}</p>
<p class="type">Lines with a bar are changed, where only one thing can be meant.</p>
${isAll(excerpt.fixed, fixed) ? html`<p data-copy="fixed-text" hidden></p>` : ''}<div class="listing" id="fixed-text" tabindex="0" role="region" aria-label="The corrected file">${excerpt.fixed.map(
        (line, at) => html`${gap(excerpt.fixed, at)}${codeLine(line)}`,
      )}</div></section>`
}</div>`;
}

function appliedText(fixes: number, left: number): string {
  const applied = `${fixes} safe ${fixes === 1 ? 'fix' : 'fixes'} applied`;
  if (left === 0) return `${applied}; no errors remain`;
  return `${applied}; ${left} ${left === 1 ? 'error remains' : 'errors remain'}`;
}

/** Those without a line, and those whose line is not shown. */
export function otherFindings({ report: { findings, excerpt }, most }: ValidateView): SafeHtml | string {
  const lines = new Set(excerpt?.given.map(({ line }) => line));
  const others = findings.slice(0, most).filter(({ line }) => line === undefined || !lines.has(line));
  const more = findings.length - Math.min(most, findings.length);
  if (others.length === 0 && more === 0) return '';
  return html`<section aria-labelledby="found"><h2 id="found">What was found</h2>${others.map((one) => findingText(one))}${
    more === 0 ? '' : html`<p class="type">${amountText(more, 'further finding')} not shown.</p>`
  }</section>`;
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

function codeLine({ line, text, changed, cut }: ShownLine): SafeHtml {
  return html`<div class="${changed ? 'line changed' : 'line'}" data-line="${line}"><code>${text}${cut ? '…' : ''}</code></div>`;
}

function findingText(
  {
    severity,
    code,
    pointer,
    line,
    column,
    message,
    hint,
    allowed = [],
    didYouMean,
    fix,
    frame,
  }: AdvisedFinding,
  shown?: ShownLine,
): SafeHtml {
  const place = [...(line === undefined ? [] : [`line ${line}:${column ?? 1}`]), pointer].filter(
    (part) => part !== '',
  );
  return html`<div class="finding ${severity}">
<p>${severity === 'error' ? pill('bad', 'error') : pill('warn', 'warning')} ${said(message, 400)} <code class="type">${said(code, 60)}</code></p>
${place.length === 0 ? '' : html`<p class="type"><code>${said(place.join(' '), 200)}</code></p>`}
${frame === undefined || (shown !== undefined && !shown.cut) ? '' : html`<pre class="frame-of">${frame}</pre>`}
${hint === undefined ? '' : html`<p>${sentence(hint, 400)}</p>`}
${didYouMean === undefined || fix !== undefined ? '' : html`<p>Perhaps <code>${said(didYouMean, 120)}</code> is meant.</p>`}
${allowed.length === 0 || fix !== undefined ? '' : html`<p>It may be ${allowed.slice(0, MOST_ALLOWED).map((one, at) => html`${at === 0 ? '' : ', '}<code>${said(one, 60)}</code>`)}${allowed.length > MOST_ALLOWED ? ` and ${allowed.length - MOST_ALLOWED} more` : ''}.</p>`}
${fix === undefined || message.endsWith(fix.title) ? '' : html`<p>The corrected file has it: ${plain(fix.title, 120)}.</p>`}
</div>`;
}
