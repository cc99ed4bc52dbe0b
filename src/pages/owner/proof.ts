import { html, type SafeHtml } from '@remix-run/html-template';
import { AGENT_TYPES } from '../../domain/agent-type.ts';
import type { HtmlPage, PageSite } from '../layout.ts';
import { moment, pill, plain, said, segmentOf } from '../texts.ts';
import { type OwnerSession, ownerFrame, postForm, type Told } from './frame.ts';

/** What was entered in the form that adds an agent. */
export interface AskedFor {
  readonly url: string;
  readonly type?: string;
  readonly name?: string;
  readonly description?: string;
}

/** The form that adds an agent; what was entered stays when it is refused. */
export function askForm(site: PageSite, session: OwnerSession, asked: AskedFor): SafeHtml {
  const { url, type = '', name = '', description = '' } = asked;
  return html`<p>The agent is pending until verified: the next page shows a text to publish on its domain.</p>
${postForm(site, session, {
  action: '/my/ask',
  button: 'Add agent',
  fields: html`<div class="field"><label for="url">Agent URL</label><p id="url-about">The URL that clients call, with https:// and the path.</p>
<input id="url" name="url" type="url" required autocomplete="off" spellcheck="false" maxlength="2000" placeholder="https://sales.news.example/mcp" value="${plain(url, 2_000)}" aria-describedby="url-about"></div>
<div class="field"><label for="type">Type</label><p id="type-about">Detected from the agent's tools if not set.</p>
<select id="type" name="type" aria-describedby="type-about"><option value="">Detect</option>${AGENT_TYPES.filter(
    (one) => one !== 'unknown',
  ).map((one) => html`<option${one === type ? html` selected` : ''}>${one}</option>`)}</select></div>
<div class="field"><label for="name">Name</label><p id="name-about">Shown publicly. Optional.</p>
<input id="name" name="name" maxlength="200" autocomplete="off" value="${plain(name, 200)}" aria-describedby="name-about"></div>
<div class="field"><label for="description">Description</label><p id="description-about">One or two sentences about the agent. Optional.</p>
<textarea id="description" name="description" rows="2" maxlength="2000" aria-describedby="description-about">${plain(description, 2_000)}</textarea></div>`,
})}`;
}

export interface ProofView extends Told {
  readonly url: string;
  /** The details of the agent, as the member entered them. */
  readonly words: Omit<AskedFor, 'url'> & { readonly contact?: object };
  /** The member is verified as its owner already; it may verify again. */
  readonly isProven: boolean;
  /** The open verification text, and where to publish it. Absent: none was requested, or it has expired. */
  readonly challenge?: {
    readonly token: string;
    readonly expires_at: string;
    readonly file_url: string;
    readonly dns_name: string | null;
  };
  /** Where the registry looked just now, and what it found instead of the text. */
  readonly looked?: readonly { readonly where: string; readonly seen: string }[];
  /** False: this registry does not verify domains itself. */
  readonly isOffered: boolean;
}

const TOLD: Readonly<Record<string, string>> = {
  asked: 'The agent was added. It is pending until you verify that you control its domain.',
};

/** `/my/agents/{encodedUrl}/proof`: the text that verifies the owner of an agent, and the button that checks it. */
export function proofPage(site: PageSite, session: OwnerSession, view: ProofView): HtmlPage {
  const { url, isProven, challenge, looked, refusal, done } = view;
  const own = `/my/agents/${segmentOf(url)}`;
  return ownerFrame(site, session, {
    title: 'Verify an agent',
    description: 'Verify that you control the domain of an agent.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: 'Verification' }],
    told: { refusal, done, words: TOLD },
    content: html`<h1>Verify your agent</h1>
<p class="place"><code dir="ltr">${plain(url, 200)}</code></p>
<p class="pills">${isProven ? pill('good', 'Verified owner') : pill('warn', 'Pending verification')}</p>
${isProven ? '' : details(view.words)}
${looked === undefined ? '' : found(looked)}
<section aria-labelledby="publish"><h2 id="publish">1. Publish this text</h2>${challenge === undefined ? html`<p>Get the text to publish. It is valid for seven days.</p>${postForm(site, session, { action: `${own}/proof/text`, button: 'Get the verification text' })}` : places(challenge)}</section>
${challenge === undefined ? '' : html`<section aria-labelledby="look"><h2 id="look">2. Verify</h2>${lookForm(site, session, view)}</section>`}
${isProven ? '' : html`<details><summary>Remove this agent</summary><p>Removes the agent from your agents and invalidates the verification text.</p>${postForm(site, session, { action: `${own}/proof/give-up`, button: 'Remove agent', tone: 'quiet' })}</details>`}`,
  });
}

/** What is published once the owner is verified. */
function details({ name, type, description, contact = {} }: ProofView['words']): SafeHtml {
  const rows = {
    Name: name,
    Type: type,
    Description: description,
    Contact: Object.values(contact).join(', '),
  };
  const given = Object.entries(rows).filter((row): row is [string, string] => (row[1] ?? '') !== '');
  if (given.length === 0) return html`<p>You entered no details of this agent.</p>`;
  return html`<section aria-labelledby="said"><h2 id="said">Details, published after verification</h2><dl class="facts">${given.map(
    ([term, text]) => html`<div><dt>${term}</dt><dd>${said(text, 2_000)}</dd></div>`,
  )}</dl></section>`;
}

function places({ token, expires_at, file_url, dns_name }: NonNullable<ProofView['challenge']>): SafeHtml {
  return html`<pre class="wraps whole" tabindex="0" role="region" aria-label="The text to publish"><code>${token}</code></pre>
<p>Publish it as a line of its own in <b>one</b> of these places. It expires ${moment(expires_at)}.</p>
<dl class="facts"><div><dt>A file on the host of the agent</dt><dd><code>${said(file_url, 300)}</code></dd></div>${dns_name === null ? '' : html`<div><dt>Or a TXT record</dt><dd><code>${said(dns_name, 300)}</code></dd></div>`}</dl>
<p>The text contains the name of your member. Publish it only if that member should own the agent.</p>`;
}

function lookForm(site: PageSite, session: OwnerSession, { url, isOffered }: ProofView): SafeHtml {
  if (!isOffered)
    return html`<p>This registry does not verify domains automatically. Tell its operator that the text is published.</p>`;
  return html`<p>The registry checks both places now. Once verified, you can store a credential and run the first test. The first scheduled test starts one hour later.</p>
${postForm(site, session, { action: `/my/agents/${segmentOf(url)}/proof/look`, button: 'Verify' })}`;
}

function found(looked: NonNullable<ProofView['looked']>): SafeHtml {
  return html`<div class="notice" role="status"><p><b>Verification text not found.</b> Publish it, then verify again. DNS changes can take a few minutes.</p><dl class="facts">${looked.map(
    ({ where, seen }) =>
      html`<div><dt><code>${said(where, 300)}</code></dt><dd>${said(seen, 300)}</dd></div>`,
  )}</dl></div>`;
}
