import { html, type SafeHtml } from '@remix-run/html-template';
import { isObject } from '../../base/json.ts';
import type { HtmlPage, PageSite } from '../layout.ts';
import { agentPath, moment, pill, plain, said, segmentOf, statusPill } from '../texts.ts';
import { failedStepList } from './failed-steps.ts';
import { type OwnerSession, ownerFrame, postForm, type Told } from './frame.ts';
import { closedNotice } from './inconclusive.ts';
import { runTable } from './runs.ts';
import { credentialForm, settingsForms } from './settings.ts';
import { statementForms } from './statement.ts';
import type { AuditRow, OwnerView } from './view.ts';

/** What was done, or was not: the words for what a form leads back with. */
const TOLD = {
  said: 'Everybody sees what you say, beside the results.',
  unsaid: 'Your statement is taken back.',
  proven: 'The text was found: the agent is yours. Its first test is due.',
  yours: 'It is yours already; nothing was changed.',
  settings: 'Changed.',
  unchanged: 'It was so already; nothing was changed.',
  stored: 'The credential is stored. It is sent to the agent alone, and never shown.',
  forgotten: 'The credential is forgotten.',
} as const;

/** `/my/agents/{encodedUrl}`: an agent for its owner. `refusal` says why a form was not taken; `done` what one did. */
export function myAgentPage(
  site: PageSite,
  session: OwnerSession,
  view: OwnerView,
  { done, refusal }: Told,
): HtmlPage {
  const { url, status, asked, runs, failed, audit, nextRunAt, settings } = view;
  const name = plain(view.name, 100) || plain(url, 100);
  const own = `/my/agents/${segmentOf(url)}`;
  return ownerFrame(site, session, {
    title: `${name}, for its owner`,
    description: 'Tests, settings and the test credential of an agent, for its owner.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: name }],
    told: { refusal, done, words: TOLD },
    content: html`<h1>${said(name, 100)}</h1>
<p class="place"><code dir="ltr">${plain(url, 200)}</code> <a href="${agentPath(site, url)}">As everybody sees it</a></p>
<p class="pills">${statusPill(settings.compliance_opt_out ? 'opted_out' : status)} ${settings.monitoring_paused ? pill('warn', 'tests are paused') : ''} ${pill('calm', settings.lifecycle_stage)}</p>
<p>Proven to be yours since ${moment(settings.proven_at)}${settings.prove_again_by === undefined ? '' : html`. <b><a href="${site.root}${own}/proof">Prove it again</a> by ${moment(settings.prove_again_by)}.</b>`}</p>
${closedNotice(view.closed)}<nav aria-label="On this page"><ul class="groups"><li><a href="#runs">Tests</a></li><li><a href="#failed">What failed</a></li><li><a href="#wrong">This verdict is wrong</a></li><li><a href="#settings">Settings</a></li><li><a href="#credential">Credential</a></li><li><a href="#audit">Who changed what</a></li></ul></nav>
<section aria-labelledby="runs"><h2 id="runs">Tests</h2>
<p>A test calls the tasks of this agent, at its own address and nowhere else${view.credential?.stored ? ', with the credential that you stored' : ''}. What changes something is sent to a sandbox alone, and
cancelled at the end. You agree to that for this one test. There are 10 minutes between two.</p>
${asked === undefined ? testNow(site, session, own, view.runAgainAt) : html`<p class="notice">A test is ${asked.state === 'running' ? 'running' : 'waiting for its turn'}. <a href="${site.root}${own}/runs/${segmentOf(asked.run_id)}">Watch it</a></p>`}
<p class="type">${nextRunAt === null ? 'No test is planned by the clock.' : html`The next test by the clock is planned for ${moment(nextRunAt)}.`}</p>
${runTable(`${site.root}${own}`, runs)}</section>
<section aria-labelledby="failed"><h2 id="failed">What failed in the last test that counts</h2>${failedStepList(url, failed)}</section>
<section aria-labelledby="wrong"><h2 id="wrong">This verdict is wrong</h2>${statementForms(site, session, own, view)}</section>
<section aria-labelledby="settings"><h2 id="settings">Settings</h2>${settingsForms(site, session, own, settings)}</section>
<section aria-labelledby="credential"><h2 id="credential">Test credential</h2>${credentialForm(site, session, own, view.credential)}</section>
<section aria-labelledby="audit"><h2 id="audit">Who changed what</h2>${auditTable(audit)}</section>`,
  });
}

/** The button stays one while it has to wait: nobody reloads a page to see whether a time is over. */
function testNow(site: PageSite, session: OwnerSession, own: string, againAt: string | undefined): SafeHtml {
  const form = { action: `${own}/run`, button: 'Test it now' };
  if (againAt === undefined) return postForm(site, session, form);
  return html`<div class="actions">${postForm(site, session, { ...form, tone: 'quiet' })} <span class="type">It may be asked for again from ${moment(againAt)}.</span></div>`;
}

function auditTable(entries: readonly AuditRow[]): SafeHtml {
  if (entries.length === 0) return html`<p>Nothing yet.</p>`;
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="Who changed what"><table class="stacks">
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">Changes</th></tr></thead>
<tbody>${entries.map(
    ({ at, actor, action, changes }) =>
      html`<tr><th scope="row">${moment(at)}</th><td data-label="Who"><code>${said(actor, 60)}</code></td><td data-label="What"><code>${said(action, 40)}</code></td><td data-label="Changes">${Object.entries(changes).map(([name, value]) => html`<p>${said(wordsOf(name), 40)}: ${said(valueText(value), 200)}</p>`)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** Of a setting or a record, in words: `check interval hours 12`. */
function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null) return 'none';
  if (!isObject(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  return Object.entries(value)
    .map(([name, inner]) => `${wordsOf(name)} ${valueText(inner)}`)
    .join(', ');
}

function wordsOf(name: string): string {
  return name.replaceAll('_', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
