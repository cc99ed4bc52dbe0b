import { html, type SafeHtml } from '@remix-run/html-template';
import type { PageSite } from '../layout.ts';
import { amountText, outward, pill, plain, said, sentence } from '../texts.ts';
import { names } from './file-parts.ts';
import type { FileView, ShownFinding } from './view.ts';

/** The errors and warnings of a file, each with its lines and its fix. */
export function findingsInText(
  site: PageSite,
  { domain, findings: found, history, most }: FileView,
): SafeHtml {
  const { url, counts, findings, total, bytes } = found;
  const read = url === undefined ? '' : html` at ${outward(url)}`;
  const size = bytes === undefined ? '' : `, ${amountText(bytes, 'byte')}`;
  const shown = findings.slice(0, most);
  const check = html`<a href="${site.root}/validate?domain=${encodeURIComponent(domain)}">Validate it now</a>`;
  if (total === 0)
    return html`<p>${url === undefined ? 'No file was read.' : html`No errors or warnings in the file${read}${size}.`} ${check}</p>`;
  return html`<p>${amountText(total, 'finding')} in the file${read}${size}. ${check} to get a corrected file.</p>
${counts ? '' : html`<p class="notice">This version is invalid and not in use. ${history.total === 0 ? 'There is no earlier valid version.' : 'The last valid version stays in use.'}</p>`}
<ol class="findings">${shown.map(finding)}</ol>
${total > shown.length ? html`<p>… and ${amountText(total - shown.length, 'more', 'more')}.</p>` : ''}`;
}

function finding(one: ShownFinding): SafeHtml {
  const { severity, code, pointer, line, message, hint, fix, did_you_mean: meant, allowed, excerpt } = one;
  const place = line === undefined ? 'Whole file' : `Line ${line}`;
  return html`<li><p>${pill(severity === 'error' ? 'bad' : 'warn', severity)} <b>${sentence(message, 300)}</b></p>
<p class="type">${place}${pointer === '' ? '' : html`, <code>${said(pointer, 120)}</code>`}, <code>${said(code, 60)}</code></p>
${excerpt === undefined || excerpt.length === 0 ? '' : html`<pre class="excerpt" tabindex="0" role="region" aria-label="The text around line ${line ?? 1}"><code>${excerpt.map(excerptLine)}</code></pre>`}
${hint === undefined && fix === undefined && meant === undefined ? '' : html`<p class="fix"><b>Fix:</b> ${hint === undefined ? '' : html`${sentence(hint, 300)} `}${fix === undefined ? '' : html`${sentence(fix, 200)} `}${meant === undefined ? '' : html`Did you mean <code>${said(meant, 200)}</code>? `}${allowed === undefined ? '' : html`Allowed values: ${names(allowed, 20)}.`}</p>`}</li>`;
}

function excerptLine({ line, text, from, to }: NonNullable<ShownFinding['excerpt']>[number]): SafeHtml {
  const number = html`<span class="number">${String(line).padStart(4)} </span>`;
  if (from === undefined || to === undefined) return html`${number}<bdi>${spaced(text)}</bdi>\n`;
  return html`${number}<bdi>${spaced(text.slice(0, from))}<mark>${spaced(text.slice(from, to)) || ' '}</mark>${spaced(text.slice(to))}</bdi>\n`;
}

/** Keeps the indentation of a line; hidden characters are removed as elsewhere. */
export function spaced(text: string): string {
  const indent = /^ {0,60}/.exec(text.replaceAll('\t', '  '))?.[0] ?? '';
  return text === '' ? '' : indent + plain(text, 240) + (/\S\s$/.test(text) ? ' ' : '');
}
