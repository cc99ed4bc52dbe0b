import { html, type SafeHtml } from '@remix-run/html-template';
import { isObject } from '../../base/json.ts';
import type { HtmlPage, PageSite } from '../layout.ts';
import { hasProtocolSection, protocolSection } from '../protocol-lines.ts';
import { agentPath, moment, pill, plain, said, segmentOf, statusPill } from '../texts.ts';
import { badgeEligibility } from './badge-eligibility.ts';
import { credentialForms } from './credential.ts';
import { failedStepList } from './failed-steps.ts';
import { type OwnerSession, ownerFrame, postForm, type Told } from './frame.ts';
import { closedNotice, inconclusiveNotice } from './inconclusive.ts';
import { runTable } from './runs.ts';
import { settingsForms } from './settings.ts';
import { statementForms } from './statement.ts';
import type { AuditRow, OwnerView } from './view.ts';

/** The message for each result that a form redirects back with. */
const TOLD = {
  said: 'Published. Everyone sees your statement beside the results.',
  unsaid: 'The statement was deleted.',
  proven:
    'Verified: the agent is yours. Store a credential if the agent requires one, then run the first test.',
  yours: 'This agent is already yours. Nothing was changed.',
  settings: 'Saved.',
  unchanged: 'Nothing was changed: the setting already had this value.',
  stored: 'Credential stored. It is encrypted and never shown again.',
  forgotten: 'Credential deleted.',
  'token-received': 'The token endpoint issued a token. The registry discarded it.',
} as const;

/** `/my/agents/{encodedUrl}`: an agent for its owner. `refusal` says why a form was refused; `done` what one did. */
export function myAgentPage(
  site: PageSite,
  session: OwnerSession,
  view: OwnerView,
  { done, refusal }: Told,
): HtmlPage {
  const { url, status, settings, protocol } = view;
  const name = plain(view.name, 100) || plain(url, 100);
  const own = `/my/agents/${segmentOf(url)}`;
  return ownerFrame(site, session, {
    title: `Manage ${name}`,
    description: 'Tests, badges, settings and the test credential of an agent, for its owner.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: name }],
    told: { refusal, done, words: TOLD },
    content: html`<h1>${said(name, 100)}</h1>
<p class="place"><code dir="ltr">${plain(url, 200)}</code> <a href="${agentPath(site, url)}">Public page</a></p>
<p class="pills">${statusPill(settings.compliance_opt_out ? 'opted_out' : status)} ${settings.monitoring_paused ? pill('warn', 'Tests paused') : ''} ${pill('calm', settings.lifecycle_stage)}</p>
<p>Owner verified ${moment(settings.proven_at)}${settings.prove_again_by === undefined ? '' : html`. <b><a href="${site.root}${own}/proof">Verify again</a> by ${moment(settings.prove_again_by)}, or you lose ownership.</b>`}</p>
${closedNotice(view.closed)}<nav aria-label="On this page"><ul class="groups"><li><a href="#runs">Tests</a></li><li><a href="#failed">Failed steps</a></li>${protocol && hasProtocolSection(protocol) ? html`<li><a href="#protocol">Protocol versions</a></li>` : ''}<li><a href="#badges">Badges</a></li><li><a href="#credential">Credential</a></li><li><a href="#settings">Settings</a></li><li><a href="#wrong">Dispute result</a></li><li><a href="#audit">Audit log</a></li></ul></nav>
<section aria-labelledby="runs"><h2 id="runs">Tests</h2>${tests(site, session, own, view)}</section>
<section aria-labelledby="failed"><h2 id="failed">Failed steps of the latest test</h2>${failedSteps(view)}</section>
${protocol === undefined ? '' : protocolSection(site, protocol)}
<section aria-labelledby="badges"><h2 id="badges">Badges</h2>${badges(site, view)}</section>
<section aria-labelledby="credential"><h2 id="credential">Test credential</h2>${credentialForms(site, session, own, view.credential)}</section>
<section aria-labelledby="settings"><h2 id="settings">Settings</h2>${settingsForms(site, session, own, settings)}</section>
<section aria-labelledby="wrong"><h2 id="wrong">Dispute result</h2>${statementForms(site, session, own, view)}</section>
<section aria-labelledby="audit"><h2 id="audit">Audit log</h2>${auditLog(site, own, view)}</section>`,
  });
}

/** An inconclusive test hides neither that it is inconclusive nor what the test before it found. */
function failedSteps({ url, failed, inconclusive }: OwnerView): SafeHtml {
  if (inconclusive === undefined) return failedStepList(url, failed);
  return html`${inconclusiveNotice(inconclusive)}${failed.run_id === null ? '' : html`<h3>Latest test with a result</h3>${failedStepList(url, failed)}`}`;
}

function tests(site: PageSite, session: OwnerSession, own: string, view: OwnerView): SafeHtml {
  const { asked, runs, nextRunAt, credential, isFirst, settings } = view;
  const credentialText = credential?.stored ? ', with the stored credential' : '';
  return html`<p>A test calls the tasks of this agent at its own URL${credentialText}. Steps that change data run only against a sandbox, and the test cancels what it created. By starting a test you consent to this one test. Limit: one test per 10 minutes.</p>
${isFirst && asked === undefined && credential?.stored === false ? html`<p>If the agent requires a credential, <a href="#credential">store it</a> before the first test.</p>` : ''}
${asked === undefined ? testNow(site, session, own, view) : html`<p class="notice">A test is ${asked.state === 'running' ? 'running' : 'queued'}. <a href="${site.root}${own}/runs/${segmentOf(asked.run_id)}">Watch the test</a></p>`}
<p class="type">${nextRunAt === null ? 'Scheduled tests: off.' : html`Scheduled tests: on. ${isFirst ? 'First' : 'Next'} test: ${moment(nextRunAt)}.`}</p>
${runTable(`${site.root}${own}`, runs, settings.compliance_opt_out)}`;
}

/** The button stays while it has to wait, so that no reload is needed when the time is over. */
function testNow(
  site: PageSite,
  session: OwnerSession,
  own: string,
  { isFirst, runAgainAt }: OwnerView,
): SafeHtml {
  const form = { action: `${own}/run`, button: isFirst ? 'Run first test' : 'Run test' };
  if (runAgainAt === undefined) return postForm(site, session, form);
  return html`<div class="actions">${postForm(site, session, { ...form, tone: 'quiet' })} <span class="type">Available again ${moment(runAgainAt)}.</span></div>`;
}

function badges(site: PageSite, { url, badges: held, eligibility, settings }: OwnerView): SafeHtml {
  const page = (role: string) => `${site.root}/badges/${segmentOf(url)}/${segmentOf(role)}`;
  const why = settings.compliance_opt_out
    ? 'The agent is opted out of tests, so it holds no badge.'
    : 'No badge yet. An agent earns a badge for a role when every specialism that it declares for that role passes.';
  return html`${badgeEligibility(eligibility)}
${
  held.length === 0
    ? html`<p>${why}</p>`
    : html`<ul class="places">${held.map(
        ({ role, line, grace_since: grace }) =>
          html`<li><a href="${page(role)}">${said(role, 40)} ${said(line, 20)}</a>${grace === null ? html` ${pill('good', 'Verified')}` : html` ${pill('warn', 'Grace period')}`} <a href="${page(role)}#embed">Embed this badge<span class="unseen"> (${role} ${line})</span></a></li>`,
      )}</ul>`
}`;
}

function auditLog(site: PageSite, own: string, { audit, auditNext }: OwnerView): SafeHtml {
  const older =
    auditNext === null
      ? ''
      : html`<nav class="pager" aria-label="Pages of the audit log"><a rel="next" href="${site.root}${own}?audit=${auditNext}#audit">Older entries</a></nav>`;
  if (audit.length === 0) return html`<p class="empty">No entries yet.</p>${older}`;
  return html`<p>Changes to this agent and accesses to its test evidence, by your API keys and by the operator, newest first.</p>
<div class="scrolls" tabindex="0" role="region" aria-label="Audit log"><table class="stacks">
<thead><tr><th scope="col">Date</th><th scope="col">Actor</th><th scope="col">Action</th><th scope="col">Changes</th></tr></thead>
<tbody>${audit.map(
    ({ at, actor, action, changes }) =>
      html`<tr><th scope="row">${moment(at)}</th><td data-label="Actor"><code>${said(actor, 60)}</code></td><td data-label="Action"><code>${said(action, 40)}</code></td><td data-label="Changes">${changesOf(changes)}</td></tr>`,
  )}</tbody></table></div>${older}`;
}

function changesOf(changes: AuditRow['changes']): SafeHtml {
  const entries = Object.entries(changes);
  if (entries.length === 0) return html`–`;
  return html`${entries.map(([name, value]) => html`<p>${said(wordsOf(name), 40)}: ${said(valueText(value), 200)}</p>`)}`;
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

/** The audit log says `kept` of a credential that was stored or deleted. */
function wordsOf(name: string): string {
  if (name === 'kept') return 'credential stored';
  return name.replaceAll('_', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
