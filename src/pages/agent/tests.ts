import { html, type SafeHtml } from '@remix-run/html-template';
import type { TrackDetail } from '../../domain/compliance.ts';
import { checkBox, checkCommand } from '../check-command.ts';
import { type Row, scrolling } from '../files/file-parts.ts';
import type { PageSite } from '../layout.ts';
import { gapText } from '../run-tables.ts';
import { amountText, moment, plain, resultPill, said, segmentOf, tookText } from '../texts.ts';
import type { AgentView } from './view.ts';

const MOST = 20;

/** How it does, track by track, in the run that its status is of. */
export function testsByTrack(site: PageSite, view: AgentView, json: string): SafeHtml {
  const {
    url,
    compliance,
    provenance: { run },
  } = view.agent;
  if (compliance === undefined || compliance.status === 'opted_out')
    return html`<p>Its owner takes it out of tests.</p>`;
  const {
    track_details: tracks,
    headline,
    last_checked_at: at,
    streak_days: streak,
    proto_version: version,
  } = compliance;
  if (at === null)
    return html`<p>It was never tested. An owner who proves the agent has it tested regularly.</p>`;
  return html`${headline === null ? '' : html`<p>${said(headline, 300)}</p>`}
<p class="type">Tested ${moment(at)}${version === null ? '' : html`, version ${said(version, 20)} of the protocol`}${streak > 0 ? `, passing for ${amountText(streak, 'day')}` : ''}. ${run === null ? '' : html`<a href="${site.root}/runs/${segmentOf(url)}/${encodeURIComponent(run.id)}">The run as a story</a>. `}<a href="${json}">More as JSON</a></p>
${scrolling('Tests by track', ['Track', 'Result', 'Passed', 'Took'], tracks.slice(0, MOST).map(trackRow))}
${incompleteList(view)}${tracks.some(({ status }) => status === 'fail') ? whatFails(site, view) : html`<p class="type">The same tests from your own machine:</p>${checkBox('The command', checkCommand(url))}`}`;
}

/** The storyboards that the public counts show to be incomplete. */
function incompleteList({ incomplete }: AgentView): SafeHtml | string {
  if (incomplete.length === 0) return '';
  return html`<h3>What is incomplete</h3><p>No step failed, but some were skipped because the agent did not provide what they need. These storyboards count as neither passing nor failing, and do not count towards badges.</p>
<ul>${incomplete.slice(0, MOST).map(({ title, track }) => html`<li>${said(title, 120)} <span class="type">${trackName(track)}</span></li>`)}</ul>`;
}

/** Each storyboard of which everybody may know that it fails; of other tracks that fail, the track. */
function whatFails(site: PageSite, { agent: { url, compliance }, failed }: AgentView): SafeHtml {
  const tracks = compliance !== undefined && 'track_details' in compliance ? compliance.track_details : [];
  const named = new Set(failed.map(({ track }) => track));
  const rest = tracks.filter(({ track, status }) => status === 'fail' && !named.has(track)).slice(0, MOST);
  return html`<h3>What fails</h3>
${failed.slice(0, MOST).map(
  ({
    storyboard_id: id,
    title,
    track,
  }) => html`<p><b>${said(title, 120)}</b> <span class="type">${trackName(track)}</span></p>
${checkBox(`The command for ${plain(title, 120)}`, checkCommand(url, [['--only', id]]))}`,
)}${rest.map(
  ({
    track,
    scenario_count: all,
    passed_count: passed,
  }) => html`<p><b>${trackName(track)}</b> <span class="type">${passed} of ${all} storyboards pass</span></p>
${checkBox(`The command for ${plain(track, 60)}`, checkCommand(url, [['--track', track]]))}`,
)}
<p class="type">The commands show from your own machine which steps fail, with what was expected and what came. The steps of our run are for <a href="${site.root}/my/agents/${segmentOf(url)}#failed">its owner</a>.</p>`;
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
    html`${resultPill(status)}${gapText({ has_coverage_gap_skip })}`,
    `${passed} of ${all}`,
    tookText(ms),
  ];
}
