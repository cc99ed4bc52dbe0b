import { html } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';

/** Why somebody is asked to sign in. */
const REASONS = {
  needed: 'This page is for owners. Sign in with an API key of your member.',
  over: 'Your session is over: it was ended, its time is up, or its key was revoked or has ended. Nothing was changed. Sign in again.',
  wrong:
    'This is no API key that can be used: it is malformed, unknown, revoked or expired. Nobody is signed in.',
  out: 'You are signed out.',
  other: 'Sign in with another API key. Until then you stay who you are.',
} as const;
export type SignInReason = keyof typeof REASONS;

export function isSignInReason(text: string | undefined): text is SignInReason {
  return text !== undefined && Object.hasOwn(REASONS, text);
}

/** `/sign-in`: takes an API key, and leads to `next`, a path below the root. */
export function signInPage(
  site: PageSite,
  { next, reason }: { readonly next: string; readonly reason?: SignInReason },
): HtmlPage {
  return {
    title: 'Sign in',
    description: 'Owners sign in with an API key to look after their agents.',
    trail: [{ text: 'Agents', path: '/' }, { text: 'Sign in' }],
    content: html`<h1>Sign in</h1>
${reason === undefined ? '' : html`<p class="notice" role="${reason === 'wrong' ? 'alert' : 'status'}">${REASONS[reason]}</p>`}
<p>For members whose agents are registered here. Whoever becomes a member is given its first API key; a member makes the others here.</p>
<form method="post" action="${site.root}/sign-in" class="change">
<input type="hidden" name="next" value="${next}">
<div class="field"><label for="key">API key</label><p id="key-about">It begins with <code>ark_</code>. It is read once and kept nowhere. The session lasts 12 hours at most.</p>
<input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" maxlength="200" aria-describedby="key-about"></div>
<button>Sign in</button></form>
<p>No key yet? <a href="${site.root}/join">Become a member</a>.</p>
<p>Signed in already? <a href="${site.root}${next}">Open the page again</a>: a link of another site does not carry your session.</p>`,
  };
}
