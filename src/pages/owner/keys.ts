import { html, type SafeHtml } from '@remix-run/html-template';
import { API_SCOPES, type ApiScope, KEY_DAYS, MAX_KEY_LABEL } from '../../domain/api-scope.ts';
import type { HtmlPage, PageSite } from '../layout.ts';
import { moment, pill, said } from '../texts.ts';
import { type OwnerSession, ownerFrame, postForm, type Told } from './frame.ts';

const PATH = '/my/keys';
const USUAL_DAYS = 90;

/** What each scope lets a key do, in the words of a form. */
const MAY: Readonly<Record<ApiScope, string>> = {
  read: 'see settings, tests and evidence',
  agents: 'ask for agents, prove them, describe them and give them up',
  settings: 'change settings, subscriptions and what is said beside results',
  credentials: 'store and forget test credentials',
  runs: 'ask for tests',
  keys: 'make and revoke API keys',
};

/** A key as the operation lists it; times are RFC 3339. */
interface KeyRow {
  readonly id: string;
  readonly label: string | null;
  readonly scopes: readonly ApiScope[];
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly made_by: string | null;
  readonly revoked_at: string | null;
  /** Whether the key of the session may revoke it. */
  readonly isManaged: boolean;
}

export interface KeysView extends Told {
  readonly keys: readonly KeyRow[];
  /** What the key of the session may; undefined: everything. */
  readonly scopes: readonly ApiScope[] | undefined;
  /** Now, RFC 3339. */
  readonly now: string;
  /** A key that was made by this very request. */
  readonly made?: { readonly id: string; readonly key: string };
}

const TOLD: Readonly<Record<string, string>> = {
  revoked: 'The key is revoked. It ended at once, and so did its sessions.',
  'tree-revoked':
    'The key is revoked, and so are the keys that it made. They ended at once, and so did their sessions.',
  again:
    'This form was sent already, and a form is taken once. A key that it made was shown in the first answer alone: if you did not see it, revoke it and make another.',
};

/** `/my/keys`: the API keys of the member. */
export function keysPage(site: PageSite, session: OwnerSession, view: KeysView): HtmlPage {
  const { scopes = API_SCOPES, made, refusal, done } = view;
  const mayChange = scopes.includes('keys');
  return ownerFrame(site, session, {
    title: 'API keys',
    description: 'The API keys of your member.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: 'API keys' }],
    told: { refusal, done, words: TOLD },
    content: html`<h1>API keys</h1>
<p>Programs send a key as <code>Authorization: Bearer KEY</code>. Give each program a key of its own, with what it needs.</p>
${made === undefined ? '' : madeKey(made)}
<section aria-labelledby="keys"><h2 id="keys">The keys of your member</h2>${mayChange ? html`<p>You can revoke the key that you signed in with and the keys that it made. Another key is revoked by the key that made it, or by the operator.</p>` : ''}${keyTable(site, session, view, mayChange)}</section>
<section aria-labelledby="make"><h2 id="make">Make a key</h2>
${mayChange ? makeForm(site, session, scopes) : html`<p>The key that you signed in with has no scope <code>keys</code>: it neither makes nor revokes keys. Ask the operator for one that does.</p>`}</section>`,
  });
}

function madeKey({ id, key }: { readonly id: string; readonly key: string }): SafeHtml {
  return html`<div class="notice" role="status"><p><b>Your new key, <code>${said(id, 40)}</code>. Copy it now: it is shown this once, and kept nowhere.</b></p>
<pre class="wraps" tabindex="0" role="region" aria-label="The new key"><code>${key}</code></pre></div>`;
}

function keyTable(
  site: PageSite,
  session: OwnerSession,
  { keys, now }: KeysView,
  mayChange: boolean,
): SafeHtml {
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="API keys"><table class="stacks">
<thead><tr><th scope="col">Key</th><th scope="col">State</th><th scope="col">May</th><th scope="col">Made</th><th scope="col">Used</th><th scope="col">Ends</th></tr></thead>
<tbody>${keys.map((key) => {
    const isOver = key.revoked_at !== null || (key.expires_at !== null && key.expires_at <= now);
    return html`<tr><th scope="row">${key.label === null ? '' : html`${said(key.label, 100)}<br>`}<code>${said(key.id, 40)}</code>${key.id === session.keyId ? html`<br><span class="type">signed in with</span>` : ''}</th>
<td data-label="State">${state(key, isOver)}${mayChange && !isOver && key.isManaged ? revokeForm(site, session, key) : ''}</td>
<td data-label="May">${key.scopes.length === API_SCOPES.length ? 'everything' : key.scopes.join(', ')}</td><td data-label="Made">${moment(key.created_at)}${key.made_by === null ? '' : html`<br>by <code>${said(key.made_by, 40)}</code>`}</td><td data-label="Used">${key.last_used_at === null ? 'never' : day(key.last_used_at)}</td><td data-label="Ends">${key.expires_at === null ? 'never' : moment(key.expires_at)}</td></tr>`;
  })}</tbody></table></div>`;
}

function state({ revoked_at: at }: KeyRow, isOver: boolean): SafeHtml {
  if (at !== null) return html`${pill('bad', 'revoked')} ${moment(at)}`;
  return isOver ? pill('calm', 'has ended') : pill('good', 'valid');
}

/** The store knows the day of the last use, and no more. */
function day(at: string): SafeHtml {
  return html`<time datetime="${at.slice(0, 10)}">${at.slice(0, 10)}</time>`;
}

/** Opened first, so that no slip revokes a key. */
function revokeForm(site: PageSite, session: OwnerSession, { id }: KeyRow): SafeHtml {
  return html`<details><summary aria-label="Revoke ${id}">Revoke</summary><p class="roomy">It ends at once, and so do the keys that it made. This cannot be undone.${id === session.keyId ? ' You are signed out.' : ''}</p>
${postForm(site, session, { action: `${PATH}/revoke`, button: 'Revoke it', values: { id } })}</details>`;
}

function makeForm(site: PageSite, session: OwnerSession, scopes: readonly ApiScope[]): SafeHtml {
  const { min, max } = KEY_DAYS;
  return postForm(site, session, {
    action: `${PATH}/make`,
    button: 'Make the key',
    fields: html`<div class="field"><label for="label">Label</label><p id="label-about">To recognise it by; may be empty.</p>
<input id="label" name="label" maxlength="${MAX_KEY_LABEL}" autocomplete="off" aria-describedby="label-about"></div>
<fieldset class="choices"><legend>It may</legend>${scopes.map(
      (scope) =>
        html`<label><input type="checkbox" name="scopes" value="${scope}"${scope === 'read' ? html` checked` : ''}><span>${MAY[scope]} <code>${scope}</code></span></label>`,
    )}</fieldset>
<div class="field"><label for="days">Days until it ends</label><p id="days-about">From ${min} to ${max}. It ends with the key that you signed in with, if that is earlier.</p>
<input id="days" name="days" type="number" min="${min}" max="${max}" step="1" required value="${USUAL_DAYS}" aria-describedby="days-about"></div>`,
  });
}
