import { html } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';

/** Why somebody is asked to sign in. */
const REASONS = {
  needed: 'This page is for owners. Sign in with an API key of your member.',
  over: 'Your session is over: it was ended, its time is up, or its key was revoked or has ended. Nothing was changed. Sign in again.',
  wrong:
    'This is no API key that can be used: it is malformed, unknown, revoked or expired. Nobody is signed in.',
  out: 'You are signed out.',
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
<p>For members whose agents are registered here. The operator of this registry makes the first API key of a member; a member makes the others here.</p>
<form method="post" action="${site.root}/sign-in" class="change">
<input type="hidden" name="next" value="${next}">
<div class="field"><label for="key">API key</label><p id="key-about">It begins with <code>ark_</code>. It is read once and kept nowhere. The session lasts 12 hours at most.</p>
<input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" maxlength="200" aria-describedby="key-about"></div>
<button>Sign in</button></form>
<p>Signed in already? <a href="${site.root}${next}">Open the page again</a>: a link of another site does not carry your session.</p>`,
  };
}

/** What stood in the form that could not be taken, and why. */
export interface JoinForm {
  readonly invitation: string;
  readonly slug?: string;
  readonly displayName?: string;
  readonly problem?: string;
}

/** `/join`: takes an invitation, and the names of a new member. */
export function joinPage(
  site: PageSite,
  { invitation, slug = '', displayName = '', problem }: JoinForm,
): HtmlPage {
  return {
    ...WORDS,
    content: html`<h1>Become a member</h1>
${problem === undefined ? '' : html`<p class="notice" role="alert">Nothing was changed: ${problem}.</p>`}
<p>The operator of this registry gives you a link with an invitation. It is good once. Members ask for agents, prove that they own them, and look after them.</p>
<form method="post" action="${site.root}/join" class="change">
<div class="field"><label for="invitation">Invitation</label><input id="invitation" name="invitation" required autocomplete="off" spellcheck="false" maxlength="100" value="${invitation}"></div>
<div class="field"><label for="display_name">Name of your organisation</label><p id="name-about">As everybody sees it beside your agents. Leave both names empty when the invitation is for a member that is there.</p>
<input id="display_name" name="display_name" maxlength="200" autocomplete="organization" aria-describedby="name-about" value="${displayName}"></div>
<div class="field"><label for="slug">Short name</label><p id="slug-about">For addresses and commands: lower case letters, digits and hyphens.</p>
<input id="slug" name="slug" maxlength="63" pattern="[a-z0-9][a-z0-9\\-]*" autocomplete="off" spellcheck="false" aria-describedby="slug-about" value="${slug}"></div>
<button>Become a member</button></form>`,
  };
}

/** The key of a new member, this once. */
export function joinedPage(
  site: PageSite,
  { member, key }: { readonly member: string; readonly key: string },
): HtmlPage {
  return {
    ...WORDS,
    content: html`<h1>You are a member</h1>
<p>This is the API key of <b>${member}</b>. It is shown this once, and nobody keeps it: store it now.</p>
<pre tabindex="0"><code>${key}</code></pre>
<p><a href="${site.root}/sign-in">Sign in with it</a>, or ask for an agent: <code>POST /api/me/agents</code> (<a href="${site.root}/docs/guides/agent-owner">guide</a>).</p>`,
  };
}

const WORDS = {
  title: 'Become a member',
  description: 'Whoever is invited becomes a member and gets an API key.',
  trail: [{ text: 'Agents', path: '/' }, { text: 'Become a member' }],
};
