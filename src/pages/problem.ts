import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from './layout.ts';
import { said, sentence } from './texts.ts';

/** Why a page cannot be shown. */
export interface PageProblem {
  readonly status: number;
  /** A few words, lower case. */
  readonly title: string;
  /** One sentence, lower case, without a full stop. */
  readonly detail: string;
  /** The operator finds it in the log by this id. */
  readonly requestId?: string;
  /** Seconds until a retry can succeed. */
  readonly retryAfter?: number;
}

/** The error page of the site. */
export function problemPage(site: PageSite, problem: PageProblem): HtmlPage {
  const { title, detail, requestId } = problem;
  const name = `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
  return {
    title: name,
    description: `${name}.`,
    trail: [{ text: 'Agents', path: '/' }, { text: name }],
    content: html`<h1>${name}</h1>
<p class="notice" role="alert">${sentence(withoutWait(detail), 400)}</p>
<p>${whatToDo(site, problem)}</p>
${requestId === undefined ? '' : html`<p class="type">Request id, for the operator: <code>${said(requestId, 60)}</code></p>`}`,
  };
}

function whatToDo(site: PageSite, { status, retryAfter }: PageProblem): SafeHtml {
  const all = html`<a href="${site.root}/">All agents</a>`;
  if (retryAfter !== undefined) return html`Try again ${waitText(retryAfter)}. ${all}`;
  if (status === 403)
    return html`<a href="${site.root}/sign-in?why=other">Sign in with another key</a>, or ask the operator for one.`;
  if (status === 404) return html`Check the URL, or search the directory. ${all}`;
  return status >= 500 ? html`Try again in a minute. ${all}` : html`Go back and correct the request. ${all}`;
}

/** The wait is in the next paragraph. */
export function withoutWait(detail: string): string {
  return detail.replace(/; try again in \d+ s$/, '');
}

function waitText(seconds: number): string {
  if (seconds < 120) return `in ${seconds === 1 ? '1 second' : `${seconds} seconds`}`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `in ${minutes} minutes` : `in ${Math.ceil(minutes / 60)} hours`;
}
