import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';
import { moment, plain, said } from '../texts.ts';

/** What stood in the form that could not be taken, and why. */
export interface JoinForm {
  readonly invitation: string;
  readonly slug?: string;
  readonly displayName?: string;
  readonly domain?: string;
  readonly problem?: string;
  /** Whoever proves a domain may join, too. */
  readonly isByDomain: boolean;
}

const WORDS = {
  title: 'Become a member',
  description: 'Whoever is invited becomes a member and gets an API key.',
  trail: [{ text: 'Agents', path: '/' }, { text: 'Become a member' }],
};

/** `/join`: takes an invitation, and the names of a new member. */
export function joinPage(site: PageSite, form: JoinForm): HtmlPage {
  const { problem, isByDomain, domain = '' } = form;
  return {
    ...WORDS,
    content: html`<h1>Become a member</h1>
${problem === undefined ? '' : html`<p class="notice" role="alert">Nothing was changed: ${said(problem, 600)}.</p>`}
<p>Members ask for agents, prove that they own them, and look after them.</p>
${isByDomain ? byDomain(site, domain) : ''}
<section aria-labelledby="invited"><h2 id="invited">With an invitation</h2>
<p>${isByDomain ? 'It is the one of your domain, or that of the operator.' : 'The operator of this registry gives you a link with it.'} It is good once.</p>
${invitationForm(site, form)}</section>`,
  };
}

function byDomain(site: PageSite, domain: string): SafeHtml {
  return html`<section aria-labelledby="by-domain"><h2 id="by-domain">With a domain of yours</h2>
<p>You are given a text to publish there, and an invitation that is good while it stands there.</p>
<form method="post" action="${site.root}/join/domain" class="change">
<div class="field"><label for="domain">Domain</label><p id="domain-about">As it was registered: news.example, without a host before it.</p>
<input id="domain" name="domain" required autocomplete="off" spellcheck="false" maxlength="253" value="${plain(domain, 253)}" aria-describedby="domain-about"></div>
<button>Get the text</button></form></section>`;
}

function invitationForm(site: PageSite, { invitation, slug = '', displayName = '' }: JoinForm): SafeHtml {
  return html`<form method="post" action="${site.root}/join" class="change">
<div class="field"><label for="invitation">Invitation</label><input id="invitation" name="invitation" required autocomplete="off" spellcheck="false" maxlength="400" value="${invitation}"></div>
<div class="field"><label for="display_name">Name of your organisation</label><p id="name-about">As everybody sees it beside your agents. Leave both names empty when the invitation is for a member that is there.</p>
<input id="display_name" name="display_name" maxlength="200" autocomplete="organization" aria-describedby="name-about" value="${displayName}"></div>
<div class="field"><label for="slug">Short name</label><p id="slug-about">For addresses and commands: lower case letters, digits and hyphens. Yours begins with <code>joined-</code>: acme becomes joined-acme.</p>
<input id="slug" name="slug" maxlength="63" pattern="[a-z0-9][a-z0-9\\-]*" autocomplete="off" spellcheck="false" aria-describedby="slug-about" value="${slug}"></div>
<button>Become a member</button></form>`;
}

/** The invitation of a domain, and the text that has to stand there. */
export interface InvitedDomain {
  readonly invitation: string;
  readonly domain: string;
  readonly token: string;
  readonly expires_at: string;
  readonly file_url: string;
  readonly dns_name: string | null;
}

/** Behind `/join/domain`: what to publish, and the form to send when it stands there. */
export function domainPage(site: PageSite, invited: InvitedDomain): HtmlPage {
  const { invitation, domain, token, expires_at, file_url, dns_name } = invited;
  return {
    ...WORDS,
    content: html`<h1>Prove that ${said(domain, 253)} is yours</h1>
<section aria-labelledby="publish"><h2 id="publish">1. Publish this text</h2>
<pre class="wraps whole" tabindex="0" role="region" aria-label="The text to publish"><code>${token}</code></pre>
<p>Until ${moment(expires_at)}, as a line of its own, in <b>one</b> place:</p>
<dl class="facts"><div><dt>A file</dt><dd><code>${said(file_url, 400)}</code></dd></div>${dns_name === null ? '' : html`<div><dt>Or a TXT record</dt><dd><code>${said(dns_name, 300)}</code></dd></div>`}</dl></section>
<section aria-labelledby="join"><h2 id="join">2. Join</h2>
<p>Keep the invitation to yourself: whoever has it joins in your place. The text is no secret. Come back to this form when it stands there.</p>
${invitationForm(site, { invitation, isByDomain: true })}</section>`,
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
<p><a href="${site.root}/sign-in?why=other">Sign in with it</a>, or ask for an agent: <code>POST /api/me/agents</code> (<a href="${site.root}/docs/guides/agent-owner">guide</a>).</p>`,
  };
}
