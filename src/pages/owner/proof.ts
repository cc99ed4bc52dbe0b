import { html, type SafeHtml } from '@remix-run/html-template';
import { AGENT_TYPES } from '../../domain/agent-type.ts';
import type { HtmlPage, PageSite } from '../layout.ts';
import { moment, pill, plain, said, segmentOf } from '../texts.ts';
import { type OwnerSession, ownerFrame, postForm, type Told } from './frame.ts';

/** What stands in the form that asks for an agent. */
export interface AskedFor {
  readonly url: string;
  readonly type?: string;
  readonly name?: string;
  readonly description?: string;
}

/** The form that asks for an agent; what was filled in stays when it could not be taken. */
export function askForm(site: PageSite, session: OwnerSession, asked: AskedFor): SafeHtml {
  const { url, type = '', name = '', description = '' } = asked;
  return html`<p>Nothing of it counts before you prove that you control its domain: you are given a text to publish there.</p>
${postForm(site, session, {
  action: '/my/ask',
  button: 'Ask for it',
  fields: html`<div class="field"><label for="url">Address</label><p id="url-about">What a client dials, with https:// and its path.</p>
<input id="url" name="url" type="url" required autocomplete="off" spellcheck="false" maxlength="2000" placeholder="https://sales.news.example/mcp" value="${plain(url, 2_000)}" aria-describedby="url-about"></div>
<div class="field"><label for="type">Type</label><p id="type-about">Empty: what the agent itself shows decides.</p>
<select id="type" name="type" aria-describedby="type-about"><option value="">not said</option>${AGENT_TYPES.filter(
    (one) => one !== 'unknown',
  ).map((one) => html`<option${one === type ? html` selected` : ''}>${one}</option>`)}</select></div>
<div class="field"><label for="name">Name</label><p id="name-about">As everybody sees it; may be empty.</p>
<input id="name" name="name" maxlength="200" autocomplete="off" value="${plain(name, 200)}" aria-describedby="name-about"></div>
<div class="field"><label for="description">Description</label><p id="description-about">What it does, in a sentence or two; may be empty.</p>
<textarea id="description" name="description" rows="2" maxlength="2000" aria-describedby="description-about">${plain(description, 2_000)}</textarea></div>`,
})}`;
}

export interface ProofView extends Told {
  readonly url: string;
  /** What the agent is, in the words of the member. */
  readonly words: Omit<AskedFor, 'url'> & { readonly contact?: object };
  /** It is the member's already; the proof may be made anew. */
  readonly isProven: boolean;
  readonly isPending: boolean;
  /** The open text, and where it is looked for. Absent: none was asked for, or its time is up. */
  readonly challenge?: {
    readonly token: string;
    readonly expires_at: string;
    readonly file_url: string;
    readonly dns_name: string | null;
  };
  /** Where was looked just now, and what was there; it was not the text. */
  readonly looked?: readonly { readonly where: string; readonly seen: string }[];
  /** False: this registry looks for no proofs. */
  readonly isOffered: boolean;
}

const TOLD: Readonly<Record<string, string>> = {
  asked: 'You have asked for this agent. It is pending until you prove that you control its domain.',
};

/** `/my/agents/{encodedUrl}/proof`: the text that proves an agent to be the member's, and the look for it. */
export function proofPage(site: PageSite, session: OwnerSession, view: ProofView): HtmlPage {
  const { url, isProven, isPending, challenge, looked, refusal, done } = view;
  const own = `/my/agents/${segmentOf(url)}`;
  return ownerFrame(site, session, {
    title: 'Prove that an agent is yours',
    description: 'The text that proves an agent to be yours, and the look for it.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: 'Proof' }],
    told: { refusal, done, words: TOLD },
    content: html`<h1>Prove that it is yours</h1>
<p class="place"><code dir="ltr">${plain(url, 200)}</code></p>
<p class="pills">${isProven ? pill('good', 'proven to be yours') : pill('warn', isPending ? 'pending' : 'not proven to be yours')}</p>
${isPending ? whatWasSaid(view.words) : ''}
${looked === undefined ? '' : whatWasThere(looked)}
<section aria-labelledby="publish"><h2 id="publish">1. Publish this text</h2>${challenge === undefined ? html`<p>The text is good for seven days.</p>${postForm(site, session, { action: `${own}/proof/text`, button: 'Get the text' })}` : places(challenge)}</section>
${challenge === undefined ? '' : html`<section aria-labelledby="look"><h2 id="look">2. Have it looked for</h2>${lookForm(site, session, view)}</section>`}
${isProven ? '' : html`<details><summary>Give it up</summary><p>Nothing is asked for this agent any more, and its text is worth nothing.</p>${postForm(site, session, { action: `${own}/proof/give-up`, button: 'Give it up', tone: 'quiet' })}</details>`}`,
  });
}

/** It counts from the proof on. */
function whatWasSaid({ name, type, description, contact = {} }: ProofView['words']): SafeHtml {
  const rows = {
    Name: name,
    Type: type,
    Description: description,
    Contact: Object.values(contact).join(', '),
  };
  const given = Object.entries(rows).filter((row): row is [string, string] => (row[1] ?? '') !== '');
  if (given.length === 0) return html`<p>You have said nothing else of it.</p>`;
  return html`<section aria-labelledby="said"><h2 id="said">What you have said of it</h2><dl class="facts">${given.map(
    ([term, text]) => html`<div><dt>${term}</dt><dd>${said(text, 2_000)}</dd></div>`,
  )}</dl></section>`;
}

function places({ token, expires_at, file_url, dns_name }: NonNullable<ProofView['challenge']>): SafeHtml {
  return html`<pre class="wraps whole" tabindex="0" role="region" aria-label="The text to publish"><code>${token}</code></pre>
<p>Until ${moment(expires_at)}, as a line of its own, in <b>one</b> place:</p>
<dl class="facts"><div><dt>A file on the host of the agent</dt><dd><code>${said(file_url, 300)}</code></dd></div>${dns_name === null ? '' : html`<div><dt>Or a TXT record</dt><dd><code>${said(dns_name, 300)}</code></dd></div>`}</dl>
<p>Whoever publishes it gives the agent to the member that it names.</p>`;
}

function lookForm(site: PageSite, session: OwnerSession, { url, isOffered }: ProofView): SafeHtml {
  if (!isOffered)
    return html`<p>This registry looks for no proofs by itself. Tell its operator that the text is published.</p>`;
  return html`<p>The registry looks in both places at once. When the text is there, the agent is yours, and its first test is due.</p>
${postForm(site, session, { action: `/my/agents/${segmentOf(url)}/proof/look`, button: 'Look for it now' })}`;
}

function whatWasThere(looked: NonNullable<ProofView['looked']>): SafeHtml {
  return html`<div class="notice" role="status"><p><b>The text was not found.</b></p><dl class="facts">${looked.map(
    ({ where, seen }) =>
      html`<div><dt><code>${said(where, 300)}</code></dt><dd>${said(seen, 300)}</dd></div>`,
  )}</dl></div>`;
}
