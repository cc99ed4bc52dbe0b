import { html, type SafeHtml } from '@remix-run/html-template';
import type { TrackDetail } from '../../domain/compliance.ts';
import { type Row, scrolling } from '../files/file-parts.ts';
import type { PageSite } from '../layout.ts';
import { amountText, moment, plain, resultPill, said, segmentOf, tookText } from '../texts.ts';
import type { FullAgent } from './view.ts';

const MOST = 20;

/** How it does, track by track, in the run that its status is of. */
export function testsByTrack(
  site: PageSite,
  { url, compliance, provenance: { run } }: FullAgent,
  json: string,
): SafeHtml {
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
<p class="type">Which steps fail, with what was expected and what came, is for <a href="${site.root}/my/agents/${segmentOf(url)}#failed">its owner</a>. The same tests from your own machine show it:</p>
<pre class="wraps whole" tabindex="0" role="region" aria-label="The command"><code>agent-registry check &apos;${plain(url, 300).replaceAll("'", '%27')}&apos;</code></pre>`;
}

function trackRow({
  track,
  status,
  scenario_count: all,
  passed_count: passed,
  duration_ms: ms,
  has_coverage_gap_skip: hasGap,
}: TrackDetail): Row {
  const gap = hasGap ? html` <span class="must">some could not run</span>` : '';
  return [
    said(track.replaceAll(/[_-]/g, ' '), 60),
    html`${resultPill(status)}${gap}`,
    `${passed} of ${all}`,
    tookText(ms),
  ];
}
