import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { AuthorisationLimits, PinnedKey } from '../../domain/declaration.ts';
import type { Authorisation, Coverage } from '../../domain/declared-facts.ts';
import { type Db, insertInChunks, jsonOrNull, parsed } from '../database.ts';
import type { AuthorisationTable } from '../tables.ts';
import { PENDING } from './declaration-rows.ts';
import { type AgentChange, addTo, changeOf } from './named-agents.ts';
import { changesBetween, type FactsOptions } from './visit-changes.ts';

export interface SeenAuthorisation extends Authorisation {
  readonly seenFrom: number;
  readonly seenUntil?: number;
}

type Row = Selectable<AuthorisationTable>;
type NewRow = Omit<Row, 'id' | 'seen_until'>;

/**
 * Makes a publisher's live authorisations those of a new declaration: equal rows stay, ended ones are closed
 * at `at`, new ones begin there. With `hadRows` false there is nothing to compare with.
 */
export async function writeAuthorisations(
  db: Db,
  publisher: string,
  authorisations: readonly Authorisation[],
  { at, hadRows, changes }: FactsOptions,
): Promise<void> {
  const touch: Touch = (agent, url) =>
    changeOf(changes.agents, agent, { url, foundVia: `${publisher} adagents`, at, trace: changes.trace });
  const live = hadRows ? await liveAuthorisations(db, publisher) : [];
  const rows = authorisations.map((authorisation) => rowOf(authorisation, at));
  const { begun, ended } = changesBetween<Row, NewRow>(live, rows, identity);
  for (const row of begun) addAuthorisation(touch(row.agent, row.declared_url), row, 1);
  for (const row of ended) addAuthorisation(touch(row.agent, row.declared_url), row, -1);
  countPublisher(live, authorisations, touch);
  await insertInChunks(begun, async (some) => {
    const inserted = await db.insertInto('authorisation').values(some).returning('id').execute();
    changes.marks.push(...inserted.map(({ id }) => ({ event: PENDING.began, id })));
  });
  const endedIds = ended.map(({ id }) => id);
  await insertInChunks(endedIds, (some) =>
    db.updateTable('authorisation').set({ seen_until: at }).where('id', 'in', some).execute(),
  );
  changes.marks.push(...endedIds.map((id) => ({ event: PENDING.ended, id })));
}

/** The live authorisations of a publisher, in the order in which they began. */
function liveAuthorisations(db: Db, publisher: string): Promise<Row[]> {
  return db
    .selectFrom('authorisation')
    .selectAll()
    .where('publisher', '=', publisher)
    .where('seen_until', 'is', null)
    .orderBy('id')
    .execute();
}

type Touch = (agent: string, url: string) => AgentChange;

/** Adds (`sign` 1) or takes away (-1) what one authorisation brings to its agent. */
function addAuthorisation(change: AgentChange, { count_by_type, tags }: NewRow, sign: 1 | -1): void {
  change.authorisations += sign;
  for (const [type, n] of Object.entries(JSON.parse(count_by_type) as Record<string, number>)) {
    change.properties += sign * n;
    addTo(change.byType, type, sign * n);
  }
  for (const tag of JSON.parse(tags) as string[]) addTo(change.tags, tag, sign);
}

/** The publisher counts once for an agent, however many of its entries name it; not for entries that sell nothing. */
function countPublisher(live: readonly Row[], authorisations: readonly Authorisation[], touch: Touch): void {
  const sold = live.filter((row) => row.sells === 1);
  const before = new Map(sold.map((row) => [row.agent, row.declared_url]));
  const after = new Map(authorisations.filter(isSale).map((row) => [row.agent, row.declaredUrl]));
  for (const [agent, url] of after) if (!before.has(agent)) touch(agent, url).publishers += 1;
  for (const [agent, url] of before) if (!after.has(agent)) touch(agent, url).publishers -= 1;
}

const isSale = ({ sellsNothing }: Authorisation): boolean => sellsNothing !== true;

export function rowOf(authorisation: Authorisation, at: number): NewRow {
  return {
    publisher: authorisation.publisher,
    agent: authorisation.agent,
    entry: authorisation.entry,
    declared_url: authorisation.declaredUrl,
    via: authorisation.via,
    authorized_for: authorisation.authorizedFor ?? null,
    claimed_protocol: authorisation.claimedProtocol ?? null,
    claimed_capabilities: jsonOrNull(authorisation.claimedCapabilities),
    scope: authorisation.scope,
    count_by_type: JSON.stringify(authorisation.countByType),
    tags: JSON.stringify(authorisation.tags),
    covers: JSON.stringify(authorisation.covers),
    limits: jsonOrNull(authorisation.limits),
    sells: isSale(authorisation) ? 1 : 0,
    signing_keys: jsonOrNull(authorisation.signingKeys),
    seen_from: at,
  };
}

const COMPARED = [
  ...(['agent', 'entry', 'declared_url', 'via', 'authorized_for', 'scope', 'count_by_type', 'tags'] as const),
  ...(['claimed_protocol', 'claimed_capabilities', 'covers', 'limits', 'sells', 'signing_keys'] as const),
];

/** The content of a row as one text; when it began is not part of it. */
export function identity(row: NewRow): string {
  return JSON.stringify(COMPARED.map((column) => row[column]));
}

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
    covers: JSON.parse(row.covers) as Coverage,
    seenFrom: row.seen_from,
    ...(row.sells === 0 && { sellsNothing: true }),
    ...present({
      authorizedFor: row.authorized_for,
      claimedProtocol: row.claimed_protocol,
      claimedCapabilities: parsed<string[]>(row.claimed_capabilities),
      limits: parsed<AuthorisationLimits>(row.limits),
      signingKeys: parsed<PinnedKey[]>(row.signing_keys),
      seenUntil: row.seen_until,
    }),
  };
}
