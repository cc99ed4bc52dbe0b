import { html, type SafeHtml } from '@remix-run/html-template';
import { fact } from './files/file-parts.ts';
import type { HtmlPage, PageSite, PlacedSite } from './layout.ts';
import { bundleText, type RunStoryboard, type RunTrack, storyboardTable, trackTable } from './run-tables.ts';
import { ownersWords, type ShownStatement } from './statement.ts';
import { storyboardPath } from './storyboards/storyboards.ts';
import {
  agentPath,
  amountText,
  moment,
  passedText,
  pill,
  plain,
  resultPill,
  said,
  sameAsJson,
  segmentOf,
  statusPill,
  tookText,
  untestedPill,
} from './texts.ts';

/** The public view of a finished run; times are RFC 3339. */
export interface PublicRun {
  readonly agent_url: string;
  readonly run_id: string;
  readonly started_at: string;
  readonly finished_at: string;
  readonly outcome: string;
  readonly inconclusive_reason: string | null;
  readonly status: string;
  readonly headline: string | null;
  readonly storyboards_passing: number;
  readonly storyboards_total: number;
  readonly storyboards_incomplete: number;
  readonly specialisms_untested: number;
  readonly requested_compliance_target: string | null;
  readonly proto_version: string | null;
  readonly decides: boolean;
  readonly imported: boolean;
  readonly track_details: readonly RunTrack[];
  readonly specialism_status: Readonly<Record<string, string>>;
  readonly notices: readonly Remark[];
  readonly observations: readonly Remark[];
  /** Ordered by track; empty if they were not kept. */
  readonly storyboards: readonly RunStoryboard[];
  /** Ids of existing storyboards, for links. */
  readonly linked: ReadonlySet<string>;
  /** The owner's statement. */
  readonly statement?: ShownStatement;
}

interface Remark {
  readonly severity: string;
  readonly message: string;
}

const MOST = 40;
const MOST_STORYBOARDS = 200;
const OUTCOMES: Readonly<Record<string, string>> = {
  complete: 'Complete',
  unreachable: 'The agent could not be reached',
  inconclusive: 'Inconclusive: the status of the agent did not change',
};

/** `/runs/{encodedUrl}/{id}`: the full report of a run. */
export function publicRunPage(site: PlacedSite, run: PublicRun): HtmlPage {
  const { agent_url: agent, run_id: id, started_at: from, finished_at: to, outcome, headline } = run;
  const tookMs = Math.max(0, Date.parse(to) - Date.parse(from));
  const remarks = [...run.notices, ...run.observations].slice(0, MOST);
  return {
    title: `Test run of ${plain(agent, 100)}`,
    description: 'The full report of a test run: storyboards, tracks, results and durations.',
    trail: [
      { text: 'Agents', path: '/' },
      { text: plain(agent, 80), path: `/agents/${segmentOf(agent)}` },
      { text: 'Test run' },
    ],
    content: html`<h1>Test run</h1>
<p class="place"><a href="${agentPath(site, agent)}">${said(agent, 160)}</a></p>
<p class="pills">${statusPill(run.status)}${run.headline === null ? html` ${pill('calm', `Storyboards passed: ${passedText(run)}`)}` : ''}${run.storyboards_incomplete === 0 ? '' : html` ${pill('warn', `${amountText(run.storyboards_incomplete, 'incomplete storyboard')}`)}`}${untestedPill(run)}${run.decides ? '' : html` ${pill('calm', 'Other protocol version: does not decide the status')}`}${run.imported ? html` ${pill('calm', 'Imported')}` : ''}</p>
${headline === null ? '' : html`<p class="lead">${said(headline, 400)}</p>`}
<dl class="facts">${fact('Started', moment(from))}${fact('Duration', tookText(tookMs))}${fact('Bundle', bundleText(run))}${fact('Outcome', html`${OUTCOMES[outcome] ?? said(outcome, 40)}${run.inconclusive_reason === null ? '' : html` <code>${plain(run.inconclusive_reason, 40)}</code>`}`)}</dl>
${ownersWords(run.statement)}${story(site, run)}<h2>Tracks</h2>
${trackTable(run.track_details.slice(0, MOST))}
<h2>Specialisms</h2>
${specialisms(site, run)}
${remarks.length === 0 ? '' : html`<h2>Notices</h2><ul class="places">${remarks.map(({ severity, message }) => html`<li>${pill('calm', severity)} ${said(message, 400)}</li>`)}</ul>`}
<p class="type">Only the owner sees steps, requests and responses: <a href="${site.root}/my/agents/${segmentOf(agent)}/runs/${segmentOf(id)}">sign in to see them</a>, or send the request below with the owner's API key. Without a key it returns the content of this page.</p>
${sameAsJson(site, `${site.root}/api/registry/agents/${segmentOf(agent)}/compliance/runs/${encodeURIComponent(id)}`, { withKey: true })}`,
  };
}

function story(
  site: PageSite,
  { storyboards: all, linked, proto_version: version }: PublicRun,
): SafeHtml | string {
  if (all.length === 0) return '';
  const shown = all.slice(0, MOST_STORYBOARDS);
  const isPrivate = shown.some(({ result }) => result === null);
  return html`<h2>Storyboards</h2>${storyboardTable(site, shown, linked, version ?? undefined)}
${isPrivate ? html`<p class="type">Some results are visible only to the owner: the public counts of their track do not reveal them.</p>` : ''}${shown.length < all.length ? html`<p class="type">See the JSON for the rest.</p>` : ''}`;
}

/** Each links to the storyboard of its name, if it exists. */
function specialisms(
  site: PageSite,
  { specialism_status: all, linked, proto_version: version }: PublicRun,
): SafeHtml {
  const entries = Object.entries(all).slice(0, MOST);
  if (entries.length === 0) return html`<p>The agent declares no specialisms.</p>`;
  return html`<ul class="places">${entries.map(([name, status]) => {
    const id = name.replaceAll('-', '_');
    const text = said(name.replaceAll('-', ' '), 80);
    return html`<li>${linked.has(id) ? html`<a href="${storyboardPath(site, id, version ?? undefined)}">${text}</a>` : text} ${resultPill(status)}</li>`;
  })}</ul>`;
}
