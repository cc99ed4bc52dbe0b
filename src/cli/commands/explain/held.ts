import type { SourceState } from '../../../domain/source.ts';
import { counted } from '../../output/print.ts';
import { instant } from './story.ts';

const DAY = 86_400_000;

/** Earlier content of a file that is still in effect, and why. */
export function heldLines({ memory = {}, lastError, lastVisitAt = 0 }: SourceState): string[] {
  const { revoked = [], revokes = {}, move, last, olderSince } = memory;
  const lines = revoked.map(({ site, since, until }) =>
    until === undefined
      ? `    revoked by the file of ${site} since ${instant(since)}`
      : `    revoked by the file of ${site}; the revocation was removed and stays in effect until ${instant(until)}`,
  );
  const vanished = Object.values(revokes).filter((until) => until !== null && until > lastVisitAt).length;
  if (vanished > 0)
    lines.push(`    ${counted(vanished, 'revocation')} of other domains, removed from the file, for 7 days`);
  if (move !== undefined)
    lines.push(
      `    ${last === undefined || last.leftAt ? 'the last file' : last.url}: the domain refers to another site since ${instant(move.since)}, ${move.location} (seen in ${counted(move.visits, 'visit')});`,
      `    the new file is used from ${instant(move.since + DAY)}, after at least two visits`,
    );
  if (olderSince !== undefined && lastError?.code === 'last_updated_older')
    lines.push(
      `    the last valid file: the current one is older, and is used from ${instant(olderSince + 7 * DAY)}`,
    );
  return lines;
}

/** The same as JSON. */
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
