import { paint, printLine, visible } from 'agent-registry/command-line';

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
  readonly shown: Shown;
}

/** What a stranger sees of an agent. */
export interface Shown {
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
