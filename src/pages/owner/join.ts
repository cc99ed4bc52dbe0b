import { html } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';

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
