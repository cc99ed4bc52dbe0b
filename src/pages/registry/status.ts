import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PlacedSite } from '../layout.ts';
import { amountText, moment, pill, said, sameAsJson } from '../texts.ts';

/** How the registry itself is doing, as far as its page shows it; times are RFC 3339. */
export interface StatusView {
  readonly agents: { readonly total: number; readonly verified: number };
  readonly sources: Readonly<Record<string, SourceStatus>>;
  readonly due: {
    readonly domains: number;
    readonly agents: number;
    readonly tests: number;
    readonly oldest_due_at: string | null;
    readonly oldest_due_seconds: number;
  };
  readonly index: {
    readonly documents: number;
    readonly built_at: string | null;
    readonly changes_waiting: number;
    readonly layout: number;
  };
  readonly own_network: number;
  readonly version: string;
  readonly build?: string;
  /** Of the protocol, that agents are tested for. */
  readonly protocolVersion: string;
  readonly generated_at: string;
}

interface SourceStatus {
  readonly total: number;
  readonly valid?: number;
  readonly by_status: Readonly<Record<string, number>>;
  readonly freshness_minutes: Readonly<Record<'p50' | 'p90' | 'p99', number | null>>;
}

const KINDS: Readonly<Record<string, string>> = {
  adagents: 'adagents.json files',
  brand: 'brand.json files',
  agent: 'agents',
};
const OUTCOMES: Readonly<Record<string, string>> = {
  indexed: 'read, with something new',
  unchanged: 'read, the same as before',
  invalid: 'not valid',
  absent: 'not there',
  unreachable: 'did not answer',
  refused: 'refused the visit',
  throttled: 'asked for a pause',
  failed: 'failed',
  never_visited: 'not visited yet',
};
/** A visit that waits longer than this says that the workers do not keep up. */
const LATE_SECONDS = 3_600;

export function statusPage(site: PlacedSite, view: StatusView): HtmlPage {
  const { agents, sources, due, index, version, build, protocolVersion, generated_at: at } = view;
  const { own_network: spoiled } = view;
  const isLate = due.oldest_due_seconds > LATE_SECONDS;
  const kinds = Object.entries(sources);
  return {
    title: 'Status',
    description: 'How fresh the registry is, and what it has still to do.',
    trail: [
      { text: 'Agents', path: '/' },
      { text: 'Status', path: '/status' },
    ],
    content: html`<h1>Status</h1>
<p class="pills">${isLate ? pill('warn', 'visits wait') : pill('good', 'visits are on time')} ${
      index.changes_waiting === 0
        ? pill('good', 'the search has every change')
        : pill('calm', `${amountText(index.changes_waiting, 'change')} on the way to the search`)
    } ${spoiled === 0 ? pill('good', 'our own network works') : pill('bad', `our own network spoiled ${amountText(spoiled, 'visit')}`)}</p>
${spoiled === 0 ? '' : html`<p class="notice">The last visit of ${amountText(spoiled, 'file or agent', 'files and agents')} came to nothing, as this registry reached no control site either. It does not count against them, and each is visited again within the hour.</p>`}
<p class="lead">${amountText(agents.total, 'agent')} in the list, ${agents.verified.toLocaleString('en-GB')} of them verified.</p>
<h2>How fresh it is</h2>
<p>The age of what was read last. Half of all is younger than the first figure, and 99 of 100 than the last.</p>
<div class="scrolls" tabindex="0" role="region" aria-label="How fresh it is"><table class="stacks figures">
<thead><tr><th scope="col">What</th><th scope="col">Known</th><th scope="col">Half</th><th scope="col">90 %</th><th scope="col">99 %</th></tr></thead>
<tbody>${kinds.map(([kind, { total, freshness_minutes: fresh }]) => html`<tr><th scope="row">${KINDS[kind] ?? kind}</th><td data-label="Known">${total.toLocaleString('en-GB')}</td><td data-label="Half">${ageText(fresh.p50)}</td><td data-label="90 %">${ageText(fresh.p90)}</td><td data-label="99 %">${ageText(fresh.p99)}</td></tr>`)}</tbody></table></div>
<h2>How the last visits ended</h2>
<div class="scrolls" tabindex="0" role="region" aria-label="How the last visits ended"><table class="stacks figures">
<thead><tr><th scope="col">Outcome</th>${kinds.map(([kind]) => html`<th scope="col">${KINDS[kind] ?? kind}</th>`)}</tr></thead>
<tbody>${outcomeRows(view)}</tbody></table></div>
<h2>What waits</h2>
<dl class="facts">${fact('Domains to visit', due.domains.toLocaleString('en-GB'))}${fact('Agents to probe', due.agents.toLocaleString('en-GB'))}${fact('Agents to test', due.tests.toLocaleString('en-GB'))}${fact(
      'Oldest due',
      due.oldest_due_at === null ? 'nothing' : moment(due.oldest_due_at),
    )}</dl>
<h2>The search</h2>
<dl class="facts">${fact('Agents in it', index.documents.toLocaleString('en-GB'))}${fact('Last rebuild', moment(index.built_at))}${fact('Layout', String(index.layout))}</dl>
<h2>Versions</h2>
<dl class="facts">${fact('Program', said(version, 40))}${build === undefined ? '' : fact('Build and schema', said(build, 120))}${fact('Protocol of the tests', said(protocolVersion, 40))}</dl>
<p class="type">Counted ${moment(at)}, at most once a minute. <a href="${site.root}/changes">What happened recently</a></p>
${sameAsJson(site, `${site.root}/api/registry/stats`)}`,
  };
}

function outcomeRows({ sources }: StatusView): SafeHtml[] {
  const kinds = Object.entries(sources);
  const seen = Object.keys(OUTCOMES).filter((name) => kinds.some(([, of]) => (of.by_status[name] ?? 0) > 0));
  return seen.map(
    (name) =>
      html`<tr><th scope="row">${OUTCOMES[name] ?? name}</th>${kinds.map(([kind, of]) => html`<td data-label="${KINDS[kind] ?? kind}">${(of.by_status[name] ?? 0).toLocaleString('en-GB')}</td>`)}</tr>`,
  );
}

function fact(name: string, value: SafeHtml | string): SafeHtml {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function ageText(minutes: number | null): string {
  if (minutes === null) return 'none yet';
  if (minutes < 1) return 'under a minute';
  if (minutes < 120) return amountText(minutes, 'minute');
  return minutes < 2_880
    ? amountText(Math.round(minutes / 60), 'hour')
    : amountText(Math.round(minutes / 1_440), 'day');
}
