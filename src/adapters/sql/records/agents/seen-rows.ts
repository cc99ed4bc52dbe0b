import type { Selectable } from 'kysely';
import { present } from '../../../../base/present.ts';
import type { SeenAuthorisation, SeenMention } from '../../../../ports/agent-store.ts';
import type { AuthorisationTable, MentionTable } from '../../schema.ts';
import { parsed } from '../json-column.ts';
import type { MentionDetails } from '../visits/mention-rows.ts';

/** An edge with the time in which it was seen. */
export function seenAuthorisation(row: Selectable<AuthorisationTable>): SeenAuthorisation {
  return {
    publisher: row.publisher,
    agent: row.agent,
    entry: row.entry,
    declaredUrl: row.declared_url,
    via: row.via,
    scope: row.scope,
    countByType: JSON.parse(row.count_by_type) as Record<string, number>,
    tags: JSON.parse(row.tags) as string[],
    seenFrom: row.seen_from,
    ...present({
      authorizedFor: row.authorized_for,
      claimedProtocol: row.claimed_protocol,
      claimedCapabilities: parsed<string[]>(row.claimed_capabilities),
      seenUntil: row.seen_until,
    }),
  };
}

/** A mention with the time in which it was seen. */
export function seenMention(row: Selectable<MentionTable>): SeenMention {
  return {
    ...(JSON.parse(row.details) as MentionDetails),
    agent: row.agent,
    declaredUrl: row.declared_url,
    declarer: row.declarer,
    file: row.file,
    entry: row.entry,
    seenFrom: row.seen_from,
    ...present({ seenUntil: row.seen_until }),
  };
}
