import { html, type SafeHtml } from '@remix-run/html-template';
import { onThisPage } from '../files/file-parts.ts';
import type { HtmlPage, PageSite, PlacedSite } from '../layout.ts';
import { amountText, moment, outward, pill, said, sameAsJson, sentence } from '../texts.ts';
import { buyersTable } from './buyers.ts';
import { correctedFile, findingList, numberedFile } from './panels.ts';
import type { ValidateView } from './view.ts';

/** What the form shows, and why a request was refused. */
interface ValidateForm {
  readonly domain?: string;
  /** The domain that publishes the text. */
  readonly publisher?: string;
  readonly text?: string;
  /** One sentence without its full stop. */
  readonly refused?: string;
}

/** The largest request, in words. */
export const MOST_SENT = '512 KB';

/** The editor, with the findings beside it, or why the file was not checked. */
export function validatePage(site: PlacedSite, form: ValidateForm, view?: ValidateView): HtmlPage {
  return {
    title: view === undefined ? 'Validate a file' : `${view.report.kind}.json ${verdict(view)}`,
    description:
      'Validate an adagents.json or a brand.json: errors with their lines, fixes, and the agents that buyers find.',
    trail: [{ text: 'Validate', path: '/validate' }],
    script: 'validate.js',
    content: html`<h1>Validate adagents.json or brand.json</h1>
${form.refused === undefined ? '' : html`<p class="notice" role="alert">${sentence(form.refused, 400)}</p>`}
${view === undefined ? editor(site, form) : result(site, form, view)}
${published(site, form)}`,
  };
}

/** First on the page. Without script it is a textarea and a file field. */
function editor({ root }: PageSite, { publisher = '', text = '' }: ValidateForm): SafeHtml {
  return html`<form class="paste" method="post" action="${root}/validate" enctype="multipart/form-data" data-drop>
<label for="text">Paste the file</label>
<div class="editor"><textarea id="text" name="text" rows="18" spellcheck="false" autocomplete="off" autocapitalize="none" aria-describedby="bounds">
${text}</textarea></div>
<div class="search"><div><label for="file">Upload or drop a file</label><input id="file" name="file" type="file" accept=".json,application/json,text/plain"></div>
<div><label for="for">Domain of the publisher (optional)</label><input id="for" name="for" value="${publisher}" placeholder="news.example" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="300"></div></div>
<p class="type" id="bounds" data-bound>At most ${MOST_SENT}. The file is not stored.</p>
<div class="actions"><button name="answer" value="page">Validate</button><button class="second" name="answer" value="file">Download corrected file</button></div></form>`;
}

function published({ root }: PageSite, { domain = '' }: ValidateForm): SafeHtml {
  return html`<section aria-labelledby="published"><h2 id="published">Validate a published file</h2>
<form class="search" method="get" action="${root}/validate">
<div class="words"><label for="domain">Domain</label><input id="domain" name="domain" value="${domain}" placeholder="news.example" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="300" required></div>
<button>Fetch and validate</button></form></section>`;
}

function verdict({ report: { variant, verdict: words } }: ValidateView): string {
  return variant === undefined ? 'cannot be read' : `is ${words}`;
}

function result(site: PlacedSite, form: ValidateForm, view: ValidateView): SafeHtml {
  const { report, domain, at, most } = view;
  const errors = report.findings.filter(({ severity }) => severity === 'error').length;
  const warnings = report.findings.length - errors;
  const parts = [
    ['found', 'Findings'] as const,
    ...((report.excerpt?.fixed.length ?? 0) > 0 ? [['fixed', 'Corrected file'] as const] : []),
    ['buyers', 'Authorized agents'] as const,
    ['published', 'Validate a published file'] as const,
  ];
  return html`<section aria-labelledby="verdict"><h2 id="verdict">${domain === undefined ? '' : html`${said(domain, 100)}: `}<code>${report.kind}.json</code> ${verdict(view)}</h2>
<p class="pills">${report.valid ? pill('good', 'valid') : pill('bad', 'not valid')} ${errors === 0 ? '' : pill('bad', amountText(errors, 'error'))} ${warnings === 0 ? '' : pill('warn', amountText(warnings, 'warning'))} <span class="type">checked ${moment(at)}</span></p>
${report.trail.length === 0 ? '' : html`<ol class="places">${report.trail.map(({ url, status, error }) => html`<li><b>${status ?? said(error ?? 'no answer', 60)}</b> <code>${outward(url)}</code></li>`)}</ol>`}
${report.isCut ? html`<p class="type">The report is too long for this page, so it is truncated.</p>` : ''}${onThisPage(parts)}</section>
<div class="panels"><section aria-label="Editor">${editor(site, form)}</section>
${findingList(view)}</div>
${numberedFile(view, (form.text ?? '') === '')}
${correctedFile(view)}
<section aria-labelledby="buyers"><h2 id="buyers">Authorized agents</h2>${buyersTable(view)}</section>
${domain === undefined ? '' : sameAsJson(site, `${site.root}/api/public/validate-publisher?domain=${encodeURIComponent(domain)}`)}
${most === 0 ? html`<p class="type">The API and <code>agent-registry validate</code> show the rest.</p>` : ''}`;
}
