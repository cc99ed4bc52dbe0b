import { html, type SafeHtml } from '@remix-run/html-template';
import { API_SCOPES, type ApiScope, KEY_DAYS, MAX_KEY_LABEL } from '../../domain/api-scope.ts';
import type { HtmlPage, PageSite } from '../layout.ts';
import { moment, pill, said } from '../texts.ts';
import { type OwnerSession, ownerFrame, postForm, type Told } from './frame.ts';

const PATH = '/my/keys';
const USUAL_DAYS = 90;

/** What each scope permits. */
const MAY: Readonly<Record<ApiScope, string>> = {
  read: 'read settings, tests and evidence',
  agents: 'add, verify, edit and remove agents',
  settings: 'change settings, subscriptions and statements',
  credentials: 'store and delete test credentials',
  runs: 'start tests',
  keys: 'create and revoke API keys',
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
  /** The scopes of the key of the session; undefined: all. */
  readonly scopes: readonly ApiScope[] | undefined;
  /** Now, RFC 3339. */
  readonly now: string;
  /** The key that this request created. */
  readonly made?: { readonly id: string; readonly key: string };
}

const TOLD: Readonly<Record<string, string>> = {
  revoked: 'The key was revoked. It and its sessions no longer work.',
  'tree-revoked':
    'The key was revoked, with the keys that it created. They and their sessions no longer work.',
  again:
    'This form was already sent. The new key was shown once: if you did not copy it, revoke it and create another.',
};

/** `/my/keys`: the API keys of the member. */
export function keysPage(site: PageSite, session: OwnerSession, view: KeysView): HtmlPage {
  const { scopes = API_SCOPES, made, refusal, done } = view;
  const mayChange = scopes.includes('keys');
  return ownerFrame(site, session, {
    title: 'API keys',
    description: 'The API keys of your organisation.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: 'API keys' }],
    told: { refusal, done, words: TOLD },
    content: html`<h1>API keys</h1>
<p>Programs send a key as <code>Authorization: Bearer KEY</code>. Create a separate key for each program, with only the scopes that it needs.</p>
${made === undefined ? '' : madeKey(made)}
<section aria-labelledby="keys"><h2 id="keys">Your API keys</h2>${mayChange ? html`<p>You can revoke the key that you signed in with and the keys that it created. To revoke another key, sign in with the key that created it, or ask the operator.</p>` : ''}${keyTable(site, session, view, mayChange)}</section>
<section aria-labelledby="make"><h2 id="make">Create a key</h2>
${mayChange ? makeForm(site, session, scopes) : html`<p>Your API key cannot create or revoke keys: it lacks the scope <code>keys</code>. Sign in with a key that has it, or ask the operator for one.</p>`}</section>`,
  });
}

function madeKey({ id, key }: { readonly id: string; readonly key: string }): SafeHtml {
  return html`<div class="notice" role="status"><p><b>New key <code>${said(id, 40)}</code>. Copy it now: it is shown only once.</b></p>
<pre class="wraps" tabindex="0" role="region" aria-label="The new key"><code>${key}</code></pre></div>`;
}

function keyTable(
  site: PageSite,
  session: OwnerSession,
  { keys, now }: KeysView,
  mayChange: boolean,
): SafeHtml {
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="API keys"><table class="stacks">
<thead><tr><th scope="col">Key</th><th scope="col">State</th><th scope="col">Scopes</th><th scope="col">Created</th><th scope="col">Last used</th><th scope="col">Expires</th></tr></thead>
<tbody>${keys.map((key) => {
    const isOver = key.revoked_at !== null || (key.expires_at !== null && key.expires_at <= now);
    return html`<tr><th scope="row">${key.label === null ? '' : html`${said(key.label, 100)}<br>`}<code>${said(key.id, 40)}</code>${key.id === session.keyId ? html`<br><span class="type">this session</span>` : ''}</th>
<td data-label="State">${state(key, isOver)}${mayChange && !isOver && key.isManaged ? revokeForm(site, session, key) : ''}</td>
<td data-label="Scopes">${key.scopes.length === API_SCOPES.length ? 'all' : key.scopes.join(', ')}</td><td data-label="Created">${moment(key.created_at)}${key.made_by === null ? '' : html`<br>by <code>${said(key.made_by, 40)}</code>`}</td><td data-label="Last used">${key.last_used_at === null ? 'never' : day(key.last_used_at)}</td><td data-label="Expires">${key.expires_at === null ? 'never' : moment(key.expires_at)}</td></tr>`;
  })}</tbody></table></div>`;
}

function state({ revoked_at: at }: KeyRow, isOver: boolean): SafeHtml {
  if (at !== null) return html`${pill('bad', 'Revoked')} ${moment(at)}`;
  return isOver ? pill('calm', 'Expired') : pill('good', 'Valid');
}

/** The store has only the day of the last use. */
function day(at: string): SafeHtml {
  return html`<time datetime="${at.slice(0, 10)}">${at.slice(0, 10)}</time>`;
}

/** Needs a confirmation. */
function revokeForm(site: PageSite, session: OwnerSession, { id }: KeyRow): SafeHtml {
  return html`<details><summary aria-label="Revoke ${id}">Revoke</summary><p class="roomy">This key and the keys that it created stop working at once. This cannot be undone.${id === session.keyId ? ' You will be signed out.' : ''}</p>
${postForm(site, session, { action: `${PATH}/revoke`, button: 'Revoke key', values: { id } })}</details>`;
}

function makeForm(site: PageSite, session: OwnerSession, scopes: readonly ApiScope[]): SafeHtml {
  const { min, max } = KEY_DAYS;
  return postForm(site, session, {
    action: `${PATH}/make`,
    button: 'Create key',
    fields: html`<div class="field"><label for="label">Label</label><p id="label-about">To recognise the key, for example the name of the program. Optional.</p>
<input id="label" name="label" maxlength="${MAX_KEY_LABEL}" autocomplete="off" aria-describedby="label-about"></div>
<fieldset class="choices"><legend>Scopes</legend>${scopes.map(
      (scope) =>
        html`<label><input type="checkbox" name="scopes" value="${scope}"${scope === 'read' ? html` checked` : ''}><span>${MAY[scope]} <code>${scope}</code></span></label>`,
    )}</fieldset>
<div class="field"><label for="days">Days until it expires</label><p id="days-about">From ${min} to ${max}. It expires no later than the key that you signed in with.</p>
<input id="days" name="days" type="number" min="${min}" max="${max}" step="1" required value="${USUAL_DAYS}" aria-describedby="days-about"></div>`,
  });
}
