import type { BadgeEvent, KeptRun } from 'agent-registry/registry';
import type { StoryEvent } from './story-line.ts';

/** What a run changed. */
export interface News {
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

/** Tells a run by what it did to the badges. */
export function newsOf(run: KeptRun, events: readonly BadgeEvent[], { why, isFirst }: NewsFacts): News {
  if (run.outcome === 'inconclusive')
    return {
      event: 'inconclusive',
      text: `heartbeat: inconclusive (${run.inconclusive?.reason}), and nothing is held against it`,
    };
  const event = events.map(eventOf).find((one) => one !== undefined);
  if (event === undefined) return { text: '' };
  const text = event === 'earned' && !isFirst ? `${SENTENCES[event]} anew` : SENTENCES[event];
  return { event, text: why === undefined ? text : `${text}\n${why}` };
}

type BadgeNews = 'earned' | 'grace' | 'recovered' | 'revoked' | 'live';

const SENTENCES: Readonly<Record<BadgeNews, string>> = {
  earned: 'heartbeat: everything passes, and the badge is earned',
  grace: 'heartbeat: fails; the badge is in grace, and still shown',
  recovered: 'heartbeat: passes again within 48 h, and the badge stays',
  revoked: 'heartbeat: still fails after 48 h, and the badge is revoked',
  live: 'heartbeat: 7 days of passing and healthy probes, so it is live too',
};

/** That grace and recovery change the axes too is no news of its own. */
function eventOf({ kind, reason }: BadgeEvent): BadgeNews | undefined {
  if (kind !== 'changed') return kind;
  return reason.startsWith('The live axis was added') ? 'live' : undefined;
}
