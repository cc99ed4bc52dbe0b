import { html, type SafeHtml } from '@remix-run/html-template';
import { badgeTexts } from '../../domain/badge.ts';
import { scrolling } from '../files/file-parts.ts';
import type { PlacedSite } from '../layout.ts';
import { moment, pill, plain, said, segmentOf } from '../texts.ts';
import type { AgentView, BadgeMoment, ShownBadge } from './view.ts';

const MOST = 20;
/** Events of a badge, with the tone of their pill. */
export const BADGE_EVENTS: Readonly<Record<string, readonly ['good' | 'warn' | 'bad' | 'calm', string]>> = {
  earned: ['good', 'Earned'],
  grace: ['warn', 'Grace period'],
  recovered: ['good', 'Recovered'],
  changed: ['calm', 'Changed'],
  revoked: ['bad', 'Revoked'],
};

/** The badges with their embed codes, and the badge history. */
export function badges(site: PlacedSite, { agent, badgeEvents: events }: AgentView, json: string): SafeHtml {
  const { url, verified_badges: shown } = agent;
  return html`${shown.length === 0 ? html`<p>No badges. <a href="${site.root}/docs/reference/badges">How agents get a badge</a></p>` : shown.slice(0, MOST).map((badge, at) => badgeText(site, segmentOf(url), badge, isNewest(shown, at)))}
${events.length === 0 ? '' : timeline(site, url, events, `${json}/compliance/badges`)}`;
}

/** The newest line of a role comes first; pictures without a line show it. */
function isNewest(shown: readonly ShownBadge[], at: number): boolean {
  return shown.findIndex(({ role }) => role === shown[at]?.role) === at;
}

function badgeText(
  site: PlacedSite,
  agent: string,
  {
    role,
    verified_at: at,
    verified_specialisms: specialisms,
    verification_modes: modes,
    verified_protocol_version: version,
  }: ShownBadge,
  isNewestLine: boolean,
): SafeHtml {
  const name = plain(role, 40);
  const badge = { agent, role: segmentOf(name), ...(!isNewestLine && { line: segmentOf(version) }) };
  const label = isNewestLine ? name : `${name} ${plain(version, 20)}`;
  const here = badgeTexts(site.root, badge);
  const there = badgeTexts(`${site.origin}${site.root}`, badge);
  return html`<h3><a href="${here.earned}"><img src="${here.picture}" alt="${`Verified for ${label}: view the badge`}" width="320" height="24"></a></h3>
<p class="type">Verified since ${moment(at)} for protocol version ${said(version, 20)}, mode: ${modes.map((mode, n) => html`${n === 0 ? '' : ' and '}${said(mode, 20)}`)}${specialisms.length === 0 ? '' : html`. Specialisms: ${specialisms.slice(0, 12).map((one, n) => html`${n === 0 ? '' : ', '}${said(one, 60)}`)}`}</p>
<details><summary>Embed the badge for ${label}</summary>${embedCodes(there, label)}
<p class="type">The signed token proves the badge offline. <a href="${site.root}/docs/api/getAgentBadgeToken">Verify a token</a></p></details>`;
}

/** The codes that embed a badge, each selected with one click. `texts` are absolute URLs and the code around them. */
export function embedCodes(
  { html: code, markdown, picture, token }: ReturnType<typeof badgeTexts>,
  name: string,
): SafeHtml {
  const texts = [
    ['HTML', code],
    ['Markdown', markdown],
    ['Image URL', picture],
    ['Signed token URL', token],
  ] as const;
  return html`${texts.map(([what, text]) => html`<p class="label">${what}</p><pre class="wraps whole" tabindex="0" role="region" aria-label="${what}, badge for ${name}"><code>${text}</code></pre>`)}`;
}

function timeline(site: PlacedSite, url: string, events: readonly BadgeMoment[], json: string): SafeHtml {
  const rows = events.slice(0, MOST).map(({ at, kind, role, line, reason, run_id: run }) => {
    const [tone, text] = BADGE_EVENTS[kind] ?? (['calm', kind] as const);
    const link = html` <a href="${site.root}/runs/${segmentOf(url)}/${encodeURIComponent(run ?? '')}">View the run</a>`;
    const why = html`${said(reason, 300)}${run === null ? '' : link}`;
    return [moment(at), pill(tone, text), html`${said(role, 40)} ${said(line, 20)}`, why];
  });
  return html`<h3>Badge history</h3>${scrolling('Badge history', ['When', 'Change', 'Badge', 'Reason'], rows)}
<p><a href="${json}">Whole badge history (JSON)</a></p>`;
}
