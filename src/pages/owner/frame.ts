import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';
import { said, sentence } from '../texts.ts';

/** Who is signed in, and the tokens of the forms of this page. */
export interface OwnerSession {
  readonly member: string;
  readonly keyId: string;
  /** A field for one form. */
  token(): string;
}

/** The result of the form that redirected here. */
export interface Told {
  /** Why it was refused. */
  readonly refusal?: string | undefined;
  /** What it did, from the query of the page. */
  readonly done?: string | undefined;
}

const AGAIN = 'This form was already sent. This page shows the current state.';

/** A page for an owner, with the member that is signed in and the result of a form; `words` has a message for each result. */
export function ownerFrame(
  site: PageSite,
  session: OwnerSession,
  page: HtmlPage & { readonly told?: Told & { readonly words: Readonly<Record<string, string>> } },
): HtmlPage {
  const { told: came, content, trail, ...others } = page;
  const words = new Map(Object.entries({ again: AGAIN, ...came?.words }));
  const told = came?.refusal ?? words.get(came?.done ?? '');
  return {
    ...others,
    isOwners: true,
    trail: [{ text: 'Agents', path: '/' }, ...trail],
    content: html`<div class="actions who"><p>Signed in as <b>${said(session.member, 63)}</b> with <code>${said(session.keyId, 40)}</code></p>
<nav aria-label="Your account"><a href="${site.root}/my">Your agents</a> <a href="${site.root}/my/keys">API keys</a> <a href="${site.root}/my/subscriptions">Subscriptions</a></nav>
${postForm(site, session, { action: '/my/sign-out', button: 'Sign out', tone: 'quiet' })}</div>
${told === undefined ? '' : html`<p class="notice" role="status">${sentence(told, 400)}</p>`}
${content}`,
  };
}

interface PostForm {
  /** Below the root. */
  readonly action: string;
  readonly button: string;
  readonly fields?: SafeHtml;
  readonly values?: Readonly<Record<string, string>>;
  readonly tone?: 'quiet';
}

/** A form that changes something. Its token is valid once, for this session. */
export function postForm(
  site: PageSite,
  session: OwnerSession,
  { action, button, fields, values = {}, tone }: PostForm,
): SafeHtml {
  return html`<form method="post" action="${site.root}${action}" class="change"><input type="hidden" name="form" value="${session.token()}">${Object.entries(
    values,
  ).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${fields ?? ''}<button${tone === undefined ? '' : html` class="${tone}"`}>${button}</button></form>`;
}
