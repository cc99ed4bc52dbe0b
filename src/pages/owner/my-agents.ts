import { html } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';
import { agentPath, pill, plain, said, segmentOf } from '../texts.ts';
import { type OwnerSession, ownerFrame } from './frame.ts';

/** An agent that is registered to the member. */
export interface RegisteredRow {
  readonly url: string;
  readonly type: string;
  readonly name?: string;
  readonly visibility: string;
  readonly proven: boolean;
  readonly proof_asked_again: boolean;
}

/** `/my`: the agents of the member. */
export function myAgentsPage(
  site: PageSite,
  session: OwnerSession,
  { agents, next }: { readonly agents: readonly RegisteredRow[]; readonly next: string | null },
): HtmlPage {
  return ownerFrame(site, session, {
    title: 'Your agents',
    description: 'The agents that are registered to your member.',
    trail: [{ text: 'Your agents' }],
    content: html`<h1>Your agents</h1>
${agents.length === 0 ? html`<p class="empty">None is registered to your member. The operator registers agents, and proves whose they are.</p>` : html`<ul class="results" aria-label="Agents">${agents.map((one) => row(site, one))}</ul>`}
${next === null ? '' : html`<nav class="pager" aria-label="Pages"><a rel="next" href="${site.root}/my?cursor=${next}">Next page</a></nav>`}`,
  });
}

function row(site: PageSite, { url, type, name, visibility, proven, proof_asked_again }: RegisteredRow) {
  const own = `${site.root}/my/agents/${segmentOf(url)}`;
  const text = said(plain(name ?? '', 100) || url, 100);
  return html`<li class="result"><div class="what"><h2>${proven ? html`<a href="${own}">${text}</a>` : text}</h2>
<p class="place"><span class="kind">${plain(type, 20)}</span> <code dir="ltr">${plain(url, 100)}</code></p></div>
<div class="how"><p>${proven ? pill('good', 'proven to be yours') : pill('warn', 'not proven to be yours')}${proof_asked_again ? html` ${pill('warn', 'prove it again')}` : ''}</p>
<p>${visibility === 'public' ? html`<a href="${agentPath(site, url)}">As everybody sees it</a>` : 'Not in the list'}</p></div></li>`;
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
<p>If it is yours, sign out, and sign in with a key of the member that proved it; or prove it first, through the operator.</p>
<p><a href="${site.root}/my">Your agents</a></p>`,
  });
}
