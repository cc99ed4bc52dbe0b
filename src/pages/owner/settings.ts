import { html, type SafeHtml } from '@remix-run/html-template';
import { INTERVAL_HOURS, LIFECYCLE_STAGES } from '../../domain/compliance.ts';
import type { PageSite } from '../layout.ts';
import { type OwnerSession, postForm } from './frame.ts';
import type { OwnerView } from './view.ts';

type TestSetup = NonNullable<OwnerView['settings']['test_setup']>;

const BUYER_FIELDS = [
  {
    ...{ id: 'operator', name: 'test_setup.operator', label: 'Operator', most: 253 },
    about: 'A domain, such as desk.example.',
    value: ({ operator }: TestSetup) => operator,
  },
  {
    ...{ id: 'brand', name: 'test_setup.brand.domain', label: 'Brand', most: 253 },
    about: 'A domain, such as kayaks.example.',
    value: ({ brand }: TestSetup) => brand?.domain,
  },
  {
    ...{ id: 'account', name: 'test_setup.account.account_id', label: 'Account id', most: 255 },
    about: 'The id of a test account at your agent, such as acc_1. Never name a real account.',
    value: ({ account }: TestSetup) => account?.account_id,
  },
] as const;

/** One form for each decision; the names of the fields are those of the operation. */
export function settingsForms(
  site: PageSite,
  session: OwnerSession,
  own: string,
  settings: OwnerView['settings'],
): SafeHtml {
  const action = `${own}/settings`;
  const { monitoring_paused: paused, compliance_opt_out: isOut, check_interval_hours: hours } = settings;
  const { min, max } = INTERVAL_HOURS;
  return html`<p>Scheduled tests: ${paused ? 'paused. You can still run a test yourself.' : `on, every ${hours} hours.`}</p>
${postForm(site, session, { action, button: paused ? 'Resume scheduled tests' : 'Pause scheduled tests', values: { monitoring_paused: String(!paused) }, tone: 'quiet' })}
${postForm(site, session, {
  action,
  button: 'Save interval',
  tone: 'quiet',
  fields: html`<div class="field"><label for="hours">Hours between scheduled tests</label><p id="hours-about">From ${min} to ${max}.</p>
<input id="hours" name="check_interval_hours" type="number" min="${min}" max="${max}" step="1" required value="${hours}" aria-describedby="hours-about"></div>`,
})}
${postForm(site, session, {
  action,
  button: 'Save stage',
  tone: 'quiet',
  fields: html`<div class="field"><label for="stage">Lifecycle stage</label><p id="stage-about">Scheduled tests run in the stages testing and production.</p>
<select id="stage" name="lifecycle_stage" aria-describedby="stage-about">${LIFECYCLE_STAGES.map(
    (stage) => html`<option${stage === settings.lifecycle_stage ? html` selected` : ''}>${stage}</option>`,
  )}</select></div>`,
})}
${postForm(site, session, {
  action,
  button: 'Save target',
  tone: 'quiet',
  fields: html`<div class="field"><label for="target">Storyboard version</label><p id="target-about">The version or label that the agent is tested with, such as 3.1 or stable. Leave it empty to use the versions that the agent declares.</p>
<input id="target" name="compliance_target" maxlength="64" pattern="[A-Za-z0-9][A-Za-z0-9.\\-]*" autocomplete="off" value="${settings.compliance_target ?? ''}" aria-describedby="target-about"></div>`,
})}
${postForm(site, session, {
  action,
  button: 'Save test buyer',
  tone: 'quiet',
  fields: html`<p>Tests use the buyer of this registry. If your agent only accepts a buyer or a test account that it knows, name it here. It is used for tests of this agent only.</p>
${BUYER_FIELDS.map(
  ({ id, name, label, about, most, value }) =>
    html`<div class="field"><label for="${id}">${label}</label><p id="${id}-about">${about}</p>
<input id="${id}" name="${name}" maxlength="${most}" autocomplete="off" value="${value(settings.test_setup ?? {}) ?? ''}" aria-describedby="${id}-about"></div>`,
)}`,
})}
${
  isOut
    ? html`<p>The agent is opted out of tests: no results are shown, and it holds no badge.</p>
${postForm(site, session, { action, button: 'Opt in to tests', values: { compliance_opt_out: 'false' }, tone: 'quiet' })}`
    : optOut(site, session, action)
}`;
}

/** Needs a confirmation, since opting in again does not bring badges back. */
function optOut(site: PageSite, session: OwnerSession, action: string): SafeHtml {
  return html`<details><summary>Opt out of tests</summary>
<p>The registry stops all tests and hides all results. The agent loses its badges at once and must earn them again if you opt in later.</p>
${postForm(site, session, { action, button: 'Opt out of tests', values: { compliance_opt_out: 'true' } })}</details>`;
}
