import { html, type SafeHtml } from '@remix-run/html-template';
import { badgeTexts } from '../../domain/badge.ts';
import { scrolling } from '../files/file-parts.ts';
import type { PlacedSite } from '../layout.ts';
import { moment, pill, plain, said, segmentOf } from '../texts.ts';
import type { AgentView, BadgeMoment, ShownBadge } from './view.ts';

const MOST = 20;
const KINDS: Readonly<Record<string, readonly ['good' | 'warn' | 'bad' | 'calm', string]>> = {
  earned: ['good', 'earned'],
  grace: ['warn', 'in grace'],
  recovered: ['good', 'recovered'],
  changed: ['calm', 'changed'],
  revoked: ['bad', 'revoked'],
};

/** Each badge as it looks, how another page shows it, and why each one came and went. */
export function badges(site: PlacedSite, { agent, badgeEvents: events }: AgentView, json: string): SafeHtml {
  const { url, verified_badges: shown } = agent;
  return html`${shown.length === 0 ? html`<p>It holds none.</p>` : shown.slice(0, MOST).map((badge) => badgeText(site, segmentOf(url), badge))}
${events.length === 0 ? '' : timeline(site, url, events, `${json}/compliance/badges`)}`;
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
): SafeHtml {
  const name = plain(role, 40);
  const badge = { agent, role: segmentOf(name) };
  const here = badgeTexts(site.root, badge);
  const there = badgeTexts(`${site.origin}${site.root}`, badge);
  return html`<h3><a href="${here.earned}"><img src="${here.picture}" alt="${`Badge: verified for ${name}; the run that earned it`}" width="320" height="24"></a></h3>
<p class="type">Since ${moment(at)}, version ${said(version, 20)} of the protocol, by ${modes.map((mode, n) => html`${n === 0 ? '' : ' and '}${said(mode, 20)}`)}${specialisms.length === 0 ? '' : html`: ${specialisms.slice(0, 12).map((one, n) => html`${n === 0 ? '' : ', '}${said(one, 60)}`)}`}</p>
<details><summary>Show the badge for ${name} elsewhere</summary>${copied('HTML', name, there.html)}${copied('Markdown', name, there.markdown)}${copied('Address of the picture', name, there.picture)}${copied('Address of the signed token', name, there.token)}
<p class="type">The token says the same as the badge. <a href="${site.root}/docs/api/getAgentBadgeToken">How to verify it</a></p></details>`;
}

/** A text that one click selects as a whole. */
function copied(what: string, name: string, text: string): SafeHtml {
  return html`<p class="label">${what}</p><pre class="wraps whole" tabindex="0" role="region" aria-label="${what}, badge for ${name}"><code>${text}</code></pre>`;
}

function timeline(site: PlacedSite, url: string, events: readonly BadgeMoment[], json: string): SafeHtml {
  const rows = events.slice(0, MOST).map(({ at, kind, role, line, reason, run_id: run }) => {
    const [tone, text] = KINDS[kind] ?? (['calm', kind] as const);
    const link = html` <a href="${site.root}/runs/${segmentOf(url)}/${encodeURIComponent(run ?? '')}">The run</a>`;
    const why = html`${said(reason, 300)}${run === null ? '' : link}`;
    return [moment(at), pill(tone, text), html`${said(role, 40)} ${said(line, 20)}`, why];
  });
  return html`<h3>How they came and went</h3>${scrolling('How the badges came and went', ['When', 'What', 'Badge', 'Why'], rows)}
<p><a href="${json}">The whole timeline as JSON</a></p>`;
}
