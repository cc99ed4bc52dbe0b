import { html, type SafeHtml } from '@remix-run/html-template';
import type { TrackDetail } from '../../domain/compliance.ts';
import { checkBox, checkCommand } from '../check-command.ts';
import { type Row, scrolling } from '../files/file-parts.ts';
import type { PageSite } from '../layout.ts';
import { trackResult } from '../run-tables.ts';
import { amountText, moment, plain, said, segmentOf, tookText } from '../texts.ts';
import type { AgentView } from './view.ts';

const MOST = 20;

/** The results of the latest run by track. */
export function testsByTrack(site: PageSite, view: AgentView, json: string): SafeHtml {
  const {
    url,
    compliance,
    provenance: { run },
  } = view.agent;
  if (compliance === undefined || compliance.status === 'opted_out')
    return html`<p>Opted out: the owner of this agent does not want it to be tested.</p>`;
  const {
    track_details: tracks,
    headline,
    last_checked_at: at,
    streak_days: streak,
    proto_version: version,
  } = compliance;
  if (at === null)
    return html`<p>No completed test yet. Tests start when an owner proves control of the agent. Is it yours? <a href="${site.root}/my/agents/${segmentOf(url)}">Sign in to start tests</a></p>`;
  return html`${headline === null ? '' : html`<p>${said(headline, 300)}</p>`}
<p class="type">Tested ${moment(at)}${version === null ? '' : html` with protocol version ${said(version, 20)}`}${streak > 0 ? `, passing for ${amountText(streak, 'day')}` : ''}. ${run === null ? '' : html`<a href="${site.root}/runs/${segmentOf(url)}/${encodeURIComponent(run.id)}">Full report</a>. `}<a href="${json}">Open JSON</a></p>
${scrolling('Tests by track', ['Track', 'Result', 'Passed', 'Duration'], tracks.slice(0, MOST).map(trackRow))}
${incompleteList(view)}${tracks.some(({ status }) => status === 'fail') ? whatFails(site, view) : html`<p class="type">Run the same tests from your machine:</p>${checkBox('Command', checkCommand(url))}`}`;
}

/** The storyboards that the public counts show to be incomplete. */
function incompleteList({ incomplete }: AgentView): SafeHtml | string {
  if (incomplete.length === 0) return '';
  return html`<h3>Incomplete storyboards</h3><p>Some tests skipped: the agent does not offer the required tools. Incomplete storyboards are neither passing nor failing, and do not count towards badges.</p>
<ul>${incomplete.slice(0, MOST).map(({ title, track }) => html`<li>${said(title, 120)} <span class="type">${trackName(track)}</span></li>`)}</ul>`;
}

/** Each storyboard that fails publicly; for other failing tracks, the track. */
function whatFails(site: PageSite, { agent: { url, compliance }, failed }: AgentView): SafeHtml {
  const tracks = compliance !== undefined && 'track_details' in compliance ? compliance.track_details : [];
  const named = new Set(failed.map(({ track }) => track));
  const rest = tracks.filter(({ track, status }) => status === 'fail' && !named.has(track)).slice(0, MOST);
  return html`<h3>Failing tests</h3>
${failed.slice(0, MOST).map(
  ({
    storyboard_id: id,
    title,
    track,
  }) => html`<p><b>${said(title, 120)}</b> <span class="type">${trackName(track)}</span></p>
${checkBox(`Command for ${plain(title, 120)}`, checkCommand(url, [['--only', id]]))}`,
)}${rest.map(
  ({
    track,
    scenario_count: all,
    passed_count: passed,
  }) => html`<p><b>${trackName(track)}</b> <span class="type">${passed} of ${all} storyboards passing</span></p>
${checkBox(`Command for ${plain(track, 60)}`, checkCommand(url, [['--track', track]]))}`,
)}
<p class="type">Run these commands to see the failing steps with the expected and the actual result. The owner can <a href="${site.root}/my/agents/${segmentOf(url)}#failed">sign in to see the steps of this run</a>.</p>`;
}

function trackName(track: string): SafeHtml {
  return said(track.replaceAll(/[_-]/g, ' '), 60);
}

function trackRow({
  track,
  status,
  scenario_count: all,
  passed_count: passed,
  duration_ms: ms,
  has_coverage_gap_skip,
}: TrackDetail): Row {
  return [
    trackName(track),
    trackResult({ status, has_coverage_gap_skip }),
    `${passed} of ${all}`,
    tookText(ms),
  ];
}
