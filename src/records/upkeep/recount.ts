import { hash as digest } from 'node:crypto';
import { sql as text } from 'kysely';
import { foundTwice } from '../../base/found-twice.ts';
import type { Difference, Recount, Rederive } from '../../ports/self-check.ts';
import type { Db } from '../database.ts';
import { eachDay, healthCode, unpacked } from '../probes/probe-log.ts';
import { call, type SqlStore, type SqlTask, UNHURRIED } from '../sql-tasks.ts';
import { all, type Param, prepare, sql } from '../statements.ts';
import { recountEdges } from './recount-edges.ts';

/** Publishers that are counted anew, of one agent. */
const PUBLISHERS_OF_ONE = 3;
/** Days of probes that are counted anew, of one agent. */
const HEALTH_DAYS = 90;

type Counts = ReadonlyMap<string, number>;
/** Compares what is kept of one thing with what is counted. */
type Compare = (kind: Difference['kind'], of: string, kept: unknown, counted: unknown) => void;

/**
 * Recomputes from the rows of facts what is kept beside them, for that many agents chosen at random and some of their
 * publishers.
 */
export async function recountRecords(
  store: SqlStore,
  { sample, derive, now }: { readonly sample: number; readonly derive: Rederive; readonly now: number },
): Promise<Recount> {
  const random = sql.selectFrom('agent').select('agent').orderBy(text`random()`).limit(sample);
  const agents = (await store.read(() => all(store, random), UNHURRIED)).map(({ agent }) => agent).sort();
  const recount = createRecount(store);
  const publishers = new Set<string>();
  const differences: Difference[] = [];
  for (const agent of agents) {
    const found = await foundTwice(() => store.read(() => recount(agent, publishers), UNHURRIED));
    differences.push(...found);
  }
  differences.push(...(await recountEdges(store, publishers, { derive, now })));
  return { agents, publishers: publishers.size, differences };
}

function createRecount(store: SqlStore) {
  const selectSums = prepare(store, keptSums);
  const selectEdges = prepare(store, liveEdges);
  const countMentions = prepare(store, liveMentions);
  const selectTypes = prepare(store, keptTypes);
  const selectTags = prepare(store, keptTags);
  const selectStanding = prepare(store, keptStanding);
  const selectDocument = prepare(store, keptDocument);
  const countAgents = prepare(store, agentsOfPublisher);
  const selectLast = prepare(store, () =>
    sql.selectFrom('probe_day').select('day').orderBy('day', 'desc').limit(1),
  );

  return function* (agent: string, publishers: Set<string>): SqlTask<readonly Difference[]> {
    const differences: Difference[] = [];
    const compare: Compare = (kind, of, kept, counted) => {
      const [has, gives] = [JSON.stringify(kept), JSON.stringify(counted)];
      if (has !== gives) differences.push({ kind, of, kept: has, counted: gives });
    };
    const edges = yield* selectEdges.all({ agent });
    const byType = summed(edges.flatMap((edge) => Object.entries(JSON.parse(edge.count_by_type) as object)));
    const tags = summed(edges.flatMap((edge) => (JSON.parse(edge.tags) as string[]).map((tag) => [tag, 1])));
    const sellers = new Set(edges.filter(({ sells }) => sells === 1).map(({ publisher }) => publisher));
    compare('sums', agent, yield* selectSums.first({ agent }), {
      authorisations: edges.length,
      mentions: (yield* countMentions.first({ agent }))?.n,
      publishers: sellers.size,
      properties: [...byType.values()].reduce((sum, n) => sum + n, 0),
    });
    const types = (yield* selectTypes.all({ agent })).map(({ name, n }) => [name, n] as const);
    compare('property_types', agent, ordered(new Map(types)), ordered(byType));
    const kept = (yield* selectTags.all({ agent })).map(({ name, n }) => [name, n] as const);
    compare('tags', agent, ordered(new Map(kept)), ordered(tags));
    for (const publisher of [...sellers].sort().slice(0, PUBLISHERS_OF_ONE)) {
      publishers.add(publisher);
      const row = yield* countAgents.first({ publisher });
      if (row !== undefined) compare('publisher_agents', publisher, row.kept, row.counted);
    }
    const { day: last = 0 } = (yield* selectLast.first({})) ?? {};
    const days = yield* call((db) => pastDays(db, agent, { first: last - HEALTH_DAYS, last }));
    const codes = days.map((day) => healthCode(unpacked([day])));
    compare(
      'health_days',
      agent,
      days.map(({ health }) => health),
      codes,
    );
    const standing = yield* selectStanding.first({ agent });
    if (standing !== undefined) {
      const shown = JSON.parse(standing.standing) as { readonly latest: { readonly runId: string } | null };
      compare('standing', agent, shown.latest?.runId ?? null, standing.run);
    }
    const document = yield* selectDocument.first({ agent });
    if (document !== undefined)
      compare(
        'document',
        agent,
        document.hash,
        document.value === null ? null : digest('sha256', document.value),
      );
    return differences;
  };
}

function summed(entries: readonly (readonly [string, number])[]): Counts {
  const sums = new Map<string, number>();
  for (const [name, n] of entries) sums.set(name, (sums.get(name) ?? 0) + n);
  return sums;
}

/** By name, without those of which there are none. */
function ordered(counts: Counts): readonly (readonly [string, number])[] {
  return [...counts].filter(([, n]) => n !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
}

type OfAgent = Param<{ agent: string }>;

function keptSums(param: OfAgent) {
  return sql
    .selectFrom('agent')
    .select(['authorisation_count as authorisations', 'mention_count as mentions'])
    .select(['publisher_count as publishers', 'property_count as properties'])
    .where('agent', '=', param('agent'));
}

function liveEdges(param: OfAgent) {
  return sql
    .selectFrom('authorisation')
    .select(['publisher', 'sells', 'count_by_type', 'tags'])
    .where('agent', '=', param('agent'))
    .where('seen_until', 'is', null);
}

function liveMentions(param: OfAgent) {
  return sql
    .selectFrom('mention')
    .select((row) => row.fn.countAll<number>().as('n'))
    .where('agent', '=', param('agent'))
    .where('seen_until', 'is', null);
}

function keptTypes(param: OfAgent) {
  return sql
    .selectFrom('agent_property_count')
    .select(['property_type as name', 'n'])
    .where('agent', '=', param('agent'));
}

function keptTags(param: OfAgent) {
  return sql.selectFrom('agent_tag').select(['tag as name', 'n']).where('agent', '=', param('agent'));
}

/** The run that an agent shows, as far as it is there. */
function keptStanding(param: OfAgent) {
  return sql
    .selectFrom('compliance_standing as stands')
    .leftJoin('compliance_run as run', (join) =>
      join.onRef('run.agent', '=', 'stands.agent').onRef('run.id', '=', 'stands.latest_run'),
    )
    .select(['stands.standing', 'run.id as run'])
    .where('stands.agent', '=', param('agent'));
}

function keptDocument(param: OfAgent) {
  return sql.selectFrom('document').select(['hash', 'value']).where('agent', '=', param('agent'));
}

function pastDays(db: Db, agent: string, { first, last }: { readonly first: number; readonly last: number }) {
  return eachDay(db, first, last)
    .selectFrom('day')
    .innerJoin('probe_day', 'probe_day.day', 'day.number')
    .select(['probe_day.day', 'probe_day.probes', 'probe_day.health'])
    .where('probe_day.agent', '=', agent)
    .execute();
}

/** What the live declaration says of how many agents it has, and how many there are. */
function agentsOfPublisher(param: Param<{ publisher: string }>) {
  return sql
    .selectFrom('source')
    .innerJoin('declaration', 'declaration.id', 'source.declaration')
    .select('declaration.agents as kept')
    .select((row) =>
      row
        .selectFrom('authorisation')
        .select((edge) => edge.fn.count<number>('agent').distinct().as('n'))
        .where('publisher', '=', param('publisher'))
        .where('seen_until', 'is', null)
        .where('sells', '=', 1)
        .as('counted'),
    )
    .where('source.kind', '=', 'adagents')
    .where('source.key', '=', param('publisher'));
}
