import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';
import { moment, plain, said } from '../texts.ts';
import {
  type BadgeEligibility,
  type BadgeTiers,
  badgeEligibility,
  whoEarnsBadges,
} from './badge-eligibility.ts';

/** What was entered in the form, and why it was refused. */
export interface JoinForm {
  readonly invitation: string;
  readonly slug?: string;
  readonly displayName?: string;
  readonly domain?: string;
  readonly problem?: string;
  /** The owner of a domain can join without an invitation of the operator. */
  readonly isByDomain: boolean;
  readonly badges: BadgeTiers;
}

const WORDS = {
  title: 'Join',
  description: 'Join this registry with an invitation and get an API key.',
  trail: [{ text: 'Agents', path: '/' }, { text: 'Join' }],
};

/** `/join`: takes an invitation, and the names of a new member. */
export function joinPage(site: PageSite, form: JoinForm): HtmlPage {
  const { problem, isByDomain, domain = '', badges } = form;
  return {
    ...WORDS,
    content: html`<h1>Join this registry</h1>
${problem === undefined ? '' : html`<p class="notice" role="alert">Nothing was changed: ${said(problem, 600)}.</p>`}
<p>Members add their agents, verify that they own them, schedule tests and manage API keys.</p>
${isByDomain ? byDomain(site, domain) : ''}
<section aria-labelledby="invited"><h2 id="invited">Join with an invitation</h2>
<p>${isByDomain ? 'Use the invitation for your domain, or one from the operator.' : 'The operator of this registry sends you a link that contains the invitation.'} It works once.</p>
${invitationForm(site, form)}</section>
<section aria-labelledby="badges"><h2 id="badges">Who can earn badges</h2>${whoEarnsBadges(badges)}</section>`,
  };
}

function byDomain(site: PageSite, domain: string): SafeHtml {
  return html`<section aria-labelledby="by-domain"><h2 id="by-domain">Join with your domain</h2>
<p>You get a text to publish on your domain, and an invitation that works while the text is published.</p>
<form method="post" action="${site.root}/join/domain" class="change">
<div class="field"><label for="domain">Domain</label><p id="domain-about">The registered domain without a subdomain, for example news.example.</p>
<input id="domain" name="domain" required autocomplete="off" spellcheck="false" maxlength="253" value="${plain(domain, 253)}" aria-describedby="domain-about"></div>
<button>Get the verification text</button></form></section>`;
}

function invitationForm(
  site: PageSite,
  { invitation, slug = '', displayName = '' }: Pick<JoinForm, 'invitation' | 'slug' | 'displayName'>,
): SafeHtml {
  return html`<form method="post" action="${site.root}/join" class="change">
<div class="field"><label for="invitation">Invitation</label><input id="invitation" name="invitation" required autocomplete="off" spellcheck="false" maxlength="400" value="${invitation}"></div>
<div class="field"><label for="display_name">Name of your organisation</label><p id="name-about">Shown publicly beside your agents. Leave both names empty if joining an existing organisation.</p>
<input id="display_name" name="display_name" maxlength="200" autocomplete="organization" aria-describedby="name-about" value="${displayName}"></div>
<div class="field"><label for="slug">Short name</label><p id="slug-about">Used in URLs and commands: lower case letters, digits and hyphens. The registry adds the prefix <code>joined-</code>: acme becomes joined-acme.</p>
<input id="slug" name="slug" maxlength="63" pattern="[a-z0-9][a-z0-9\\-]*" autocomplete="off" spellcheck="false" aria-describedby="slug-about" value="${slug}"></div>
<button>Join</button></form>`;
}

/** The invitation of a domain, and the text to publish there. */
export interface InvitedDomain {
  readonly invitation: string;
  readonly domain: string;
  readonly token: string;
  readonly expires_at: string;
  readonly file_url: string;
  readonly dns_name: string | null;
}

/** Behind `/join/domain`: what to publish, and the form to send afterwards. */
export function domainPage(site: PageSite, invited: InvitedDomain): HtmlPage {
  const { invitation, domain, token, expires_at, file_url, dns_name } = invited;
  return {
    ...WORDS,
    content: html`<h1>Verify ${said(domain, 253)}</h1>
<section aria-labelledby="publish"><h2 id="publish">1. Publish this text</h2>
<pre class="wraps whole" tabindex="0" role="region" aria-label="The text to publish"><code>${token}</code></pre>
<p>Publish it as a line of its own in <b>one</b> of these places. It expires ${moment(expires_at)}.</p>
<dl class="facts"><div><dt>A file</dt><dd><code>${said(file_url, 400)}</code></dd></div>${dns_name === null ? '' : html`<div><dt>Or a TXT record</dt><dd><code>${said(dns_name, 300)}</code></dd></div>`}</dl></section>
<section aria-labelledby="join"><h2 id="join">2. Join</h2>
<p>Send this form after you have published the text. Keep the invitation secret: anyone who has it can join in your place. The text itself is not secret.</p>
${invitationForm(site, { invitation })}</section>`,
  };
}

/** The key of a new member, this once. */
export function joinedPage(
  site: PageSite,
  { member, key }: { readonly member: string; readonly key: string },
  badges: BadgeEligibility | undefined,
): HtmlPage {
  return {
    ...WORDS,
    content: html`<h1>You are a member</h1>
<p>This is the API key of <b>${member}</b>. Store it now: it is shown only once.</p>
<pre tabindex="0" role="region" aria-label="The API key"><code>${key}</code></pre>
<p>Next: <a href="${site.root}/sign-in?why=other">sign in with this key</a> and add your first agent, or use the API: <code>POST /api/me/agents</code> (<a href="${site.root}/docs/guides/agent-owner">guide</a>).</p>
${badges === undefined ? '' : html`<h2>Badges</h2>${badgeEligibility(badges)}`}`,
  };
}
