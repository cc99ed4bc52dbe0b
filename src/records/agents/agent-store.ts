import { present } from '../../base/json.ts';
import { MAX_RECORD_PUBLISHERS, MAX_RECORD_TAGS } from '../../domain/agent-document.ts';
import type { AgentFacts, LastGood } from '../../domain/agent-facts.ts';
import { isActive } from '../../domain/badge.ts';
import { type ComplianceFacts, NEVER_TESTED } from '../../domain/compliance.ts';
import { dialledUrl } from '../../domain/identity.ts';
import type { Exposed } from '../../domain/observation.ts';
import type { Standing } from '../../domain/standing.ts';
import type { AgentStore } from '../../ports/agent-store.ts';
import { createRegistrationReader } from '../owners/registrations.ts';
import { readState } from '../runs/compliance-state.ts';
import { call, type SqlStore, type SqlTask, together } from '../sql-tasks.ts';
import { type Param, parsed, prepare, sql } from '../statements.ts';
import { createAgentHealth } from './agent-health.ts';
import { createAgentViews } from './agent-views.ts';
import { createLogViews } from './change-log.ts';
import { createContactLog } from './contact-log.ts';
import { createMentionReader } from './mention-facts.ts';
import { createStitchedDocuments } from './stitched-documents.ts';

/** The agents of a store: facts, documents, change log and live state. */
export function createAgentStore(store: SqlStore, isLogDurable: boolean): AgentStore {
  const readFacts = createFactsReader(store);
  const readDialled = createDialledReader(store);
  return {
    ...createStitchedDocuments(store, isLogDurable),
    ...createLogViews(store),
    ...createAgentViews(store),
    ...createAgentHealth(store),
    ...createContactLog(store),
    facts: (agents) =>
      store.read(function* () {
        const facts = yield* together(agents.map(readFacts));
        return facts.filter((known) => known !== undefined);
      }),
    dialled: (agent) => store.read(() => readDialled(agent)),
  };
}

/** Everything known of one agent; undefined for one never heard of. Costs the same however many publishers it has. */
type FactsReader = (agent: string) => SqlTask<AgentFacts | undefined>;

interface AgentRow {
  readonly publisher_count: number;
  readonly property_count: number;
  readonly authorised_from: number | null;
}

function createFactsReader(store: SqlStore): FactsReader {
  const selectAgent = prepare(store, agentWithExposed);
  const selectPublishers = prepare(store, livePublishers);
  const selectCounts = prepare(store, propertyCounts);
  const selectTags = prepare(store, liveTags);
  const mentions = createMentionReader(store);
  const registration = createRegistrationReader(store);
  const compliance = createComplianceReader();

  function* portfolio(agent: string, row: AgentRow): SqlTask<AgentFacts['portfolio']> {
    if (row.authorised_from === null) return undefined;
    const publishers = row.publisher_count === 0 ? [] : yield* selectPublishers.all({ agent });
    const counts = yield* selectCounts.all({ agent });
    const tags = yield* selectTags.all({ agent });
    return {
      publisherCount: row.publisher_count,
      publishers: publishers.map((live) => live.publisher),
      propertyCount: row.property_count,
      countByType: Object.fromEntries(counts.map((count) => [count.property_type, count.n])),
      tags: tags.map((live) => live.tag),
    };
  }
  return function* (agent) {
    const row = yield* selectAgent.first({ agent });
    if (row === undefined) return undefined;
    const good = lastGood(row);
    const declared = row.authorisation_count + row.mention_count > 0;
    return {
      agent,
      firstSeenAt: row.first_seen_at,
      declared,
      compliance: yield* compliance(agent),
      ...(row.mention_count > 0
        ? yield* mentions(agent, good?.exposed)
        : { mentions: [], operatorDeclarers: [] }),
      ...present({
        registration: yield* registration(agent),
        declarationEndedAt: declared ? null : row.declaration_ended_at,
        portfolio: yield* portfolio(agent, row),
        lastGood: good,
        protocol: row.protocol,
        endpoint: row.endpoint,
      }),
    };
  };
}

function lastGood(row: {
  readonly good_at: number | null;
  readonly good_protocol: LastGood['protocol'] | null;
  readonly good_endpoint: string | null;
  readonly exposed: string | null;
}): LastGood | undefined {
  const { good_at: at, good_protocol: protocol, good_endpoint: endpoint, exposed } = row;
  if (at === null || protocol === null || endpoint === null || exposed === null) return undefined;
  return { at, protocol, endpoint, exposed: JSON.parse(exposed) as Exposed };
}

function agentWithExposed(param: Param<{ agent: string }>) {
  return sql
    .selectFrom('agent')
    .leftJoin('exposed', 'exposed.hash', 'agent.good_exposed')
    .selectAll('agent')
    .select('exposed.value as exposed')
    .where('agent.agent', '=', param('agent'));
}

function livePublishers(param: Param<{ agent: string }>) {
  return sql
    .selectFrom('authorisation')
    .select('publisher')
    .distinct()
    .where('agent', '=', param('agent'))
    .where('seen_until', 'is', null)
    .where('sells', '=', 1)
    .orderBy('publisher')
    .limit(MAX_RECORD_PUBLISHERS);
}

function propertyCounts(param: Param<{ agent: string }>) {
  return sql
    .selectFrom('agent_property_count')
    .select(['property_type', 'n'])
    .where('agent', '=', param('agent'))
    .orderBy('property_type');
}

function liveTags(param: Param<{ agent: string }>) {
  return sql
    .selectFrom('agent_tag')
    .select('tag')
    .where('agent', '=', param('agent'))
    .orderBy('tag')
    .limit(MAX_RECORD_TAGS);
}

/** What a document shows of an agent's compliance: its settings, its latest run that counts, its active badges. */
function createComplianceReader(): (agent: string) => SqlTask<ComplianceFacts> {
  return function* (agent) {
    const known = yield* call((db) => readState(db, agent));
    if (known === undefined) return NEVER_TESTED;
    const { settings, standing, badges } = known;
    const active = badges.filter(isActive).map(({ role, axes }) => ({ role, axes }));
    return { ...NEVER_TESTED, ...settings, ...tested(standing), badges: active };
  };
}

function tested({ status, streakDays, latest }: Standing): Partial<ComplianceFacts> {
  if (latest === null) return {};
  const { verdict } = latest;
  return {
    status,
    streakDays,
    tracks: verdict.tracks,
    trackDetails: verdict.track_details,
    lastCheckedAt: new Date(latest.at).toISOString(),
    ...present({
      headline: verdict.headline === '' ? null : verdict.headline,
      requestedComplianceTarget: latest.requestedTarget,
      protoVersion: latest.protoVersion,
    }),
  };
}

/** Reads the URL to dial for an agent, by the one rule (`dialledUrl`); its canonical URL for one never heard of. */
function createDialledReader(store: SqlStore): (agent: string) => SqlTask<string> {
  const select = prepare(store, spellingsOf);
  const readMentions = createMentionReader(store);
  return function* (agent) {
    const row = yield* select.first({ agent });
    if (row === undefined) return agent;
    const known = { agent, ...present({ registeredUrl: row.registered_url, sourceUrl: row.url }) };
    const exposed = parsed<Exposed>(row.exposed);
    const said = row.mention_count ? yield* readMentions(agent, exposed) : NO_MENTIONS;
    return dialledUrl({ ...known, ...said, ...(exposed && { lastGood: { exposed } }) });
  };
}

const NO_MENTIONS = { mentions: [], operatorDeclarers: [] };

function spellingsOf(param: Param<{ agent: string }>) {
  return sql
    .selectFrom('source')
    .leftJoin('registration', 'registration.agent', 'source.key')
    .leftJoin('agent', 'agent.agent', 'source.key')
    .leftJoin('exposed', 'exposed.hash', 'agent.good_exposed')
    .select(['source.url', 'registration.url as registered_url', 'agent.mention_count'])
    .select('exposed.value as exposed')
    .where('source.kind', '=', 'agent')
    .where('source.key', '=', param('agent'));
}
