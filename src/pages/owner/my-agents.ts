import { html } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';
import { agentPath, moment, pill, plain, said, segmentOf, statusPill } from '../texts.ts';
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
  /** Of one that is proven. */
  readonly tests?: { readonly status: string; readonly isPaused: boolean; readonly nextAt: string | null };
}

export interface MyAgentsView extends Told {
  readonly agents: readonly RegisteredRow[];
  readonly next: string | null;
  /** Whether the key of the session asks for agents. */
  readonly mayAsk: boolean;
  /** What stands in the form that asks for one. */
  readonly asked: AskedFor;
}

const TOLD: Readonly<Record<string, string>> = {
  'given-up': 'The agent is given up. Nothing of it is asked for any more.',
};

/** `/my`: the agents of the member, and the form that asks for one more. */
export function myAgentsPage(
  site: PageSite,
  session: OwnerSession,
  { agents, next, mayAsk, asked, refusal, done }: MyAgentsView,
): HtmlPage {
  return ownerFrame(site, session, {
    title: 'Your agents',
    description: 'The agents that are registered to your member.',
    trail: [{ text: 'Your agents' }],
    told: { refusal, done, words: TOLD },
    content: html`<h1>Your agents</h1>
${agents.length === 0 ? html`<p class="empty">None is registered to your member, and none is pending.</p>` : html`<ul class="results" aria-label="Agents">${agents.map((one) => row(site, one))}</ul>`}
${next === null ? '' : html`<nav class="pager" aria-label="Pages"><a rel="next" href="${site.root}/my?cursor=${next}">Next page</a></nav>`}
<section aria-labelledby="ask"><h2 id="ask">Ask for an agent</h2>
${mayAsk ? askForm(site, session, asked) : html`<p>The key that you signed in with has no scope <code>agents</code>: it asks for none.</p>`}</section>`,
  });
}

function row(
  site: PageSite,
  { url, type, name, visibility, proven, pending, proof_asked_again, tests }: RegisteredRow,
) {
  const own = `${site.root}/my/agents/${segmentOf(url)}`;
  const text = said(plain(name ?? '', 100) || url, 100);
  const state = proven
    ? tests &&
      html`${statusPill(tests.status)}${tests.isPaused ? html` ${pill('warn', 'tests are paused')}` : ''}`
    : pill('warn', pending ? 'pending' : 'not proven to be yours');
  const proof = proven && !proof_asked_again ? '' : html`<p><a href="${own}/proof">Prove it</a></p>`;
  return html`<li class="result"><div class="what"><h2><a href="${proven ? own : `${own}/proof`}">${text}</a></h2>
<p class="place"><span class="kind">${plain(type, 20)}</span> <code dir="ltr">${plain(url, 100)}</code></p></div>
<div class="how"><p>${state ?? ''}${proof_asked_again ? html` ${pill('warn', 'prove it again')}` : ''}</p>
${tests === undefined ? '' : html`<p class="type">${tests.nextAt === null ? 'No test is planned' : html`Next test ${moment(tests.nextAt)}`}</p>`}${proof}<p>${visibility === 'public' ? html`<a href="${agentPath(site, url)}">As everybody sees it</a>` : 'Not in the list'}</p></div></li>`;
}

/** For an agent that is not proven to be the member's. */
export function notYoursPage(site: PageSite, session: OwnerSession, address: string): HtmlPage {
  return ownerFrame(site, session, {
    title: 'Not your agent',
    description: 'Only its proven owner looks after an agent.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: 'Not your agent' }],
    content: html`<h1>Not your agent</h1>
<p><code dir="ltr">${plain(address, 200)}</code>: there is nothing of this agent here for the member <b>${said(session.member, 63)}</b>.
Only the member that has proven to own it is answered.</p>
<p>Is it yours? <a href="${site.root}/my?url=${encodeURIComponent(plain(address, 2_000))}#ask">Ask for it</a> and prove it, or sign in with a key of the member that has proven it.</p>
<p><a href="${site.root}/my">Your agents</a></p>`,
  });
}
