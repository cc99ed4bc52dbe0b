import { html, type SafeHtml } from '@remix-run/html-template';
import { INTERVAL_HOURS, LIFECYCLE_STAGES } from '../../domain/compliance.ts';
import type { PageSite } from '../layout.ts';
import { type OwnerSession, postForm } from './frame.ts';
import type { OwnerView } from './view.ts';

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
