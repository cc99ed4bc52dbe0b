import { html, type SafeHtml } from '@remix-run/html-template';
import { scrolling } from './files/file-parts.ts';
import type { PageSite } from './layout.ts';
import { storyboardPath } from './storyboards/storyboards.ts';
import { pill, resultPill, resultTone, said, tookText } from './texts.ts';

/** The public view of a storyboard in a run; null: visible only to the owner. */
export interface RunStoryboard {
  readonly storyboard_id: string;
  readonly title: string;
  readonly track: string;
  readonly result: string | null;
  readonly duration_ms: number | null;
}

export interface RunTrack {
  readonly track: string;
  readonly status: string;
  readonly scenario_count: number;
  readonly passed_count: number;
  readonly duration_ms: number;
  readonly has_coverage_gap_skip: boolean;
}

/** The bundle of a run, with the label that it was requested by if that is another one: `3.1.2 (requested as stable)`. */
export function bundleText({
  proto_version: version,
  requested_compliance_target: target,
}: {
  readonly proto_version: string | null;
  readonly requested_compliance_target: string | null;
}): SafeHtml {
  if (version === null) return html`Unknown`;
  return html`${said(version, 40)}${target === null || target === version ? '' : html` (requested as ${said(target, 40)})`}`;
}

const WIDTH = 300;

/** The storyboards of a run in the order of their tracks, with links to those that still exist. */
export function storyboardTable(
  site: PageSite,
  all: readonly RunStoryboard[],
  linked: ReadonlySet<string>,
  target?: string,
): SafeHtml {
  const longest = Math.max(1, ...all.map(({ duration_ms: ms }) => ms ?? 0));
  const rows = all.map(({ storyboard_id: id, title, track, result, duration_ms: ms }) => [
    linked.has(id)
      ? html`<a href="${storyboardPath(site, id, target)}">${said(title, 120)}</a>`
      : said(title, 120),
    trackName(track),
    result === null ? pill('calm', 'Owner only') : resultPill(result),
    ms === null ? '–' : html`${tookText(ms)}${bar(ms / longest, result ?? '')}`,
  ]);
  return scrolling('Storyboards', ['Storyboard', 'Track', 'Result', 'Duration'], rows);
}

/** The number of storyboards of each track that passed, and their duration. */
export function trackTable(all: readonly RunTrack[]): SafeHtml {
  if (all.length === 0) return html`<p>No track was tested.</p>`;
  const longest = Math.max(1, ...all.map(({ duration_ms: ms }) => ms));
  const rows = all.map((one) => [
    trackName(one.track),
    trackResult(one),
    `${one.passed_count} of ${one.scenario_count}`,
    html`${tookText(one.duration_ms)}${bar(one.duration_ms / longest, shownTrack(one))}`,
  ]);
  return scrolling('Tracks', ['Track', 'Result', 'Passed', 'Duration'], rows);
}

/**
 * The result of a track. With a coverage gap, steps were skipped because the agent does not offer what they require: what
 * passed is then `Incomplete`.
 */
export function trackResult(track: TrackOutcome): SafeHtml {
  const gap = track.has_coverage_gap_skip ? html` <span class="must">Some steps could not run</span>` : '';
  return html`${resultPill(shownTrack(track))}${gap}`;
}

type TrackOutcome = Pick<RunTrack, 'status' | 'has_coverage_gap_skip'>;

function shownTrack({ status, has_coverage_gap_skip: hasGap }: TrackOutcome): string {
  return status === 'pass' && hasGap ? 'incomplete' : status;
}

function trackName(track: string): SafeHtml {
  return said(track.replaceAll('_', ' '), 60);
}

function bar(share: number, result: string): SafeHtml {
  const wide = Math.max(2, Math.round(share * WIDTH));
  return html`<svg class="strip bar-of-time" aria-hidden="true" viewBox="0 0 ${WIDTH} 6" preserveAspectRatio="none"><rect class="${resultTone(result)}" width="${wide}" height="6"></rect></svg>`;
}
