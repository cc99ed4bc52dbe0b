import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { AuthorisationLimits, PinnedKey } from '../../domain/declaration.ts';
import type { Authorisation, Coverage } from '../../domain/declared-facts.ts';
import type { SeenAuthorisation } from '../../ports/agent-store.ts';
import type { AuthorisationTable } from '../schema-crawl.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { jsonOrNull, type Param, parsed, prepare, sql } from '../statements.ts';
import type { AgentDelta, Touch } from './batch-effects.ts';
import { createUntold } from './declaration-rows.ts';

type Row = Selectable<AuthorisationTable>;
type NewRow = Omit<Row, 'id' | 'seen_until'>;

/**
 * Makes a publisher's live authorisations those of a new declaration: equal rows stay, ended ones are closed
 * at `at`, new ones begin there. `hadRows` false saves the read of what was live.
 */
type AuthorisationWriter = (
  publisher: string,
  authorisations: readonly Authorisation[],
  options: { readonly at: number; readonly hadRows: boolean; readonly touch: Touch },
) => SqlTask<void>;

/** Inside the caller's transaction. */
export function createAuthorisationWriter(store: SqlStore): AuthorisationWriter {
  const selectLive = prepare(store, liveEdges, {});
  const insert = prepare(store, newRow, { kinds: { sells: 'number', seen_from: 'number' } });
  const close = prepare(store, closeRow, { kinds: { id: 'number', at: 'number' } });
  const complete = prepare(store, completedRow, { kinds: { id: 'number', sells: 'number' } });
  const mark = createUntold(store);
  return function* (publisher, authorisations, { at, hadRows, touch }) {
    const live = hadRows ? yield* selectLive.all({ publisher }) : [];
    const ended = new Map(live.map((row) => [identity(row), row]));
    const begun: NewRow[] = [];
    const completed: (NewRow & { readonly id: number })[] = [];
    for (const authorisation of authorisations) {
      const row = rowOf(authorisation, at);
      if (ended.size > 0 && ended.delete(identity(row))) continue;
      const older = ended.size > 0 ? ended.get(identity(asOfEarlierVersion(row))) : undefined;
      if (older !== undefined && ended.delete(identity(older))) {
        completed.push({ ...row, id: older.id });
        continue;
      }
      begun.push(row);
      addAuthorisation(touch(authorisation.agent, authorisation.declaredUrl), authorisation, 1);
    }
    for (const row of ended.values()) addAuthorisation(touch(row.agent, row.declared_url), sumsOf(row), -1);
    countPublisher(live, authorisations, touch);
    yield* mark('began', yield* insert.insertEach(begun));
    yield* complete.runEach(completed);
    yield* close.runEach([...ended.values()].map(({ id }) => ({ id, at })));
    yield* mark('completed', completed);
    yield* mark('ended', [...ended.values()]);
  };
}

/** A row as it was kept before coverage and limits were: the first visit adds them, and begins no second row. */
function asOfEarlierVersion(row: NewRow): NewRow {
  return { ...row, covers: null, limits: null, sells: 1, signing_keys: null };
}

/** Adds (`sign` 1) or takes away (-1) what one authorisation brings to its agent. */
function addAuthorisation(
  delta: AgentDelta,
  row: { readonly countByType: Readonly<Record<string, number>>; readonly tags: readonly string[] },
  sign: 1 | -1,
): void {
  delta.authorisations += sign;
  for (const [type, n] of Object.entries(row.countByType)) {
    delta.properties += sign * n;
    delta.byType.set(type, (delta.byType.get(type) ?? 0) + sign * n);
  }
  for (const tag of row.tags) delta.tags.set(tag, (delta.tags.get(tag) ?? 0) + sign);
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
    covers: jsonOrNull(authorisation.covers),
    limits: jsonOrNull(authorisation.limits),
    sells: isSale(authorisation) ? 1 : 0,
    signing_keys: jsonOrNull(authorisation.signingKeys),
    seen_from: at,
  };
}

/** All that a row says, as one text; when it began is not part of it. */
export function identity(row: NewRow): string {
  const { agent, entry, declared_url, via, authorized_for, scope, count_by_type, tags } = row;
  const { claimed_protocol, claimed_capabilities, covers, limits, sells, signing_keys } = row;
  const said = [agent, entry, declared_url, via, authorized_for, scope, count_by_type, tags];
  const more = [claimed_protocol, claimed_capabilities, covers, limits, sells, signing_keys];
  return JSON.stringify([...said, ...more]);
}

function sumsOf(row: Row): Pick<Authorisation, 'countByType' | 'tags'> {
  return {
    countByType: JSON.parse(row.count_by_type) as Record<string, number>,
    tags: JSON.parse(row.tags) as string[],
  };
}

/** In the order in which they began. */
export function liveEdges(param: Param<{ publisher: string }>) {
  return sql
    .selectFrom('authorisation')
    .selectAll()
    .where('publisher', '=', param('publisher'))
    .where('seen_until', 'is', null)
    .orderBy('id');
}

function newRow(param: Param<NewRow>) {
  const row = {
    publisher: param('publisher'),
    agent: param('agent'),
    entry: param('entry'),
    declared_url: param('declared_url'),
    via: param('via'),
    authorized_for: param('authorized_for'),
    claimed_protocol: param('claimed_protocol'),
    claimed_capabilities: param('claimed_capabilities'),
    scope: param('scope'),
    count_by_type: param('count_by_type'),
    tags: param('tags'),
    covers: param('covers'),
    limits: param('limits'),
    sells: param('sells'),
    signing_keys: param('signing_keys'),
    seen_from: param('seen_from'),
  };
  return sql.insertInto('authorisation').values(row).returning('id');
}

function completedRow(param: Param<Omit<NewRow, 'seen_from'> & { id: number }>) {
  return sql
    .updateTable('authorisation')
    .set({
      covers: param('covers'),
      limits: param('limits'),
      sells: param('sells'),
      signing_keys: param('signing_keys'),
    })
    .where('id', '=', param('id'));
}

function closeRow(param: Param<{ id: number; at: number }>) {
  return sql
    .updateTable('authorisation')
    .set({ seen_until: param('at') })
    .where('id', '=', param('id'));
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
    seenFrom: row.seen_from,
    ...(row.sells === 0 && { sellsNothing: true }),
    ...present({
      authorizedFor: row.authorized_for,
      claimedProtocol: row.claimed_protocol,
      claimedCapabilities: parsed<string[]>(row.claimed_capabilities),
      covers: parsed<Coverage>(row.covers),
      limits: parsed<AuthorisationLimits>(row.limits),
      signingKeys: parsed<PinnedKey[]>(row.signing_keys),
      seenUntil: row.seen_until,
    }),
  };
}
