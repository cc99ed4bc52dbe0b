import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';
import { said } from '../texts.ts';

/** Who is signed in, and what proves the forms of this page. */
export interface OwnerSession {
  readonly member: string;
  readonly keyId: string;
  /** A field for one form. */
  token(): string;
}

/** The pages of an owner, in a page that says who is signed in. */
export function ownerFrame(
  site: PageSite,
  session: OwnerSession,
  page: HtmlPage & { readonly told?: SafeHtml },
): HtmlPage {
  const { told, content, trail, ...others } = page;
  return {
    ...others,
    isOwners: true,
    trail: [{ text: 'Agents', path: '/' }, ...trail],
    content: html`<div class="actions who"><p>Signed in as <b>${said(session.member, 63)}</b> with <code>${said(session.keyId, 40)}</code></p>
<nav aria-label="Yours"><a href="${site.root}/my">Your agents</a> <a href="${site.root}/my/keys">API keys</a></nav>
${postForm(site, session, { action: '/my/sign-out', button: 'Sign out', tone: 'quiet' })}</div>
${told === undefined ? '' : html`<div class="notice" role="status">${told}</div>`}
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

/** A form that changes something: it carries a token that is good for this session and once. */
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
