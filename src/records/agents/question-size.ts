import { sql as rawSql } from 'kysely';
import { QUESTION_BOUNDS } from '../../domain/authorisation-question.ts';
import { none, type SqlStore, type SqlTask, together } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** What an entry weighs beside its texts, where agents are read together. */
const ENTRY_BYTES = 256;

/** What is read for one agent. */
export interface ReadShare {
  readonly agent: string;
  /** Publishers that have entries for it. */
  readonly naming: ReadonlySet<string>;
  /** The bytes of each publisher, shortest first; absent: there is no room for it in one question. */
  readonly bytes: ReadonlyMap<string, number>;
}

/** The shares of the first agents that are read together, one at least: together they have the room of one question. */
type Shares = (
  publishers: readonly string[],
  agents: readonly string[],
  names: readonly string[],
) => SqlTask<readonly ReadShare[]>;

interface Sizes {
  readonly publisher: string;
  readonly properties: number;
  readonly entries: ReadonlyMap<string, { readonly bytes: number; readonly count: number }>;
}

/** The sizes are told by the engine, which reads none of the texts for it. */
export function createShares(store: SqlStore): Shares {
  const entrySizes = prepare(store, sizesOfEntries);
  const propertyBytes = prepare(store, bytesOfProperties);
  function* sizesOf(publisher: string, agents: readonly string[], names: readonly string[]): SqlTask<Sizes> {
    const [entries, properties] = yield* together([
      entrySizes.all({ publisher, agents }),
      names.length === 0 ? none() : propertyBytes.all({ publisher, names }),
    ]);
    return {
      publisher,
      properties: total(properties[0]?.identifiers, properties[0]?.tags),
      entries: new Map(
        entries.map(({ agent, bytes, count }) => [
          agent,
          { bytes: total(bytes), count: Math.min(Number(count), QUESTION_BOUNDS.entries) },
        ]),
      ),
    };
  }
  return function* (publishers, agents, names) {
    const sizes = yield* together(publishers.map((publisher) => sizesOf(publisher, agents, names)));
    const shares: ReadShare[] = [];
    let used = 0;
    for (const agent of agents) {
      const counts = sizes.map(
        ({ publisher, entries }) => [publisher, entries.get(agent)?.count ?? 0] as const,
      );
      const naming = new Set(counts.flatMap(([publisher, count]) => (count > 0 ? publisher : [])));
      const rows = counts.reduce((sum, [, count]) => sum + count, 0);
      const share = { agent, naming, bytes: bytesRead(sizes, agent) };
      used += total(...share.bytes.values()) + rows * ENTRY_BYTES;
      if (shares.length > 0 && used > QUESTION_BOUNDS.bytes) break;
      shares.push(share);
    }
    return shares;
  };
}

function bytesRead(sizes: readonly Sizes[], agent: string): ReadonlyMap<string, number> {
  const bytes = sizes.map(
    ({ publisher, properties, entries }) =>
      [publisher, properties + (entries.get(agent)?.bytes ?? 0)] as const,
  );
  const read = new Map<string, number>();
  let used = 0;
  for (const [publisher, size] of bytes.toSorted(([, a], [, b]) => a - b)) {
    used += size;
    if (used <= QUESTION_BOUNDS.bytes) read.set(publisher, size);
  }
  return read;
}

/** PostgreSQL's sums are texts here, and the sum of nothing is null. */
function total(...bytes: readonly (Bytes | undefined)[]): number {
  return bytes.reduce<number>((sum, some) => sum + Number(some ?? 0), 0);
}

/** The properties of a publisher that have one of these names. */
function propertiesNamed(param: Param<{ names: readonly string[]; publisher: string }>) {
  return sql
    .selectFrom('property_name')
    .innerJoin('property', 'property.id', 'property_name.property')
    .where('property_name.name', 'in', param.list('names'))
    .where('property_name.publisher', '=', param('publisher'));
}

/** The rows of those, in one order whatever the engine: what is beyond the bound is the same for everybody. */
export function namedProperties(param: Param<{ names: readonly string[]; publisher: string }>) {
  return propertiesNamed(param)
    .selectAll('property')
    .orderBy('property_name.name')
    .orderBy('property.id')
    .limit(QUESTION_BOUNDS.properties);
}

/** Each agent is looked up by itself: a publisher may have 100,000 entries for others. */
function sizesOfEntries(param: Param<{ publisher: string; agents: readonly string[] }>) {
  return sql.selectFrom(param.listed('agents')).select((listed) => {
    const live = listed
      .selectFrom('authorisation')
      .whereRef('authorisation.agent', '=', 'listed.value')
      .where('authorisation.publisher', '=', param('publisher'))
      .where('authorisation.seen_until', 'is', null);
    return [
      'listed.value as agent',
      live
        .select(({ fn }) => fn.sum<Bytes>(rawSql`${lengthOf('covers')} + ${lengthOf('limits')}`).as('sum'))
        .as('bytes'),
      live.select(({ fn }) => fn.countAll<number | string>().as('n')).as('count'),
    ];
  });
}

const lengthOf = (column: string) => rawSql`coalesce(octet_length(${rawSql.ref(column)}), 0)`;

function bytesOfProperties(param: Param<{ names: readonly string[]; publisher: string }>) {
  return propertiesNamed(param).select(({ fn }) => [
    fn.sum<Bytes>(fn<number>('octet_length', ['identifiers'])).as('identifiers'),
    fn.sum<Bytes>(fn<number>('octet_length', ['tags'])).as('tags'),
  ]);
}

type Bytes = number | string | null;
