import type { Selectable } from 'kysely';
import type { LiveState } from '../../domain/agent-facts.ts';
import type { Exposed, Health, Observation } from '../../domain/observation.ts';
import type { AgentStore } from '../../ports/agent-store.ts';
import type { AgentTable } from '../schema-agents.ts';
import type { SqlStore } from '../sql-tasks.ts';
import { type Param, parsed, prepare, sql } from '../statements.ts';
import { seenAuthorisation } from '../visits/authorisation-rows.ts';
import { seenMention } from '../visits/mention-rows.ts';
import { savedDocument } from './change-log.ts';

type AgentViews = Pick<
  AgentStore,
  'live' | 'listed' | 'countListed' | 'observations' | 'authorisations' | 'mentions' | 'authorisedAmong'
>;

/** Reads of what was seen of an agent and of what is said about it. */
export function createAgentViews(store: SqlStore): AgentViews {
  const selectLive = prepare(store, liveAgents);
  const selectListed = prepare(store, listedAfter);
  const countListed = prepare(store, listedCount);
  const selectObservations = prepare(store, lastObservations);
  const selectAuthorisations = prepare(store, liveAuthorisations);
  const selectMentions = prepare(store, liveMentions);
  const selectEdges = prepare(store, liveEdges);
  return {
    async live(agents) {
      const rows = await store.read(() => selectLive.all({ agents }));
      return new Map(rows.map((row) => [row.agent, liveState(row)]));
    },
    async listed(after, limit) {
      const rows = await store.read(() => selectListed.all({ after: after ?? '', limit }));
      return rows.map(savedDocument);
    },
    countListed: async () => (await store.read(() => countListed.first({})))?.listed ?? 0,
    observations: async (agent, limit) =>
      (await store.read(() => selectObservations.all({ agent, limit }))).map(observation),
    authorisations: async (agent, limit) =>
      (await store.read(() => selectAuthorisations.all({ agent, limit }))).map(seenAuthorisation),
    mentions: async (agent, limit) =>
      (await store.read(() => selectMentions.all({ agent, limit }))).map(seenMention),
    async authorisedAmong(agent, domains) {
      const rows = await store.read(() => selectEdges.all({ agent, domains }));
      return new Set(rows.map((row) => row.publisher));
    },
  };
}

type LiveRow = Pick<
  Selectable<AgentTable>,
  'agent' | 'first_seen_at' | 'last_seen_at' | 'last_checked_at' | 'health'
> & {
  readonly next_visit_at: number | null;
};

/** Made for each agent of a list, so its members are named and not looked for. */
function liveState(row: LiveRow): LiveState {
  const { last_seen_at: lastSeenAt, last_checked_at: lastCheckedAt, next_visit_at: nextCheckAt } = row;
  const health = parsed<Health>(row.health);
  return {
    agent: row.agent,
    firstSeenAt: row.first_seen_at,
    ...(lastSeenAt !== null && { lastSeenAt }),
    ...(lastCheckedAt !== null && { lastCheckedAt }),
    ...(nextCheckAt !== null && { nextCheckAt }),
    ...(health && { health }),
  };
}

function observation(row: {
  readonly agent: string;
  readonly at: number;
  readonly value: string;
  readonly exposed_value: string | null;
}) {
  const exposed = parsed<Exposed>(row.exposed_value);
  const rest = JSON.parse(row.value) as Omit<Observation, 'agent' | 'at' | 'exposed'>;
  return { agent: row.agent, at: row.at, ...rest, ...(exposed && { exposed }) };
}

function liveAgents(param: Param<{ agents: readonly string[] }>) {
  return sql
    .selectFrom('agent')
    .leftJoin('source', (join) =>
      join.onRef('source.key', '=', 'agent.agent').on('source.kind', '=', 'agent'),
    )
    .select([
      'agent.agent',
      'agent.first_seen_at',
      'agent.last_seen_at',
      'agent.last_checked_at',
      'agent.health',
    ])
    .select('source.next_visit_at')
    .where('agent.agent', 'in', param.list('agents'));
}

function listedAfter(param: Param<{ after: string; limit: number }>) {
  return sql
    .selectFrom('document')
    .selectAll()
    .where('hash', 'is not', null)
    .where('agent', '>', param('after'))
    .orderBy('agent')
    .limit(param('limit'));
}

function listedCount(_place: Param<object>) {
  return sql
    .selectFrom('document')
    .select((row) => row.fn.countAll<number>().as('listed'))
    .where('hash', 'is not', null);
}

function lastObservations(param: Param<{ agent: string; limit: number }>) {
  return sql
    .selectFrom('probe_change as change')
    .leftJoin('exposed', 'exposed.hash', 'change.exposed')
    .select(['change.agent', 'change.at', 'change.value', 'exposed.value as exposed_value'])
    .where('change.agent', '=', param('agent'))
    .orderBy('change.at', 'desc')
    .orderBy('change.id', 'desc')
    .limit(param('limit'));
}

function liveAuthorisations(param: Param<{ agent: string; limit: number }>) {
  return sql
    .selectFrom('authorisation')
    .selectAll()
    .where('agent', '=', param('agent'))
    .where('seen_until', 'is', null)
    .orderBy('publisher')
    .orderBy('id')
    .limit(param('limit'));
}

function liveEdges(param: Param<{ agent: string; domains: readonly string[] }>) {
  return sql
    .selectFrom('authorisation')
    .select('publisher')
    .distinct()
    .where('agent', '=', param('agent'))
    .where('publisher', 'in', param.list('domains'))
    .where('seen_until', 'is', null)
    .where('sells', '=', 1);
}

function liveMentions(param: Param<{ agent: string; limit: number }>) {
  return sql
    .selectFrom('mention')
    .selectAll()
    .where('agent', '=', param('agent'))
    .where('seen_until', 'is', null)
    .orderBy('declarer')
    .orderBy('id')
    .limit(param('limit'));
}
