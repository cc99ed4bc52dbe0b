import { html, type SafeHtml } from '@remix-run/html-template';
import type { PageSite } from '../layout.ts';
import { moment } from '../texts.ts';
import { type OwnerSession, postForm } from './frame.ts';
import type { OwnerView } from './view.ts';

const KINDS: Readonly<Record<'bearer' | 'oauth_client_credentials', string>> = {
  bearer: 'Stored: a bearer token or API key',
  oauth_client_credentials: 'Stored: an OAuth client (client credentials)',
};

/** What is stored, and the forms for a token and for an OAuth client; one replaces the other. */
export function credentialForms(
  site: PageSite,
  session: OwnerSession,
  own: string,
  credential: OwnerView['credential'],
): SafeHtml {
  if (credential === undefined)
    return html`<p>This registry cannot store test credentials: its operator has configured no encryption keys.</p>`;
  const { stored, kind } = credential;
  const isClient = stored && kind === 'oauth_client_credentials';
  return html`${storedText(credential)}
<p>A stored credential is encrypted and never shown again. A new one replaces it, of either kind.</p>
<h3>Bearer token or API key</h3>
${postForm(site, session, {
  action: `${own}/credential`,
  button: stored && !isClient ? 'Replace token' : 'Store token',
  fields: html`<div class="field"><label for="token">Token</label><p id="token-about">Sent to this agent only, as <code>Authorization: Bearer TOKEN</code>. Enter it without <q>Bearer</q>.</p>
<input id="token" name="token" type="password" required autocomplete="off" spellcheck="false" maxlength="4096" aria-describedby="token-about"></div>`,
})}
<details${isClient ? html` open` : ''}><summary>OAuth client credentials</summary>${oauthForm(site, session, own, isClient)}</details>
${isClient ? postForm(site, session, { action: `${own}/test-oauth-client`, button: 'Request a token now', tone: 'quiet' }) : ''}
${stored ? postForm(site, session, { action: `${own}/forget-credential`, button: 'Delete credential', tone: 'quiet' }) : ''}`;
}

function storedText({
  stored,
  kind,
  set_at: at,
  unused_reason: unused,
}: NonNullable<OwnerView['credential']>): SafeHtml {
  if (!stored)
    return html`<p>No credential stored. Tests call the agent without one, and are inconclusive if the agent requires one.</p>`;
  return html`<p>${KINDS[kind ?? 'bearer']}, since ${moment(at)}.${unused === undefined ? '' : ' Not used: the agent is called over http, which would expose the credential. Register its https URL.'}</p>`;
}

function oauthForm(site: PageSite, session: OwnerSession, own: string, isStored: boolean): SafeHtml {
  return postForm(site, session, {
    action: `${own}/oauth-client`,
    button: isStored ? 'Replace OAuth client' : 'Store OAuth client',
    fields: html`<p>Before each test the registry requests a token from the token endpoint (RFC 6749, section 4.4).</p>
<div class="field"><label for="token_endpoint">Token endpoint</label><p id="token_endpoint-about">An https URL. Redirects are not followed.</p>
<input id="token_endpoint" name="token_endpoint" type="url" required autocomplete="off" spellcheck="false" maxlength="2048" placeholder="https://auth.news.example/oauth/token" aria-describedby="token_endpoint-about"></div>
<div class="field"><label for="client_id">Client ID</label>
<input id="client_id" name="client_id" required autocomplete="off" spellcheck="false" maxlength="2048"></div>
<div class="field"><label for="client_secret">Client secret</label><p id="client_secret-about">Sent to the token endpoint only.</p>
<input id="client_secret" name="client_secret" type="password" required autocomplete="off" spellcheck="false" maxlength="8192" aria-describedby="client_secret-about"></div>
<div class="field"><label for="scope">Scope</label><p id="scope-about">Separated by spaces. Optional.</p>
<input id="scope" name="scope" autocomplete="off" spellcheck="false" maxlength="1024" aria-describedby="scope-about"></div>
<div class="field"><label for="resource">Resource</label><p id="resource-about">Resource indicator (RFC 8707). Optional.</p>
<input id="resource" name="resource" autocomplete="off" spellcheck="false" maxlength="2048" aria-describedby="resource-about"></div>
<div class="field"><label for="audience">Audience</label><p id="audience-about">Optional.</p>
<input id="audience" name="audience" autocomplete="off" spellcheck="false" maxlength="2048" aria-describedby="audience-about"></div>
<div class="field"><label for="auth_method">Client authentication</label>
<select id="auth_method" name="auth_method"><option value="basic">HTTP Basic header</option><option value="body">Request body</option></select></div>`,
  });
}
