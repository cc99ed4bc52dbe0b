import { html, type SafeHtml } from '@remix-run/html-template';
import { API_SCOPES, type ApiScope } from '../../domain/api-scope.ts';
import { MAX_WEBHOOK_URL } from '../../domain/webhook-url.ts';
import type { HtmlPage, PageSite } from '../layout.ts';
import { moment, pill, plain, sentence } from '../texts.ts';
import { type OwnerSession, ownerFrame, postForm, type Told } from './frame.ts';

const PATH = '/my/subscriptions';

/** A subscription as the operation lists it; times are RFC 3339. */
interface SubscriptionRow {
  readonly id: string;
  readonly url: string;
  readonly types: string;
  readonly state: 'pending' | 'active' | 'dead';
  readonly attempts: number;
  readonly last_error: string | null;
  readonly first_change_at: string | null;
  readonly next_try_at: string | null;
  readonly last_told_at: string | null;
  readonly dead_at: string | null;
  readonly created_at: string;
}

/** What stands in the form that makes one. */
export interface WantedSubscription {
  readonly url: string;
  readonly types: readonly string[];
}

export interface SubscriptionsView extends Told {
  readonly subscriptions: readonly SubscriptionRow[];
  /** So many a member has. */
  readonly most: number;
  /** What the key of the session may; undefined: everything. */
  readonly scopes: readonly ApiScope[] | undefined;
  /** All types of events. */
  readonly types: readonly string[];
  readonly wanted: WantedSubscription;
}

const TOLD: Readonly<Record<string, string>> = {
  made: 'The subscription is made, and its receiver is asked whether it agrees. Once it has answered with the challenge, what changes from now on wakes it.',
  removed: 'The subscription is removed. Nothing is sent to its receiver any more.',
  tested:
    'A message is about to be sent. Load this page again in a few seconds: the last attempt says what came of it.',
  revived: 'The receiver is asked again whether it agrees. Then the subscription goes on where it stood.',
};

/** `/my/subscriptions`: who is woken by the feed, for the member. */
export function subscriptionsPage(site: PageSite, session: OwnerSession, view: SubscriptionsView): HtmlPage {
  const { subscriptions, most, scopes = API_SCOPES, refusal, done } = view;
  const mayChange = scopes.includes('settings');
  return ownerFrame(site, session, {
    title: 'Subscriptions',
    description: 'Who is woken when the directory changes, for your member.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: 'Subscriptions' }],
    told: { refusal, done, words: TOLD },
    content: html`<h1>Subscriptions</h1>
<p>A subscription sends a signed webhook to a program of yours when the directory changes, with the place from where to read. <a href="${site.root}/docs/guides/keep-a-copy#be-woken">How to receive one</a></p>
<section aria-labelledby="subscriptions"><h2 id="subscriptions">The subscriptions of your member</h2>
${subscriptions.length === 0 ? html`<p class="empty">Your member has none.</p>` : table(site, session, subscriptions, mayChange)}</section>
<section aria-labelledby="subscribe"><h2 id="subscribe">Subscribe</h2>
${mayChange ? subscribeForm(site, session, view) : html`<p>The key that you signed in with has no scope <code>settings</code>: it changes no subscriptions.</p>`}
<p>A member has ${most} at most.</p></section>`,
  });
}

function table(
  site: PageSite,
  session: OwnerSession,
  subscriptions: readonly SubscriptionRow[],
  mayChange: boolean,
): SafeHtml {
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="Subscriptions"><table class="stacks">
<thead><tr><th scope="col">Receiver</th><th scope="col">State</th><th scope="col">Woken by</th><th scope="col">Last woken</th><th scope="col">Last attempt</th></tr></thead>
<tbody>${subscriptions.map(
    (
      one,
    ) => html`<tr><th scope="row"><code dir="ltr">${plain(one.url, 200)}</code><br><span class="type">${one.id}</span></th>
<td data-label="State">${one.state === 'dead' ? html`${pill('bad', 'dead')} ${moment(one.dead_at)}` : state(one)}${mayChange ? deeds(site, session, one) : ''}</td>
<td data-label="Woken by">${one.types === '*' ? 'every change' : html`<code>${plain(one.types.replaceAll(',', ', '), 600)}</code>`}</td><td data-label="Last woken">${moment(one.last_told_at)}</td><td data-label="Last attempt">${attempt(one)}</td></tr>`,
  )}</tbody></table></div>`;
}

function state({ state: word, attempts, first_change_at: first }: SubscriptionRow): SafeHtml {
  if (word === 'pending') return html`${pill('warn', 'pending')} The receiver has not agreed yet.`;
  if (attempts > 0) return html`${pill('warn', 'is tried again')}`;
  return html`${pill('good', 'active')}${first === null ? '' : ' about to be woken'}`;
}

function attempt({ attempts, last_error: error, next_try_at: next, last_told_at: told }: SubscriptionRow) {
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  if (error === null) return told === null ? 'none yet' : 'was taken';
  return html`${sentence(error, 300)}${next === null || attempts === 0 ? '' : html` The next one comes${tries} at ${moment(next)}.`}`;
}

/** What else can be done with a subscription, by its state. */
const DEEDS = {
  pending: ['test', 'Ask again now'],
  active: ['test', 'Send one now'],
  dead: ['revive', 'Revive it'],
} as const;

/** Removing is opened first, so that no slip ends a subscription. */
function deeds(site: PageSite, session: OwnerSession, { id, url, state: word }: SubscriptionRow): SafeHtml {
  const values = { id };
  const [deed, button] = DEEDS[word];
  return html`${postForm(site, session, { action: `${PATH}/${deed}`, button, values, tone: 'quiet' })}
<details><summary aria-label="Remove ${id}">Remove</summary><p class="roomy">Nothing is sent to <code dir="ltr">${plain(url, 100)}</code> any more.</p>
${postForm(site, session, { action: `${PATH}/remove`, button: 'Remove it', values })}</details>`;
}

function subscribeForm(
  site: PageSite,
  session: OwnerSession,
  { types, wanted }: SubscriptionsView,
): SafeHtml {
  return postForm(site, session, {
    action: `${PATH}/make`,
    button: 'Subscribe',
    fields: html`<div class="field"><label for="url">Address of the receiver</label><p id="url-about">https on port 443, on the public network. It must answer our verification with the challenge in it. Redirects are not followed.</p>
<input id="url" name="url" type="url" required autocomplete="off" spellcheck="false" maxlength="${MAX_WEBHOOK_URL}" placeholder="https://hooks.news.example/registry" value="${plain(wanted.url, MAX_WEBHOOK_URL)}" aria-describedby="url-about"></div>
<fieldset class="choices"><legend>It is woken by</legend><p>None ticked: every change.</p>${types.map(
      (type) =>
        html`<label><input type="checkbox" name="types" value="${type}"${wanted.types.includes(type) ? html` checked` : ''}><span><code>${type}</code></span></label>`,
    )}</fieldset>`,
  });
}
