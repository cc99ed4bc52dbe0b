import { type Insertable, sql } from 'kysely';
import { idsIn } from '../agents/queries.ts';
import { type Db, insertInChunks, listOf } from '../database.ts';
import { sortedByKey } from '../locks.ts';
import type { Cause, NamedVisit } from '../sources/known-sources.ts';
import type { AgentTable } from '../tables.ts';

/** How a file names an agent. */
interface Naming {
  readonly url: string;
  /** For example `news.example adagents`. */
  readonly foundVia: string;
}

/** What is added to the sums of an agent; an agent that has such a change is stitched again. */
export interface AgentChange extends Naming {
  readonly at: number;
  trace?: string | undefined;
  authorisations: number;
  mentions: number;
  publishers: number;
  properties: number;
  readonly byType: Map<string, number>;
  readonly tags: Map<string, number>;
  /** From the brand.json of the agent's own domain: the URL at which the agent is called from now on. */
  dialled?: Naming;
}

/** By the canonical URL of the agent. */
export type AgentChanges = Map<string, AgentChange>;

/** The change of an agent, added if there is none yet. */
export function changeOf(agents: AgentChanges, agent: string, naming: Naming & Cause): AgentChange {
  const known = agents.get(agent);
  if (known !== undefined) return known;
  const sums = { authorisations: 0, mentions: 0, publishers: 0, properties: 0 };
  const created = { ...naming, ...sums, byType: new Map(), tags: new Map() };
  agents.set(agent, created);
  return created;
}

/** The changes of several visits as one. */
export function mergedChanges(visits: readonly AgentChanges[]): AgentChanges {
  const merged: AgentChanges = new Map();
  for (const [agent, change] of visits.flatMap((agents) => [...agents])) {
    const sum = changeOf(merged, agent, change);
    sum.authorisations += change.authorisations;
    sum.mentions += change.mentions;
    sum.publishers += change.publishers;
    sum.properties += change.properties;
    for (const [type, n] of change.byType) addTo(sum.byType, type, n);
    for (const [tag, n] of change.tags) addTo(sum.tags, tag, n);
    sum.trace = change.trace ?? sum.trace;
    if (change.dialled !== undefined) sum.dialled = change.dialled;
  }
  return merged;
}

/** Adds `n` to the count of `key`. */
export function addTo(counts: Map<string, number>, key: string, n: number): void {
  counts.set(key, (counts.get(key) ?? 0) + n);
}

/** The agents of these changes as visits to make. */
export function foundAgents(agents: AgentChanges): readonly NamedVisit[] {
  return [...agents].map(([key, { url, foundVia, at, trace }]) => {
    return { kind: 'agent', key, url, foundVia, at, trace };
  });
}

/** No schedule postpones a visit for more than a day; what is later belongs to an agent that had left the list. */
const DAY_MS = 86_400_000;

/**
 * Adds the changes to the sums of the agents and marks the agents dirty. Returns the new ones. Sources are locked before
 * agents, as the visit of an agent does.
 */
export async function writeAgents(db: Db, changes: AgentChanges): Promise<readonly string[]> {
  const sorted = sortedByKey(changes);
  const rows = sorted.map(([agent, change]) => ({
    agent,
    first_seen_at: change.at,
    revision: 1,
    dirty_since: change.at,
    authorisation_count: change.authorisations,
    mention_count: change.mentions,
    publisher_count: change.publishers,
    property_count: change.properties,
    authorised_from: change.authorisations > 0 ? change.at : null,
    trace: change.trace ?? null,
  }));
  const declared = sorted.filter(([, { authorisations, mentions }]) => authorisations + mentions > 0);
  await makeDue(
    db,
    declared.map(([agent]) => agent),
    Math.max(...declared.map(([, { at }]) => at)),
  );
  for (const [agent, { dialled }] of sorted) if (dialled !== undefined) await setUrl(db, agent, dialled);
  const after: Awaited<ReturnType<typeof upsertAgents>> = [];
  await insertInChunks(rows, async (some) => after.push(...(await upsertAgents(db, some))));
  await addPropertyCounts(db, sorted);
  await addTagCounts(db, sorted);
  return after.filter(({ revision }) => revision === 1).map(({ agent }) => agent);
}

/** Adds to the sums. Remembers when the last declaration of an agent ended, and forgets it when there is one again. */
function upsertAgents(db: Db, rows: readonly Insertable<AgentTable>[]) {
  const before = sql`agent.authorisation_count + agent.mention_count`;
  const added = sql`excluded.authorisation_count + excluded.mention_count`;
  return db
    .insertInto('agent')
    .values(rows)
    .onConflict((known) =>
      known.column('agent').doUpdateSet({
        revision: sql`agent.revision + 1`,
        dirty_since: sql`coalesce(agent.dirty_since, excluded.dirty_since)`,
        authorisation_count: sql`agent.authorisation_count + excluded.authorisation_count`,
        mention_count: sql`agent.mention_count + excluded.mention_count`,
        publisher_count: sql`agent.publisher_count + excluded.publisher_count`,
        property_count: sql`agent.property_count + excluded.property_count`,
        authorised_from: sql`coalesce(agent.authorised_from, excluded.authorised_from)`,
        trace: sql`coalesce(excluded.trace, agent.trace)`,
        declaration_ended_at: sql`case when ${before} + ${added} > 0 then null
          when ${before} > 0 then excluded.dirty_since else agent.declaration_ended_at end`,
      }),
    )
    .returning(['agent', 'revision'])
    .execute();
}

type Sorted = ReturnType<typeof sortedByKey<string, AgentChange>>;

/** The row of the agent is locked, so no other transaction changes its sums. */
async function addPropertyCounts(db: Db, changes: Sorted): Promise<void> {
  const rows = changes.flatMap(([agent, { byType }]) =>
    [...byType].map(([property_type, n]) => ({ agent, property_type, n })).filter(({ n }) => n !== 0),
  );
  await insertInChunks(rows, (some) =>
    db
      .insertInto('agent_property_count')
      .values(some)
      .onConflict((known) =>
        known
          .columns(['agent', 'property_type'])
          .doUpdateSet({ n: sql`agent_property_count.n + excluded.n` }),
      )
      .execute(),
  );
  const lessened = rows.filter(({ n }) => n < 0).map(({ agent }) => agent);
  if (lessened.length === 0) return;
  await db
    .deleteFrom('agent_property_count')
    .where('agent', 'in', listOf(db, lessened))
    .where('n', '<=', 0)
    .execute();
}

async function addTagCounts(db: Db, changes: Sorted): Promise<void> {
  const rows = changes.flatMap(([agent, { tags }]) =>
    [...tags].map(([tag, n]) => ({ agent, tag, n })).filter(({ n }) => n !== 0),
  );
  await insertInChunks(rows, (some) =>
    db
      .insertInto('agent_tag')
      .values(some)
      .onConflict((known) =>
        known.columns(['agent', 'tag']).doUpdateSet({ n: sql`agent_tag.n + excluded.n` }),
      )
      .execute(),
  );
  const lessened = rows.filter(({ n }) => n < 0).map(({ agent }) => agent);
  if (lessened.length === 0) return;
  await db.deleteFrom('agent_tag').where('agent', 'in', listOf(db, lessened)).where('n', '<=', 0).execute();
}

/**
 * Makes due those of these agents that had no declaration until now, and that have left the list; the others keep their
 * next visits. Locks their sources, as a search for due visits may be about to postpone them.
 */
async function makeDue(db: Db, agents: readonly string[], now: number): Promise<void> {
  if (agents.length === 0) return;
  const undeclared = db
    .selectFrom('agent')
    .select('agent')
    .where('agent', 'in', listOf(db, agents))
    .where(sql<boolean>`authorisation_count + mention_count = 0`);
  const sources = await db
    .selectFrom('source')
    .select('id')
    .where('kind', '=', 'agent')
    .where('key', 'in', undeclared)
    .orderBy('key') // all processes lock the rows in one order
    .forUpdate()
    .execute();
  if (sources.length === 0) return;
  await db
    .updateTable('source')
    .set({ next_visit_at: now })
    .where(
      'id',
      'in',
      idsIn(
        db,
        sources.map(({ id }) => id),
      ),
    )
    .where('next_visit_at', '>', now + DAY_MS)
    .execute();
}

/** The URL of a registration has precedence over that of any file. */
async function setUrl(db: Db, agent: string, { url, foundVia }: Naming): Promise<void> {
  await db
    .updateTable('source')
    .set({ url, found_via: foundVia })
    .where('kind', '=', 'agent')
    .where('key', '=', agent)
    .where((row) =>
      row.not(row.exists(row.selectFrom('registration').select('agent').where('agent', '=', agent))),
    )
    .execute();
}
