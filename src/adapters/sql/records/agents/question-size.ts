import { type SqlStore, type SqlTask, together } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

/** Bytes of entries and properties that are read for one question: anybody asks, and a file may be 20 MiB of one entry. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * How many bytes the entries and properties of each publisher have; absent: there is no room for them in one question. The
 * shortest are read first.
 */
type Sizes = (
  publishers: readonly string[],
  agent: string,
  names: readonly string[],
) => SqlTask<ReadonlyMap<string, number>>;

/** The sizes are told by the engine, which reads none of the texts for it. */
export function createSizes(store: SqlStore): Sizes {
  const entryBytes = prepare(store, bytesOfEntries);
  const propertyBytes = prepare(store, bytesOfProperties);
  function* bytesOf(publisher: string, agent: string, names: readonly string[]): SqlTask<number> {
    const entries = yield* entryBytes.first({ publisher, agent });
    const properties = names.length === 0 ? undefined : yield* propertyBytes.first({ publisher, names });
    const { covers = 0, limits = 0 } = entries ?? {};
    const { identifiers = 0, tags = 0 } = properties ?? {};
    // PostgreSQL's sums are texts here, and the sum of nothing is null
    return [covers, limits, identifiers, tags].reduce<number>((sum, bytes) => sum + Number(bytes), 0);
  }
  return function* (publishers, agent, names) {
    const bytes = yield* together(publishers.map((publisher) => bytesOf(publisher, agent, names)));
    const shortestFirst = [...bytes.keys()].toSorted((a, b) => (bytes[a] ?? 0) - (bytes[b] ?? 0));
    const read = new Map<string, number>();
    let used = 0;
    for (const at of shortestFirst) {
      used += bytes[at] ?? 0;
      if (used <= MAX_BYTES) read.set(publishers[at] ?? '', bytes[at] ?? 0);
    }
    return read;
  };
}

/** The live entries of an agent at a publisher. */
export function liveOf(param: Param<{ publisher: string; agent: string }>) {
  return sql
    .selectFrom('authorisation')
    .where('agent', '=', param('agent'))
    .where('publisher', '=', param('publisher'))
    .where('seen_until', 'is', null);
}

/** The properties of a publisher that have one of these names. */
export function propertiesNamed(param: Param<{ names: readonly string[]; publisher: string }>) {
  return sql
    .selectFrom('property_name')
    .innerJoin('property', 'property.id', 'property_name.property')
    .where('property_name.name', 'in', param.list('names'))
    .where('property_name.publisher', '=', param('publisher'));
}

function bytesOfEntries(param: Param<{ publisher: string; agent: string }>) {
  return liveOf(param).select(({ fn }) => [
    fn.sum<Bytes>(fn<number>('octet_length', ['covers'])).as('covers'),
    fn.sum<Bytes>(fn<number>('octet_length', ['limits'])).as('limits'),
  ]);
}

function bytesOfProperties(param: Param<{ names: readonly string[]; publisher: string }>) {
  return propertiesNamed(param).select(({ fn }) => [
    fn.sum<Bytes>(fn<number>('octet_length', ['identifiers'])).as('identifiers'),
    fn.sum<Bytes>(fn<number>('octet_length', ['tags'])).as('tags'),
  ]);
}

type Bytes = number | string | null;
