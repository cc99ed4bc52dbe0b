import { html, type SafeHtml } from '@remix-run/html-template';
import { INTERVAL_HOURS, LIFECYCLE_STAGES } from '../../domain/compliance.ts';
import type { PageSite } from '../layout.ts';
import { moment } from '../texts.ts';
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
  return html`<p>${paused ? 'Tests are paused: none comes by the clock.' : 'Tests come by the clock.'}</p>
${postForm(site, session, { action, button: paused ? 'Resume tests' : 'Pause tests', values: { monitoring_paused: String(!paused) }, tone: 'quiet' })}
${postForm(site, session, {
  action,
  button: 'Set the interval',
  tone: 'quiet',
  fields: html`<div class="field"><label for="hours">Hours between tests</label><p id="hours-about">From ${min} to ${max}.</p>
<input id="hours" name="check_interval_hours" type="number" min="${min}" max="${max}" step="1" required value="${hours}" aria-describedby="hours-about"></div>`,
})}
${postForm(site, session, {
  action,
  button: 'Set the stage',
  tone: 'quiet',
  fields: html`<div class="field"><label for="stage">Stage</label><p id="stage-about">Tests come by the clock in testing and production.</p>
<select id="stage" name="lifecycle_stage" aria-describedby="stage-about">${LIFECYCLE_STAGES.map(
    (stage) => html`<option${stage === settings.lifecycle_stage ? html` selected` : ''}>${stage}</option>`,
  )}</select></div>`,
})}
${
  isOut
    ? html`<p>It takes no part in tests. Nothing of them is shown, and it holds no badge.</p>
${postForm(site, session, { action, button: 'Take part in tests again', values: { compliance_opt_out: 'false' }, tone: 'quiet' })}`
    : takeOut(site, session, action)
}`;
}

/** Asked once more, since badges do not come back by taking part again. */
function takeOut(site: PageSite, session: OwnerSession, action: string): SafeHtml {
  return html`<details><summary>Take it out of tests</summary>
<p>Nobody sees results of it any more. It loses its badges at once, and earns them anew if it takes part again.</p>
${postForm(site, session, { action, button: 'Yes, take it out', values: { compliance_opt_out: 'true' } })}</details>`;
}

/** What is stored, by its kind. */
const KINDS: Readonly<Record<'bearer' | 'oauth_client_credentials', string>> = {
  bearer: 'A bearer token',
  oauth_client_credentials: 'An OAuth client, which gets a token for each test (client credentials),',
};

export function credentialForm(
  site: PageSite,
  session: OwnerSession,
  own: string,
  credential: OwnerView['credential'],
): SafeHtml {
  if (credential === undefined)
    return html`<p>This registry stores no test credentials: its operator has set no keys to seal them with.</p>`;
  const { stored, kind, set_at: at, unused_reason: unused } = credential;
  return html`<p>${stored ? html`${KINDS[kind ?? 'bearer']} is stored since ${moment(at)}.${unused === undefined ? '' : ' It is not used: the agent is called over http, which would show it to the network.'}` : 'None is stored. Tests call the agent without one, and are inconclusive when it requires one.'}</p>
${postForm(site, session, {
  action: `${own}/credential`,
  button: stored ? 'Replace it' : 'Store it',
  fields: html`<div class="field"><label for="token">Bearer token</label><p id="token-about">It is sealed, sent to the agent alone, and never shown again.</p>
<input id="token" name="token" type="password" required autocomplete="off" spellcheck="false" maxlength="4096" aria-describedby="token-about"></div>`,
})}
${stored ? postForm(site, session, { action: `${own}/forget-credential`, button: 'Forget it', tone: 'quiet' }) : ''}`;
}
