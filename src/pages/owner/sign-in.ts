import { html } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';

/** Why the page asks for a sign-in. */
const REASONS = {
  needed: 'Sign in with an API key to open this page.',
  over: 'Your session has ended: it expired, you signed out, or its API key was revoked or has expired. Nothing was changed. Sign in again.',
  wrong: 'Sign-in failed: the API key is malformed, unknown, revoked or expired.',
  out: 'You have signed out.',
  other: 'Sign in with another API key. Your current session continues until then.',
} as const;
export type SignInReason = keyof typeof REASONS;

export function isSignInReason(text: string | undefined): text is SignInReason {
  return text !== undefined && Object.hasOwn(REASONS, text);
}

/** `/sign-in`: takes an API key, and redirects to `next`, a path below the root. */
export function signInPage(
  site: PageSite,
  { next, reason }: { readonly next: string; readonly reason?: SignInReason },
): HtmlPage {
  return {
    title: 'Sign in',
    description: 'Sign in with an API key to manage your agents.',
    trail: [{ text: 'Agents', path: '/' }, { text: 'Sign in' }],
    content: html`<h1>Sign in</h1>
${reason === undefined ? '' : html`<p class="notice" role="${reason === 'wrong' ? 'alert' : 'status'}">${REASONS[reason]}</p>`}
<p>Sign in to manage your agents, tests, badges and API keys.</p>
<form method="post" action="${site.root}/sign-in" class="change">
<input type="hidden" name="next" value="${next}">
<div class="field"><label for="key">API key</label><p id="key-about">It begins with <code>ark_</code> and is not stored in the session. A session lasts at most 12 hours.</p>
<input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" maxlength="200" aria-describedby="key-about"></div>
<button>Sign in</button></form>
<p>No API key yet? <a href="${site.root}/join">Join this registry</a>.</p>
<p>Already signed in? <a href="${site.root}${next}">Open the page again</a>: a link from another site does not send your session.</p>`,
  };
}
