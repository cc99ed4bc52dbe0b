import { sql } from 'kysely';
import type { AgentFilter, AgentHit, AgentPage, AgentQuery, RecordGroups } from '../../domain/agent-query.ts';
import type { Db } from '../../records/database.ts';
import { readGroups } from '../query/list-query.ts';
import { listedAgents } from './filter-sql.ts';
import { tablesOf } from './tables.ts';

type HitRow = { readonly url: string; readonly seq: number } & {
  readonly [Group in keyof RecordGroups]?: string | null;
};

/** One page of a generation: the agents under a filter after a URL, by URL. */
export async function listAgents(db: Db, generation: number, query: AgentQuery): Promise<AgentPage> {
  const { filter, after = '', limit, shown } = query;
  const tables = tablesOf(generation);
  const { document } = tables;
  const groups = shown && readGroups(shown, filter);
  const columns = groups && [
    sql`document.base`,
    ...(groups.properties ? [sql`document.properties`] : []),
    ...(groups.capabilities ? [sql`document.capabilities`] : []),
    ...(groups.compliance ? [sql`document.compliance`] : []),
  ];
  // one agent more than the limit, to know whether others follow
  const { rows } = await sql<HitRow>`
    SELECT page.url, document.version AS seq ${columns ? sql`, ${sql.join(columns)}` : sql``}
    FROM (${listedAgents(tables, filter, after)} ORDER BY url LIMIT ${limit + 1}) AS page
    CROSS JOIN ${document} AS document ON document.id = page.id
    ORDER BY page.url`.execute(db);
  return {
    hits: rows.slice(0, limit).map(hitOf),
    more: rows.length > limit,
    generation: String(generation),
    ...(query.total && { total: await countAgents(db, generation, filter) }),
  };
}

function hitOf({ url, seq, base, properties, capabilities, compliance }: HitRow): AgentHit {
  if (typeof base !== 'string') return { url, seq };
  const groups = {
    base,
    ...(properties && { properties }),
    ...(capabilities && { capabilities }),
    ...(compliance && { compliance }),
  };
  return { url, seq, groups };
}

/** Exact number of agents under a filter of the list. */
export async function countAgents(db: Db, generation: number, filter: AgentFilter): Promise<number> {
  const { rows } = await sql<{ agents: number }>`
    SELECT count(*) AS agents FROM (${listedAgents(tablesOf(generation), filter, '')})`.execute(db);
  return rows[0]?.agents ?? 0;
}
