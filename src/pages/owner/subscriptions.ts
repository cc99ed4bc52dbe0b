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

/** What was entered in the form. */
export interface WantedSubscription {
  readonly url: string;
  readonly types: readonly string[];
}

export interface SubscriptionsView extends Told {
  readonly subscriptions: readonly SubscriptionRow[];
  /** The maximum for one member. */
  readonly most: number;
  /** The scopes of the key of the session; undefined: all. */
  readonly scopes: readonly ApiScope[] | undefined;
  /** All types of events. */
  readonly types: readonly string[];
  readonly wanted: WantedSubscription;
}

const TOLD: Readonly<Record<string, string>> = {
  made: 'Subscription created. The registry now sends a verification request. Deliveries start once the receiver has answered with the challenge.',
  removed: 'Subscription deleted. Its receiver gets no further webhooks.',
  tested:
    'A test webhook will be sent within seconds. Reload this page: the column “Last attempt” shows the result.',
  revived: 'The registry verifies the receiver again. Then deliveries continue from the last position.',
};

/** `/my/subscriptions`: the webhook subscriptions of the member. */
export function subscriptionsPage(site: PageSite, session: OwnerSession, view: SubscriptionsView): HtmlPage {
  const { subscriptions, most, scopes = API_SCOPES, refusal, done } = view;
  const mayChange = scopes.includes('settings');
  return ownerFrame(site, session, {
    title: 'Subscriptions',
    description: 'The webhook subscriptions of your organisation.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: 'Subscriptions' }],
    told: { refusal, done, words: TOLD },
    content: html`<h1>Subscriptions</h1>
<p>A subscription sends a signed webhook to your program when the directory changes, with the cursor from which to read the feed. <a href="${site.root}/docs/guides/keep-a-copy#subscribe-to-changes">How to receive webhooks</a></p>
<section aria-labelledby="subscriptions"><h2 id="subscriptions">Your subscriptions</h2>
${subscriptions.length === 0 ? html`<p class="empty">No subscriptions yet.</p>` : table(site, session, subscriptions, mayChange)}</section>
<section aria-labelledby="subscribe"><h2 id="subscribe">Add a subscription</h2>
${mayChange ? subscribeForm(site, session, view) : html`<p>Your API key cannot change subscriptions: it lacks the scope <code>settings</code>.</p>`}
<p>Limit: ${most} subscriptions.</p></section>`,
  });
}

function table(
  site: PageSite,
  session: OwnerSession,
  subscriptions: readonly SubscriptionRow[],
  mayChange: boolean,
): SafeHtml {
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="Subscriptions"><table class="stacks">
<thead><tr><th scope="col">Receiver</th><th scope="col">State</th><th scope="col">Events</th><th scope="col">Last delivery</th><th scope="col">Last attempt</th></tr></thead>
<tbody>${subscriptions.map(
    (
      one,
    ) => html`<tr><th scope="row"><code dir="ltr">${plain(one.url, 200)}</code><br><span class="type">${one.id}</span></th>
<td data-label="State">${one.state === 'dead' ? html`${pill('bad', 'Stopped')} ${moment(one.dead_at)}` : state(one)}${mayChange ? deeds(site, session, one) : ''}</td>
<td data-label="Events">${one.types === '*' ? 'all' : html`<code>${plain(one.types.replaceAll(',', ', '), 600)}</code>`}</td><td data-label="Last delivery">${moment(one.last_told_at)}</td><td data-label="Last attempt">${attempt(one)}</td></tr>`,
  )}</tbody></table></div>`;
}

function state({ state: word, attempts, first_change_at: first }: SubscriptionRow): SafeHtml {
  if (word === 'pending') return html`${pill('warn', 'Pending')} The receiver is not verified yet.`;
  if (attempts > 0) return html`${pill('warn', 'Retrying')}`;
  return html`${pill('good', 'Active')}${first === null ? '' : ' Delivery pending'}`;
}

function attempt({ attempts, last_error: error, next_try_at: next, last_told_at: told }: SubscriptionRow) {
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  if (error === null) return told === null ? 'none yet' : 'Accepted';
  return html`${sentence(error, 300)}${next === null || attempts === 0 ? '' : html` Next attempt${tries}: ${moment(next)}.`}`;
}

/** The action for a subscription, by its state. */
const DEEDS = {
  pending: ['test', 'Verify again now'],
  active: ['test', 'Send a test webhook'],
  dead: ['revive', 'Restart'],
} as const;

/** Deleting needs a confirmation. */
function deeds(site: PageSite, session: OwnerSession, { id, url, state: word }: SubscriptionRow): SafeHtml {
  const values = { id };
  const [deed, button] = DEEDS[word];
  return html`${postForm(site, session, { action: `${PATH}/${deed}`, button, values, tone: 'quiet' })}
<details><summary aria-label="Delete ${id}">Delete</summary><p class="roomy">The registry stops sending webhooks to <code dir="ltr">${plain(url, 100)}</code>.</p>
${postForm(site, session, { action: `${PATH}/remove`, button: 'Delete subscription', values })}</details>`;
}

function subscribeForm(
  site: PageSite,
  session: OwnerSession,
  { types, wanted }: SubscriptionsView,
): SafeHtml {
  return postForm(site, session, {
    action: `${PATH}/make`,
    button: 'Add subscription',
    fields: html`<div class="field"><label for="url">Receiver URL</label><p id="url-about">A public https URL on port 443. It must answer the verification request with the challenge. Redirects are not followed.</p>
<input id="url" name="url" type="url" required autocomplete="off" spellcheck="false" maxlength="${MAX_WEBHOOK_URL}" placeholder="https://hooks.news.example/registry" value="${plain(wanted.url, MAX_WEBHOOK_URL)}" aria-describedby="url-about"></div>
<fieldset class="choices"><legend>Events</legend><p>Select none to receive all events.</p>${types.map(
      (type) =>
        html`<label><input type="checkbox" name="types" value="${type}"${wanted.types.includes(type) ? html` checked` : ''}><span><code>${type}</code></span></label>`,
    )}</fieldset>`,
  });
}
