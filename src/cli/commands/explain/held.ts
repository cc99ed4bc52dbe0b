import type { SourceState } from '../../../domain/source.ts';
import { counted } from '../../output/print.ts';
import { instant } from './story.ts';

const DAY = 86_400_000;

/** What a file said before and does not say now, and why that counts. */
export function heldLines({ memory = {}, lastError, lastVisitAt = 0 }: SourceState): string[] {
  const { revoked = [], revokes = {}, move, last, olderSince } = memory;
  const lines = revoked.map(({ site, since, until }) =>
    until === undefined
      ? `    revoked by the file of ${site}, seen since ${instant(since)}`
      : `    revoked by the file of ${site}; that has vanished and holds until ${instant(until)}`,
  );
  const vanished = Object.values(revokes).filter((until) => until !== null && until > lastVisitAt).length;
  if (vanished > 0)
    lines.push(`    ${counted(vanished, 'revocation')} of other domains, vanished from the file, for 7 days`);
  if (move !== undefined)
    lines.push(
      `    ${last === undefined || last.leftAt ? 'the last file' : last.url}: the domain has led to another site since ${instant(move.since)}, ${move.location} (seen in ${counted(move.visits, 'visit')});`,
      `    that one counts from ${instant(move.since + DAY)}, at the second visit at the earliest`,
    );
  if (olderSince !== undefined && lastError?.code === 'last_updated_older')
    lines.push(
      `    the last good file, as a newer one was seen; the older one counts from ${instant(olderSince + 7 * DAY)}`,
    );
  return lines;
}

/** The same for machines. */
export function heldJson({ memory = {} }: SourceState) {
  const { revoked = [], move, olderSince } = memory;
  return {
    revocations: revoked.map(({ site, since, until }) => ({
      ...{ site, since: instant(since), until: instant(until) },
    })),
    location:
      move === undefined ? null : { url: move.location, since: instant(move.since), visits: move.visits },
    older_since: instant(olderSince),
  };
}
