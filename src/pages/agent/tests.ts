import { html, type SafeHtml } from '@remix-run/html-template';
import type { ComplianceSummary } from '../../domain/compliance.ts';
import type { PageSite } from '../layout.ts';
import { amountText, moment, pill, plain, said, segmentOf } from '../texts.ts';
import type { FullAgent, ShownBadge } from './view.ts';

const TONES: Readonly<Record<string, 'good' | 'warn' | 'bad'>> = {
  pass: 'good',
  partial: 'warn',
  fail: 'bad',
};
const MOST = 20;

/** How it does, track by track, in the run that its status is of. */
export function testsByTrack(compliance: ComplianceSummary | undefined, json: string): SafeHtml {
  if (compliance === undefined || compliance.status === 'opted_out')
    return html`<p>Its owner takes it out of tests.</p>`;
  const {
    track_details: tracks,
    headline,
    last_checked_at: at,
    streak_days: streak,
    proto_version: version,
  } = compliance;
  if (at === null)
    return html`<p>It was never tested. An owner who proves the agent has it tested regularly.</p>`;
  return html`${headline === null ? '' : html`<p>${said(headline, 300)}</p>`}
<p class="type">Tested ${moment(at)}${version === null ? '' : html`, version ${said(version, 20)} of the protocol`}${streak > 0 ? `, passing for ${amountText(streak, 'day')}` : ''}. <a href="${json}">More as JSON</a></p>
<div class="scrolls" tabindex="0" role="region" aria-label="Tests by track"><table><thead><tr><th scope="col">Track</th><th scope="col">Result</th><th scope="col">Passed</th><th scope="col">Took</th></tr></thead>
<tbody>${tracks
    .slice(0, MOST)
    .map(
      ({
        track,
        status,
        scenario_count: all,
        passed_count: passed,
        duration_ms: ms,
        has_coverage_gap_skip: hasGap,
      }) =>
        html`<tr><th scope="row">${said(track, 60)}</th><td>${pill(TONES[status] ?? 'calm', status)}${hasGap ? html` <span class="must">some could not run</span>` : ''}</td><td>${passed} of ${all}</td><td>${(ms / 1_000).toFixed(1)} s</td></tr>`,
    )}</tbody></table></div>`;
}

/** Each badge as it looks, and how another page shows it. */
export function badges(site: PageSite, { url, verified_badges: shown }: FullAgent, json: string): SafeHtml {
  if (shown.length === 0) return html`<p>It holds none.</p>`;
  return html`${shown.slice(0, MOST).map((badge) => badgeText(badge, json, `${site.root}/badges/${segmentOf(url)}/${segmentOf(badge.role)}`))}`;
}

function badgeText(
  {
    role,
    verified_at: at,
    verified_specialisms: specialisms,
    verification_modes: modes,
    verified_protocol_version: version,
  }: ShownBadge,
  json: string,
  earned: string,
): SafeHtml {
  const path = `${json}/badge/${segmentOf(role)}`;
  return html`<h3><a href="${earned}"><img src="${path}.svg" alt="${`Badge: verified for ${plain(role, 40)}; the run that earned it`}" width="320" height="24"></a></h3>
<p class="type">Since ${moment(at)}, version ${said(version, 20)} of the protocol, by ${modes.map((mode, n) => html`${n === 0 ? '' : ' and '}${said(mode, 20)}`)}${specialisms.length === 0 ? '' : html`: ${specialisms.slice(0, 12).map((one, n) => html`${n === 0 ? '' : ', '}${said(one, 60)}`)}`}</p>
<details><summary>Show it on your page</summary><pre class="wraps" tabindex="0" role="region" aria-label="HTML of the badge for ${plain(role, 40)}"><code>&lt;img src=&quot;<span data-origin>https://this-registry</span>${path}.svg&quot; alt=&quot;Agent Registry: ${plain(role, 40)}&quot; width=&quot;320&quot; height=&quot;24&quot;&gt;</code></pre>
<p><a href="${path}/embed">HTML and Markdown as JSON</a> · <a href="${json}/compliance/badges">Timeline as JSON</a></p></details>`;
}
