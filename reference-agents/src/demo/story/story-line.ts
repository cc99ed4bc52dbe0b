import { paint, printLine, visible } from '@agent-registry/surface/command-line';
import type { BadgeEvent, KeptRun } from '@agent-registry/surface/registry';

/** What a run changed. */
export interface RunEffects {
  /** Absent: nothing. */
  readonly event?: StoryEvent;
  readonly text: string;
}

interface NewsFacts {
  /** The first step that failed. */
  readonly why: string | undefined;
  /** Nothing had happened to any badge before. */
  readonly isFirst: boolean;
}

type BadgeNews = 'earned' | 'grace' | 'recovered' | 'revoked' | 'live';

const SENTENCES: Readonly<Record<BadgeNews, string>> = {
  earned: 'heartbeat: all tests pass; the badge is earned',
  grace: 'heartbeat: fails; the grace period starts and the badge stays visible',
  recovered: 'heartbeat: passes again within 48 h; the badge stays',
  revoked: 'heartbeat: still fails after 48 h; the badge is revoked',
  live: 'heartbeat: 7 days of passing tests and healthy probes; the live axis is added',
};

/** What happened, as the test of the story names it. */
export type StoryEvent =
  | 'crawled'
  | 'proven'
  | 'credential'
  | 'inconclusive'
  | 'earned'
  | 'live'
  | 'broken'
  | 'grace'
  | 'away'
  | 'mended'
  | 'recovered'
  | 'revoked';

/** One line of the story, with what the compliance operation answered to everybody at that moment. */
export interface StoryLine {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly event: StoryEvent;
  readonly text: string;
  readonly shown: PublicView;
}

/** What a stranger sees of an agent. */
export interface PublicView {
  readonly status: string;
  readonly storyboardsPassing: number;
  readonly storyboardsTotal: number;
  readonly streakDays: number;
  /** `signals 3.0 spec, live`, for each active badge. */
  readonly badges: readonly string[];
  /** What the picture of the badge says: the same, or `not verified`. */
  readonly picture: string;
}

const COLOURS: Readonly<Record<string, 'green' | 'red' | 'yellow' | 'dim'>> = {
  passing: 'green',
  failing: 'red',
  degraded: 'yellow',
  unknown: 'dim',
};

const STATUS_WIDTH = 14;

const BADGE_WIDTH = 24;

const HEAD = `${'date (UTC)'.padEnd(18)}${'status'.padEnd(STATUS_WIDTH)}${'badge'.padEnd(BADGE_WIDTH)}`;

/** The heads of the columns. */
export function printStoryHead(): void {
  printLine(paint('dim', `${HEAD}what happened`));
}

/** Status and badge as a stranger sees them, then what happened, its further lines below the first. */
export function printStoryLine({ at, text, shown }: StoryLine): void {
  const date = new Date(at).toISOString().slice(0, 16).replace('T', ' ').padEnd(18);
  const { status, storyboardsPassing: passing, storyboardsTotal: total } = shown;
  const counts = total === 0 ? '' : ` ${passing}/${total}`;
  const result = paint(COLOURS[status] ?? 'dim', `${status}${counts}`.padEnd(STATUS_WIDTH));
  const badge = shown.picture.replace(' · ', ' ').padEnd(BADGE_WIDTH);
  const [first = '', ...more] = text.split('\n');
  printLine(`${date}${result}${badge}${visible(first)}`);
  for (const line of more) printLine(`${' '.repeat(HEAD.length)}${paint('dim', visible(line))}`);
}

/** Tells a run by what it did to the badges. */
export function newsOf(run: KeptRun, events: readonly BadgeEvent[], { why, isFirst }: NewsFacts): RunEffects {
  if (run.outcome === 'inconclusive')
    return {
      event: 'inconclusive',
      text: `heartbeat: inconclusive (${run.inconclusive?.reason}); the badge is not affected`,
    };
  const event = events.map(eventOf).find((one) => one !== undefined);
  if (event === undefined) return { text: '' };
  const text = event === 'earned' && !isFirst ? `${SENTENCES[event]} again` : SENTENCES[event];
  return { event, text: why === undefined ? text : `${text}\n${why}` };
}

/** That grace and recovery change the axes too is no news of its own. */
function eventOf({ kind, reason }: BadgeEvent): BadgeNews | undefined {
  if (kind !== 'changed') return kind;
  return reason.startsWith('Live axis added') ? 'live' : undefined;
}
