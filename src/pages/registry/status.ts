import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PlacedSite } from '../layout.ts';
import { amountText, moment, pill, said, sameAsJson } from '../texts.ts';

/** The part of the registry's figures that its page shows; times are RFC 3339. */
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
  /** The protocol version of the tests. */
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
  agent: 'Agents',
};
const OUTCOMES: Readonly<Record<string, string>> = {
  indexed: 'Read, changed',
  unchanged: 'Read, unchanged',
  invalid: 'Invalid',
  absent: 'Not found',
  unreachable: 'No answer',
  refused: 'Access refused',
  throttled: 'Rate limited',
  failed: 'Failed',
  never_visited: 'Not visited yet',
};
/** If a visit is overdue by more than this, the workers do not keep up. */
const LATE_SECONDS = 3_600;

export function statusPage(site: PlacedSite, view: StatusView): HtmlPage {
  const { agents, sources, due, index, version, build, protocolVersion, generated_at: at } = view;
  const { own_network: spoiled } = view;
  const isLate = due.oldest_due_seconds > LATE_SECONDS;
  const kinds = Object.entries(sources);
  return {
    title: 'Status',
    description: 'Data freshness, visit outcomes, queue and search index of this registry.',
    trail: [
      { text: 'Agents', path: '/' },
      { text: 'Status', path: '/status' },
    ],
    content: html`<h1>Status</h1>
<p class="pills">${isLate ? pill('warn', 'Visits are late') : pill('good', 'Visits are on time')} ${
      index.changes_waiting === 0
        ? pill('good', 'Search index is up to date')
        : pill('calm', `${amountText(index.changes_waiting, 'change')} not indexed yet`)
    } ${spoiled === 0 ? pill('good', 'Own network works') : pill('bad', `Own network failed for ${amountText(spoiled, 'visit')}`)}</p>
${spoiled === 0 ? '' : html`<p class="notice">The last visit of ${amountText(spoiled, 'file or agent', 'files and agents')} failed because this registry could not reach its control sites either. These failures do not count against the sites. Each is visited again within an hour.</p>`}
<p class="lead">${amountText(agents.total, 'agent')} listed, ${agents.verified.toLocaleString('en-GB')} verified.</p>
<h2>Freshness</h2>
<p>Age of the last successful read: median, 90th and 99th percentile.</p>
<div class="scrolls" tabindex="0" role="region" aria-label="Freshness"><table class="stacks figures">
<thead><tr><th scope="col">Source</th><th scope="col">Known</th><th scope="col">Median</th><th scope="col">90%</th><th scope="col">99%</th></tr></thead>
<tbody>${kinds.map(([kind, { total, freshness_minutes: fresh }]) => html`<tr><th scope="row">${KINDS[kind] ?? kind}</th><td data-label="Known">${total.toLocaleString('en-GB')}</td><td data-label="Median">${ageText(fresh.p50)}</td><td data-label="90%">${ageText(fresh.p90)}</td><td data-label="99%">${ageText(fresh.p99)}</td></tr>`)}</tbody></table></div>
<h2>Last visits by outcome</h2>
<div class="scrolls" tabindex="0" role="region" aria-label="Last visits by outcome"><table class="stacks figures">
<thead><tr><th scope="col">Outcome</th>${kinds.map(([kind]) => html`<th scope="col">${KINDS[kind] ?? kind}</th>`)}</tr></thead>
<tbody>${outcomeRows(view)}</tbody></table></div>
<h2>Queue</h2>
<dl class="facts">${fact('Domains to visit', due.domains.toLocaleString('en-GB'))}${fact('Agents to probe', due.agents.toLocaleString('en-GB'))}${fact('Agents to test', due.tests.toLocaleString('en-GB'))}${fact(
      'Oldest due',
      due.oldest_due_at === null ? 'None' : moment(due.oldest_due_at),
    )}</dl>
<h2>Search index</h2>
<dl class="facts">${fact('Agents', index.documents.toLocaleString('en-GB'))}${fact('Last rebuild', moment(index.built_at))}${fact('Layout', String(index.layout))}</dl>
<h2>Versions</h2>
<dl class="facts">${fact('Software', said(version, 40))}${build === undefined ? '' : fact('Build and schema', said(build, 120))}${fact('Protocol of tests', said(protocolVersion, 40))}</dl>
<p class="type">Counted ${moment(at)}, at most once a minute. <a href="${site.root}/changes">Recent changes</a></p>
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
  if (minutes === null) return 'None yet';
  if (minutes < 1) return 'Under a minute';
  if (minutes < 120) return amountText(minutes, 'minute');
  return minutes < 2_880
    ? amountText(Math.round(minutes / 60), 'hour')
    : amountText(Math.round(minutes / 1_440), 'day');
}
