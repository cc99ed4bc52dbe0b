import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from './layout.ts';
import { said, sentence } from './texts.ts';

/** Why there is no page. */
export interface PageProblem {
  readonly status: number;
  /** A few words, lower case. */
  readonly title: string;
  /** One sentence, lower case, without a full stop. */
  readonly detail: string;
  /** Under which the operator finds it. */
  readonly requestId?: string;
  /** Seconds until it is worth while to come back. */
  readonly retryAfter?: number;
}

/** What a browser is shown in place of a page that cannot be given. */
export function problemPage(site: PageSite, problem: PageProblem): HtmlPage {
  const { title, detail, requestId } = problem;
  const name = `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
  return {
    title: name,
    description: `${name}.`,
    trail: [{ text: 'Agents', path: '/' }, { text: name }],
    content: html`<h1>${name}</h1>
<p class="notice" role="alert">${sentence(detail, 400)}</p>
<p>${whatToDo(site, problem)}</p>
${requestId === undefined ? '' : html`<p class="type">Its id for the operator: <code>${said(requestId, 60)}</code></p>`}`,
  };
}

function whatToDo(site: PageSite, { status, retryAfter }: PageProblem): SafeHtml {
  const all = html`<a href="${site.root}/">See all agents</a>`;
  if (retryAfter !== undefined)
    return html`Load this page again in ${retryAfter === 1 ? '1 second' : `${retryAfter} seconds`}. ${all}`;
  if (status === 403)
    return html`<a href="${site.root}/sign-in?why=other">Sign in with another key</a>, or ask the operator for one.`;
  if (status === 404) return html`Check the address, or search for it in the list. ${all}`;
  return status >= 500
    ? html`Load this page again in a minute. ${all}`
    : html`Go back, and try it another way. ${all}`;
}
