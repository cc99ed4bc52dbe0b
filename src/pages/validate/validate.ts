import { html, type SafeHtml } from '@remix-run/html-template';
import { onThisPage } from '../files/file-parts.ts';
import type { HtmlPage, PageSite, PlacedSite } from '../layout.ts';
import { amountText, moment, outward, pill, said, sameAsJson, sentence } from '../texts.ts';
import { buyersTable } from './buyers.ts';
import { filePanels, otherFindings } from './panels.ts';
import type { ValidateView } from './view.ts';

/** What stands in the form, and why it was not answered. */
interface ValidateForm {
  readonly domain?: string;
  /** Who publishes the text. */
  readonly publisher?: string;
  readonly text?: string;
  /** One sentence without its full stop. */
  readonly refused?: string;
}

/** The most that is sent at once, in words. */
export const MOST_SENT = '512 KB';

/** The form, with what was found below it, or why nothing was looked for. */
export function validatePage(site: PlacedSite, form: ValidateForm, view?: ValidateView): HtmlPage {
  return {
    title: view === undefined ? 'Check a file' : `${view.report.kind}.json ${verdict(view)}`,
    description:
      'Check an adagents.json or a brand.json: what is wrong, how to fix it, what buyers will see.',
    trail: [{ text: 'Validate', path: '/validate' }],
    script: 'validate.js',
    content: html`<h1>Check a file</h1>
<p class="lead">Is your <code>adagents.json</code> or <code>brand.json</code> right, and what will buyers read in it?</p>
${form.refused === undefined ? '' : html`<p class="notice" role="alert">${sentence(form.refused, 400)}</p>`}
${view === undefined ? forms(site, form) : result(site, view)}
${view === undefined ? '' : html`<h2 id="again">Check again</h2>${forms(site, form)}`}`,
  };
}

function forms({ root }: PageSite, { domain = '', publisher = '', text = '' }: ValidateForm): SafeHtml {
  return html`<form class="search" method="get" action="${root}/validate">
<div class="words"><label for="domain">The file of a domain</label><input id="domain" name="domain" value="${domain}" placeholder="news.example" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="300" required></div>
<button>Fetch and check</button></form>
<form class="paste" method="post" action="${root}/validate" enctype="multipart/form-data" data-drop>
<label for="text">Or the text of a file</label>
<textarea id="text" name="text" rows="10" spellcheck="false" autocomplete="off" aria-describedby="bounds">
${text}</textarea>
<div class="search"><div><label for="file">Or a file, which can be dropped above</label><input id="file" name="file" type="file" accept=".json,application/json,text/plain"></div>
<div><label for="for">Who publishes it, if that is known</label><input id="for" name="for" value="${publisher}" placeholder="news.example" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="300"></div></div>
<p class="type" id="bounds" data-bound>At most ${MOST_SENT}. Nothing of it is kept.</p>
<div class="actions"><button name="answer" value="page">Check</button><button class="second" name="answer" value="file">Get the corrected file</button></div></form>`;
}

function verdict({ report: { variant, verdict: words } }: ValidateView): string {
  return variant === undefined ? 'cannot be read' : `is ${words}`;
}

/** The file with its findings may be long. */
const PARTS = [
  ['given', 'The file'],
  ['buyers', 'What buyers will see'],
  ['again', 'Check again'],
] as const;

function result(site: PlacedSite, view: ValidateView): SafeHtml {
  const { report, domain, at, most } = view;
  const errors = report.findings.filter(({ severity }) => severity === 'error').length;
  const warnings = report.findings.length - errors;
  const hasFile = (report.excerpt?.given.length ?? 0) > 0;
  return html`<section aria-labelledby="verdict"><h2 id="verdict">${domain === undefined ? '' : html`${said(domain, 100)}: `}<code>${report.kind}.json</code> ${verdict(view)}</h2>
<p class="pills">${report.valid ? pill('good', 'valid') : pill('bad', 'not valid')} ${errors === 0 ? '' : pill('bad', amountText(errors, 'error'))} ${warnings === 0 ? '' : pill('warn', amountText(warnings, 'warning'))} ${pill('calm', amountText(report.agents.length, 'agent'))} <span class="type">read ${moment(at)}</span></p>
${report.trail.length === 0 ? '' : html`<ol class="places">${report.trail.map(({ url, status, error }) => html`<li><b>${status ?? said(error ?? 'no answer', 60)}</b> <code>${outward(url)}</code></li>`)}</ol>`}
${report.isCut ? html`<p class="type">There is more than is shown here.</p>` : ''}${hasFile ? onThisPage(PARTS) : ''}</section>
${otherFindings(view)}
${filePanels(view)}
<section aria-labelledby="buyers"><h2 id="buyers">What buyers will see</h2>${buyersTable(view)}</section>
${domain === undefined ? '' : sameAsJson(site, `${site.root}/api/public/validate-publisher?domain=${encodeURIComponent(domain)}`)}
${most === 0 ? html`<p class="type">The rest is in the JSON, and in <code>agent-registry validate</code>.</p>` : ''}`;
}
