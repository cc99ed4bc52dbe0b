import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { foundTwice } from '../../base/found-twice.ts';
import type { Difference, Recount, Rederive } from '../../domain/self-check.ts';
import { BACKGROUND_LIMITS, type Db, type RecordsDatabase } from '../database.ts';
import { eachDay, healthCode, unpacked } from '../probes/probe-log.ts';
import { identity, rowOf } from '../visits/authorisation-rows.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';

/* The self-check of the records: derived values are recomputed from the facts and compared with what is stored. */

/** Publishers that are checked of one agent. */
const PUBLISHERS_OF_ONE = 3;
/** Days of probes that are checked of one agent. */
const HEALTH_DAYS = 90;
/** Edges that are listed on each side of a difference. */
const MAX_LISTED = 3;

/** Checks `sample` agents, chosen at random, and some of their publishers. */
export async function recountRecords(
  database: RecordsDatabase,
  { sample, derive, now }: { readonly sample: number; readonly derive: Rederive; readonly now: number },
): Promise<Recount> {
  const rows = await database.read(
    (db) => db.selectFrom('agent').select('agent').orderBy(sql`random()`).limit(sample).execute(),
    BACKGROUND_LIMITS,
  );
  const agents = rows.map(({ agent }) => agent).sort();
  const publishers = new Set<string>();
  const differences: Difference[] = [];
  for (const agent of agents) {
    const found = await foundTwice(async () => {
      const recounted = await database.read((db) => recountAgent(db, agent), BACKGROUND_LIMITS);
      for (const publisher of recounted.publishers) publishers.add(publisher);
      return recounted.differences;
    });
    differences.push(...found);
  }
  for (const publisher of publishers) {
    const found = await foundTwice(() =>
      database.read((db) => recountEdges(db, publisher, derive, now), BACKGROUND_LIMITS),
    );
    differences.push(...found);
  }
  return { agents, publishers: publishers.size, differences };
}

interface RecountedAgent {
  readonly differences: readonly Difference[];
  /** Publishers whose count of agents was checked. */
  readonly publishers: readonly string[];
}

async function recountAgent(db: Db, agent: string): Promise<RecountedAgent> {
  const edges = await db
    .selectFrom('authorisation')
    .select(['publisher', 'sells', 'count_by_type', 'tags'])
    .where('agent', '=', agent)
    .where('seen_until', 'is', null)
    .execute();
  const sellers = new Set(edges.filter(({ sells }) => sells === 1).map(({ publisher }) => publisher));
  const publishers = [...sellers].sort().slice(0, PUBLISHERS_OF_ONE);
  const byType = summed(edges.flatMap((edge) => Object.entries<number>(JSON.parse(edge.count_by_type))));
  const byTag = summed(edges.flatMap((edge) => (JSON.parse(edge.tags) as string[]).map((tag) => [tag, 1])));
  const { mentions } = await db
    .selectFrom('mention')
    .select((row) => row.fn.countAll<number>().as('mentions'))
    .where('agent', '=', agent)
    .where('seen_until', 'is', null)
    .executeTakeFirstOrThrow();

  const differences: (Difference | undefined)[] = [];
  const sums = await db
    .selectFrom('agent')
    .select(['authorisation_count as authorisations', 'mention_count as mentions'])
    .select(['publisher_count as publishers', 'property_count as properties'])
    .where('agent', '=', agent)
    .executeTakeFirst();
  const counted = {
    authorisations: edges.length,
    mentions,
    publishers: sellers.size,
    properties: [...byType.values()].reduce((sum, n) => sum + n, 0),
  };
  differences.push(difference('sums', agent, sums, counted));

  const types = await db
    .selectFrom('agent_property_count')
    .select(['property_type', 'n'])
    .where('agent', '=', agent)
    .execute();
  const keptTypes = new Map(types.map((row) => [row.property_type, row.n]));
  differences.push(difference('property_types', agent, ordered(keptTypes), ordered(byType)));

  const tags = await db.selectFrom('agent_tag').select(['tag', 'n']).where('agent', '=', agent).execute();
  const keptTags = new Map(tags.map((row) => [row.tag, row.n]));
  differences.push(difference('tags', agent, ordered(keptTags), ordered(byTag)));

  for (const publisher of publishers) {
    const agents = await agentsOfPublisher(db, publisher);
    if (agents !== undefined)
      differences.push(difference('publisher_agents', publisher, agents.kept, agents.counted));
  }

  const days = await daysOfProbes(db, agent);
  const health = days.map((day) => day.health);
  const codes = days.map((day) => healthCode(unpacked([day])));
  differences.push(difference('health_days', agent, health, codes));

  const standing = await db
    .selectFrom('compliance_standing as standing')
    .leftJoin('compliance_run as run', (join) =>
      join.onRef('run.agent', '=', 'standing.agent').onRef('run.id', '=', 'standing.latest_run'),
    )
    .select(['standing.standing', 'run.id as run'])
    .where('standing.agent', '=', agent)
    .executeTakeFirst();
  if (standing !== undefined) {
    const shown = JSON.parse(standing.standing) as { readonly latest: { readonly runId: string } | null };
    differences.push(difference('standing', agent, shown.latest?.runId ?? null, standing.run));
  }

  const document = await db
    .selectFrom('document')
    .select(['hash', 'value'])
    .where('agent', '=', agent)
    .executeTakeFirst();
  if (document !== undefined) {
    const hashed = document.value === null ? null : hash('sha256', document.value);
    differences.push(difference('document', agent, document.hash, hashed));
  }
  return { differences: differences.filter((one) => one !== undefined), publishers };
}

function difference(
  kind: Difference['kind'],
  of: string,
  kept: unknown,
  counted: unknown,
): Difference | undefined {
  const [keptText, countedText] = [JSON.stringify(kept), JSON.stringify(counted)];
  return keptText === countedText ? undefined : { kind, of, kept: keptText, counted: countedText };
}

function summed(entries: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [name, n] of entries) sums.set(name, (sums.get(name) ?? 0) + n);
  return sums;
}

/** By name, without zeros. */
function ordered(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].filter(([, n]) => n !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The number of agents that the live declaration of a publisher stores, and how many there are. */
function agentsOfPublisher(db: Db, publisher: string) {
  return db
    .selectFrom('source')
    .innerJoin('declaration', 'declaration.id', 'source.declaration')
    .select('declaration.agents as kept')
    .select((row) =>
      row
        .selectFrom('authorisation')
        .select((edge) => edge.fn.count<number>('agent').distinct().as('n'))
        .where('publisher', '=', publisher)
        .where('seen_until', 'is', null)
        .where('sells', '=', 1)
        .as('counted'),
    )
    .where('source.kind', '=', 'adagents')
    .where('source.key', '=', publisher)
    .executeTakeFirst();
}

async function daysOfProbes(db: Db, agent: string) {
  const last = await db
    .selectFrom('probe_day')
    .select('day')
    .orderBy('day', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return [];
  return eachDay(db, last.day - HEALTH_DAYS, last.day)
    .selectFrom('day')
    .innerJoin('probe_day', 'probe_day.day', 'day.number')
    .select(['probe_day.day', 'probe_day.probes', 'probe_day.health'])
    .where('probe_day.agent', '=', agent)
    .execute();
}

/**
 * Derives the edges of a publisher from its live declaration again, and compares them with the live rows. A declaration
 * that is about to be derived again, or that an earlier reader read, is skipped.
 */
async function recountEdges(
  db: Db,
  publisher: string,
  derive: Rederive,
  now: number,
): Promise<readonly Difference[]> {
  const row = await selectDeclarations(db)
    .select('source.rederive_at')
    .whereRef('source.declaration', '=', 'declaration.id')
    .where('source.kind', '=', 'adagents')
    .where('source.key', '=', publisher)
    .executeTakeFirst();
  if (row === undefined || (row.rederive_at !== null && row.rederive_at <= now)) return [];
  const facts = derive(storedDeclaration(row), now);
  if (facts === undefined) return [];
  const rows = await db
    .selectFrom('authorisation')
    .selectAll()
    .where('publisher', '=', publisher)
    .where('seen_until', 'is', null)
    .execute();
  const kept = rows.map(identity);
  const counted = facts.authorisations.map((edge) => identity(rowOf(edge, 0)));
  const onlyKept = without(kept, counted);
  const onlyCounted = without(counted, kept);
  if (onlyKept.length === 0 && onlyCounted.length === 0) return [];
  return [{ kind: 'edges', of: publisher, kept: listed(onlyKept), counted: listed(onlyCounted) }];
}

/** The values of `one` without those of `other`; duplicates count separately. */
function without(one: readonly string[], other: readonly string[]): readonly string[] {
  const left = new Map(summed(other.map((text) => [text, 1])));
  return one.filter((text) => {
    const n = left.get(text) ?? 0;
    left.set(text, n - 1);
    return n <= 0;
  });
}

function listed(edges: readonly string[]): string {
  const more = edges.length > MAX_LISTED ? `; ${edges.length} in total` : '';
  return edges.length === 0 ? 'nothing more' : edges.slice(0, MAX_LISTED).join('; ') + more;
}
