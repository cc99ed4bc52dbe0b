import { html, type SafeHtml } from '@remix-run/html-template';
import { badgeTexts } from '../domain/badge.ts';
import { BADGE_EVENTS, embedCodes } from './agent/badges.ts';
import { fact, scrolling } from './files/file-parts.ts';
import type { HtmlPage, PlacedSite } from './layout.ts';
import { agentPath, moment, pill, plain, said, sameAsJson, segmentOf } from './texts.ts';

/** The public data of a badge of an agent for a role; times are RFC 3339. */
export interface BadgeView {
  readonly agent: string;
  readonly role: string;
  /** The active badge; the newest line if there are several. Absent if no badge is active. */
  readonly badge?: {
    readonly line: string;
    readonly verified_at: string;
    readonly grace_since: string | null;
    readonly axes: readonly string[];
    readonly specialisms: readonly string[];
  };
  /** Of this role, newest first. */
  readonly events: readonly BadgeMoment[];
}

interface BadgeMoment {
  readonly at: string;
  readonly kind: string;
  readonly line: string;
  readonly reason: string;
  readonly run_id: string | null;
}

const AXES: Readonly<Record<string, string>> = {
  spec: 'spec: all storyboards of the declared specialisms passed',
  live: 'live: in production, online and passing for the last 7 days',
};

/** `/badges/{encodedUrl}/{role}`: the page that an embedded badge links to. */
export function badgePage(site: PlacedSite, view: BadgeView): HtmlPage {
  const { agent, role, badge, events } = view;
  const segment = segmentOf(agent);
  const here = badgeTexts(site.root, { agent: segment, role });
  const json = `${site.root}/api/registry/agents/${segment}/compliance/badges`;
  return {
    title: `${role} badge of ${plain(agent, 100)}`,
    description: `The ${role} badge of one agent: what is verified, since when, and its history.`,
    trail: [
      { text: 'Agents', path: '/' },
      { text: plain(agent, 80), path: `/agents/${segment}` },
      { text: `Badge: ${role}` },
    ],
    content: html`<h1>Badge: ${role}</h1>
<p class="place"><a href="${agentPath(site, agent)}">${said(agent, 160)}</a></p>
<p><img src="${here.picture}" alt="${badge === undefined ? `Badge: not verified for ${role}` : `Badge: verified for ${role}`}" width="320" height="24"></p>
${badge === undefined ? html`<p class="pills">${pill('calm', 'Not verified')}</p><p>This agent has no active badge for this role. The badge history below says why.</p>` : verified(badge)}
<section aria-labelledby="history"><h2 id="history">Badge history</h2>${history(site, segment, events)}</section>
<section aria-labelledby="embed"><h2 id="embed">Embed this badge</h2>${embed(site, segment, role)}</section>
${sameAsJson(site, json)}`,
  };
}

function verified({
  line,
  verified_at: at,
  grace_since: grace,
  axes,
  specialisms,
}: NonNullable<BadgeView['badge']>): SafeHtml {
  return html`<p class="pills">${pill('good', 'Verified')}${grace === null ? '' : html` ${pill('warn', 'Grace period')}`}</p>
${grace === null ? '' : html`<p class="notice">A test failed on ${moment(grace)}. The badge is revoked by the first failing test 48 hours or more after that, unless a test passes before.</p>`}
<dl class="facts">${fact('Verified since', moment(at))}${fact('Protocol', said(line, 20))}${fact('Verification', html`${axes.map((axis, at) => html`${at === 0 ? '' : html`<br>`}${AXES[axis] ?? said(axis, 20)}`)}`)}${fact('Specialisms', html`${specialisms.slice(0, 24).map((one, at) => html`${at === 0 ? '' : ', '}${said(one, 60)}`)}`)}</dl>`;
}

function history(site: PlacedSite, agent: string, events: readonly BadgeMoment[]): SafeHtml {
  if (events.length === 0) return html`<p class="empty">No events yet.</p>`;
  const rows = events.map(({ at, kind, line, reason, run_id: run }) => {
    const [tone, text] = BADGE_EVENTS[kind] ?? (['calm', kind] as const);
    const report =
      run === null
        ? '–'
        : html`<a href="${site.root}/runs/${agent}/${encodeURIComponent(run)}" aria-label="Full report of the test on ${at.slice(0, 10)}">Full report</a>`;
    return [moment(at), pill(tone, text), said(line, 20), said(reason, 300), report];
  });
  return scrolling('Badge history', ['Date', 'Event', 'Protocol', 'Reason', 'Test'], rows);
}

function embed(site: PlacedSite, agent: string, role: string): SafeHtml {
  const texts = badgeTexts(`${site.origin}${site.root}`, { agent, role });
  return html`<p>Copy one of these into your page or README. The image always shows the current state; browsers may cache it for five minutes.</p>
${embedCodes(texts, role)}
<p class="type">The signed token (JWS) contains the same facts and can be verified offline. <a href="${site.root}/docs/api/getAgentBadgeToken">Verify the token</a></p>`;
}
