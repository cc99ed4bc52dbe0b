import { html, type SafeHtml } from '@remix-run/html-template';
import { agentList, type ListedAgent } from './directory/result.ts';
import { type DomainPageKind, domainLink } from './files/file-parts.ts';
import type { HtmlPage, PageSite } from './layout.ts';
import { amountText, plain, said } from './texts.ts';

/** What a text names; the agents with their words, the domains with what is known of them. */
export interface LookUpView {
  readonly asked: string;
  readonly agents: readonly ListedAgent[];
  readonly brands: readonly FoundDomain[];
  readonly publishers: readonly FoundDomain[];
}

interface FoundDomain {
  readonly domain: string;
  readonly about: string;
}

/** `/look-up`: everything that a name finds, or what to try instead. */
export function lookUpPage(site: PageSite, { asked, agents, brands, publishers }: LookUpView): HtmlPage {
  const count = agents.length + brands.length + publishers.length;
  const title = count === 0 ? `No results for “${plain(asked, 100)}”` : `Results for “${plain(asked, 100)}”`;
  return {
    title,
    description: 'Agents, brands and publishers by name.',
    trail: [{ text: 'Agents', path: '/' }, { text: 'Look up' }],
    content: html`<h1>${count === 0 ? 'No results for' : 'Results for'} “${said(asked, 100)}”</h1>
${count === 0 ? nothing(site, asked) : html`<p class="found" id="found">${amountText(count, 'result')}</p>`}
${agents.length === 0 ? '' : agentList(site, agents)}
${domains(site, 'brands', 'Brands', brands)}${domains(site, 'publishers', 'Publishers', publishers)}`,
  };
}

function domains(
  site: PageSite,
  kind: DomainPageKind,
  title: string,
  all: readonly FoundDomain[],
): SafeHtml | string {
  if (all.length === 0) return '';
  return html`<h2>${title}</h2><ul class="places">${all.map(({ domain, about }) => html`<li>${domainLink(site, kind, domain)}${about === '' ? '' : html` <span class="type">${said(about, 120)}</span>`}</li>`)}</ul>`;
}

function nothing({ root }: PageSite, asked: string): SafeHtml {
  return html`<p>No agent, brand or publisher has this name.</p>
<ul><li>Enter a whole domain, such as <code>news.example</code>, or the URL of an agent. If it is not in the registry yet, you can crawl it.</li>
<li><a href="${root}/?q=${encodeURIComponent(plain(asked, 200))}">Search agents by what they do</a></li></ul>`;
}
