import { html } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';
import { agentPath, moment, pill, plain, said, segmentOf, statusPill } from '../texts.ts';
import { type BadgeEligibility, badgeEligibility } from './badge-eligibility.ts';
import { type OwnerSession, ownerFrame, type Told } from './frame.ts';
import { type AskedFor, askForm } from './proof.ts';

/** An agent that is registered to the member. */
export interface RegisteredRow {
  readonly url: string;
  readonly type: string;
  readonly name?: string;
  readonly visibility: string;
  readonly proven: boolean;
  readonly pending: boolean;
  readonly proof_asked_again: boolean;
  /** Of one that is verified. */
  readonly tests?: { readonly status: string; readonly isPaused: boolean; readonly nextAt: string | null };
}

export interface MyAgentsView extends Told {
  readonly agents: readonly RegisteredRow[];
  readonly next: string | null;
  readonly badges: BadgeEligibility;
  /** Whether the key of the session may add agents. */
  readonly mayAsk: boolean;
  /** What was entered in the form that adds one. */
  readonly asked: AskedFor;
}

const TOLD: Readonly<Record<string, string>> = {
  'given-up': 'The agent was removed from your agents.',
};

/** `/my`: the agents of the member, and the form that adds one. */
export function myAgentsPage(
  site: PageSite,
  session: OwnerSession,
  { agents, next, badges, mayAsk, asked, refusal, done }: MyAgentsView,
): HtmlPage {
  return ownerFrame(site, session, {
    title: 'Your agents',
    description: 'The agents of your organisation.',
    trail: [{ text: 'Your agents' }],
    told: { refusal, done, words: TOLD },
    content: html`<h1>Your agents</h1>
${agents.length === 0 ? html`<p class="empty">No agents yet. Add your first agent below.</p>` : html`<ul class="results" aria-label="Agents">${agents.map((one) => row(site, one))}</ul>`}
${next === null ? '' : html`<nav class="pager" aria-label="Pages"><a rel="next" href="${site.root}/my?cursor=${next}">Next page</a></nav>`}
<section aria-labelledby="badges"><h2 id="badges">Badges</h2>${badgeEligibility(badges)}</section>
<section aria-labelledby="ask"><h2 id="ask">Add an agent</h2>
${mayAsk ? askForm(site, session, asked) : html`<p>Your API key cannot add agents: it lacks the scope <code>agents</code>. <a href="${site.root}/sign-in?why=other">Sign in with another key</a>.</p>`}</section>`,
  });
}

function row(
  site: PageSite,
  { url, type, name, visibility, proven, proof_asked_again, tests }: RegisteredRow,
) {
  const own = `${site.root}/my/agents/${segmentOf(url)}`;
  const text = said(plain(name ?? '', 100) || url, 100);
  const state = proven
    ? tests &&
      html`${statusPill(tests.status)}${tests.isPaused ? html` ${pill('warn', 'Tests paused')}` : ''}`
    : pill('warn', 'Pending verification');
  const verify = proven && !proof_asked_again ? '' : html`<p><a href="${own}/proof">Verify</a></p>`;
  const listed =
    visibility === 'public'
      ? html`<p><a href="${agentPath(site, url)}">Public page</a></p>`
      : proven
        ? html`<p class="type">Listed after the first successful probe</p>`
        : '';
  return html`<li class="result"><div class="what"><h2><a href="${own}">${text}</a></h2>
<p class="place"><span class="kind">${plain(type, 20)}</span> <code dir="ltr">${plain(url, 100)}</code></p></div>
<div class="how"><p>${state ?? ''}${proof_asked_again ? html` ${pill('warn', 'Verify again')}` : ''}</p>
${tests === undefined ? '' : html`<p class="type">${tests.nextAt === null ? 'No scheduled test' : html`Next test: ${moment(tests.nextAt)}`}</p>`}${verify}${listed}</div></li>`;
}

/** For an agent of the member whose domain is not verified yet. */
export function pendingPage(
  site: PageSite,
  session: OwnerSession,
  { url, name = '' }: Pick<RegisteredRow, 'url' | 'name'>,
): HtmlPage {
  const title = plain(name, 100) || plain(url, 100);
  return ownerFrame(site, session, {
    title: 'Pending verification',
    description: 'An agent whose owner is not verified yet.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: title }],
    content: html`<h1>${said(title, 100)}</h1>
<p class="place"><code dir="ltr">${plain(url, 200)}</code></p>
<p class="pills">${pill('warn', 'Pending verification')}</p>
<p>Verify that you control the domain of this agent. Until then the registry runs no tests, and the details that you entered are not published.</p>
<p><a href="${site.root}/my/agents/${segmentOf(url)}/proof">Verify this agent</a></p>
<p><a href="${site.root}/my">Your agents</a></p>`,
  });
}

/** For an agent that neither belongs to the member nor is pending for it. */
export function notYoursPage(site: PageSite, session: OwnerSession, address: string): HtmlPage {
  return ownerFrame(site, session, {
    title: 'Not your agent',
    description: 'Only the verified owner can manage an agent.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: 'Not your agent' }],
    content: html`<h1>Not your agent</h1>
<p><code dir="ltr">${plain(address, 200)}</code> is not an agent of the member <b>${said(session.member, 63)}</b>. Only the verified owner can manage an agent.</p>
<p>If it is yours, <a href="${site.root}/my?url=${encodeURIComponent(plain(address, 2_000))}#ask">add the agent</a> and verify it, or sign in with an API key of the member that owns it.</p>
<p><a href="${site.root}/my">Your agents</a></p>`,
  });
}
