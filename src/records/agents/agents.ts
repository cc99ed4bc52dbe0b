import { type Selectable, sql } from 'kysely';
import { present } from '../../base/json.ts';
import { MAX_RECORD_PUBLISHERS, MAX_RECORD_TAGS } from '../../domain/agent-document.ts';
import type { AgentFacts, LastGood, LiveState } from '../../domain/agent-facts.ts';
import { type ComplianceFacts, NEVER_TESTED } from '../../domain/compliance.ts';
import type { Mention } from '../../domain/declared-facts.ts';
import { registrableDomain } from '../../domain/domain-name.ts';
import { brandHostsOf, dialledUrl, operatorNamesOf } from '../../domain/identity.ts';
import type { Exposed, Observation } from '../../domain/observation.ts';
import type { Standing } from '../../domain/standing.ts';
import { type Db, listOf, parsed, type RecordsDatabase, tableOf } from '../database.ts';
import { readRegistrations } from '../owners/registrations.ts';
import { CHOSEN_COLUMNS, chosenSettings } from '../runs/compliance-state.ts';
import type { MentionTable } from '../tables.ts';
import { seenAuthorisation } from '../visits/authorisation-rows.ts';
import { seenMention } from '../visits/mention-rows.ts';
import { createDocumentStore } from './documents.ts';
import { createHealthStore } from './health.ts';
import { jsonRows } from './queries.ts';

/**
 * Agents: the facts from which a document is stitched, the stitched documents, the change log, live state, observations
 * and declarations of an agent.
 */
export function createAgentStore(database: RecordsDatabase, isLogDurable: boolean) {
  return {
    ...createDocumentStore(database, isLogDurable),
    ...createHealthStore(database),
    facts: (agents: readonly string[]) => database.read((db) => readFacts(db, agents)),
    /** The URL to dial for an agent (`dialledUrl`): its canonical URL if the agent is unknown. */
    dialled: (agent: string) => database.read((db) => readDialled(db, agent)),
    live: (agents: readonly string[]) => database.read((db) => readLive(db, agents)),
    /** What probes found, newest first; one that found the same as the one before is not repeated. */
    observations: (agent: string, limit: number) => database.read((db) => readObservations(db, agent, limit)),
    /** Live authorisations of the agent, by publisher, at most `limit`. */
    authorisations: (agent: string, limit: number) =>
      database.read((db) => readAuthorisations(db, agent, limit)),
    /** Live mentions of the agent, by publisher, at most `limit`. */
    mentions: (agent: string, limit: number) => database.read((db) => readMentions(db, agent, limit)),
    /** Those of these domains that authorise the agent now. */
    authorisedAmong: (agent: string, domains: readonly string[]) =>
      database.read((db) => readAuthorisedAmong(db, agent, domains)),
  };
}

export type AgentStore = ReturnType<typeof createAgentStore>;

/** All that is known of each agent; one that is unknown is left out. The cost per agent does not grow with its publishers. */
async function readFacts(db: Db, agents: readonly string[]): Promise<readonly AgentFacts[]> {
  const rows = await readAgents(db, agents);
  const mentioned = rows.filter((row) => row.mention_count > 0);
  const mentions = await readBrandMentions(
    db,
    mentioned.map((row) => ({ agent: row.agent, exposed: lastGood(row)?.exposed })),
  );
  const registrations = await readRegistrations(db, agents);
  const facts = new Map(
    rows.map((row): [string, AgentFacts] => {
      const { agent } = row;
      const declared = row.authorisation_count + row.mention_count > 0;
      const known = {
        agent,
        firstSeenAt: row.first_seen_at,
        declared,
        compliance: complianceOf(row),
        ...(mentions.get(agent) ?? NO_MENTIONS),
        ...present({
          registration: registrations.get(agent),
          declarationEndedAt: declared ? null : row.declaration_ended_at,
          portfolio: portfolioOf(row),
          lastGood: lastGood(row),
          protocol: row.protocol,
          endpoint: row.endpoint,
        }),
      };
      return [agent, known];
    }),
  );
  return agents.flatMap((agent) => facts.get(agent) ?? []);
}

type AgentRow = Awaited<ReturnType<typeof readAgents>>[number];

function readAgents(db: Db, agents: readonly string[]) {
  return db
    .selectFrom('agent')
    .leftJoin('exposed', 'exposed.hash', 'agent.good_exposed')
    .leftJoin('agent_settings as chosen', 'chosen.agent', 'agent.agent')
    .leftJoin('compliance_standing', 'compliance_standing.agent', 'agent.agent')
    .selectAll('agent')
    .select(['exposed.value as exposed', 'compliance_standing.standing'])
    .select(CHOSEN_COLUMNS)
    .select((row) => [
      jsonRows(
        db,
        row
          .selectFrom('authorisation')
          .select('authorisation.publisher')
          .distinct()
          .whereRef('authorisation.agent', '=', 'agent.agent')
          .where('authorisation.seen_until', 'is', null)
          .where('authorisation.sells', '=', 1)
          .orderBy('authorisation.publisher')
          .limit(MAX_RECORD_PUBLISHERS),
      ).as('publishers'),
      jsonRows(
        db,
        row
          .selectFrom('agent_property_count as count')
          .select(['count.property_type', 'count.n'])
          .whereRef('count.agent', '=', 'agent.agent')
          .orderBy('count.property_type'),
      ).as('property_counts'),
      jsonRows(
        db,
        row
          .selectFrom('agent_tag')
          .select('agent_tag.tag')
          .whereRef('agent_tag.agent', '=', 'agent.agent')
          .orderBy('agent_tag.tag')
          .limit(MAX_RECORD_TAGS),
      ).as('tags'),
      jsonRows(
        db,
        row
          .selectFrom('badge')
          .select(['badge.role', 'badge.axes'])
          .whereRef('badge.agent', '=', 'agent.agent')
          .where('badge.revoked_at', 'is', null)
          .orderBy('badge.place'),
      ).as('active_badges'),
    ])
    .where('agent.agent', 'in', listOf(db, agents))
    .execute();
}

function portfolioOf(row: AgentRow): AgentFacts['portfolio'] {
  if (row.authorised_from === null) return undefined;
  const publishers = JSON.parse(row.publishers) as { publisher: string }[];
  const counts = JSON.parse(row.property_counts) as { property_type: string; n: number }[];
  const tags = JSON.parse(row.tags) as { tag: string }[];
  return {
    publisherCount: row.publisher_count,
    publishers: publishers.map(({ publisher }) => publisher),
    propertyCount: row.property_count,
    countByType: Object.fromEntries(counts.map(({ property_type, n }) => [property_type, n])),
    tags: tags.map(({ tag }) => tag),
  };
}

function lastGood(row: AgentRow): LastGood | undefined {
  const { good_at: at, good_protocol: protocol, good_endpoint: endpoint, exposed } = row;
  if (at === null || protocol === null || endpoint === null || exposed === null) return undefined;
  return { at, protocol, endpoint, exposed: JSON.parse(exposed) as Exposed };
}

/** The compliance in a document: the settings, the latest run that counts, the active badges. */
function complianceOf(row: AgentRow): ComplianceFacts {
  const settings = chosenSettings(row);
  if (row.standing === null) return { ...NEVER_TESTED, ...settings };
  const badges = JSON.parse(row.active_badges) as { role: BadgeOf['role']; axes: string }[];
  return {
    ...NEVER_TESTED,
    ...settings,
    ...tested(JSON.parse(row.standing) as Standing),
    badges: badges.map(({ role, axes }) => ({ role, axes: JSON.parse(axes) as BadgeOf['axes'] })),
  };
}

type BadgeOf = ComplianceFacts['badges'][number];

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

/** Brand mentions among the facts of one agent, at most. */
const MAX_MENTIONS = 100;

type BrandMentions = Pick<AgentFacts, 'mentions' | 'operatorDeclarers'>;
const NO_MENTIONS: BrandMentions = { mentions: [], operatorDeclarers: [] };

interface ExposingAgent {
  readonly agent: string;
  readonly exposed: Exposed | undefined;
}

/**
 * The live brand.json entries about each agent, in this order: those in the file of its registrable domain, in the file of
 * its host, in the file that it points back to, in other files on its registrable domain, in the rest by declarer. So
 * strangers, however many, hide no entry that counts.
 */
async function readBrandMentions(
  db: Db,
  agents: readonly ExposingAgent[],
): Promise<ReadonlyMap<string, BrandMentions>> {
  const names = agents.map(({ agent }) => agent);
  const rows = await db
    .selectFrom(tableOf(db, names))
    .select('listed.value as agent')
    .select((row) =>
      jsonRows(
        db,
        row
          .selectFrom('mention')
          .select(MENTION_COLUMNS)
          .whereRef('mention.agent', '=', 'listed.value')
          .where('mention.file', '=', 'brand')
          .where('mention.seen_until', 'is', null)
          .orderBy('mention.own', 'desc')
          .orderBy('mention.declarer')
          .orderBy('mention.id')
          .limit(MAX_MENTIONS),
      ).as('mentions'),
    )
    .execute();
  const firstMentions = new Map(rows.map((row) => [row.agent, JSON.parse(row.mentions) as MentionRow[]]));
  const found = new Map<string, BrandMentions>();
  for (const { agent, exposed } of agents) {
    const host = new URL(agent).hostname;
    const houses = brandHostsOf(exposed);
    const declarers = [...new Set([registrableDomain(host), host, ...houses])];
    let mentions: readonly MentionRow[] = firstMentions.get(agent) ?? [];
    if (mentions.length === MAX_MENTIONS)
      mentions = [...(await readMentionsBy(db, agent, declarers)), ...mentions];
    const place = ({ declarer }: MentionRow) =>
      declarers.includes(declarer) ? declarers.indexOf(declarer) : declarers.length;
    const distinct = [...new Map(mentions.map((mention) => [mention.id, mention])).values()];
    const ordered = distinct.toSorted((a, b) => place(a) - place(b)).slice(0, MAX_MENTIONS);
    found.set(agent, {
      mentions: ordered.map(mentionOf),
      operatorDeclarers: await readOperatorDeclarers(db, agent, houses),
    });
  }
  return found;
}

const MENTION_COLUMNS = [
  'mention.id',
  'mention.declarer',
  'mention.file',
  'mention.agent',
  'mention.entry',
  'mention.declared_url',
  'mention.own',
  'mention.details',
  'mention.seen_from',
  'mention.seen_until',
] as const;

type MentionRow = Selectable<MentionTable>;

function mentionOf(row: MentionRow): Mention {
  const { seenFrom: _from, seenUntil: _until, ...mention } = seenMention(row);
  return mention;
}

/** The brand mentions of an agent in the files of these domains, for an agent with more mentions than are read otherwise. */
async function readMentionsBy(
  db: Db,
  agent: string,
  declarers: readonly string[],
): Promise<readonly MentionRow[]> {
  const domain = registrableDomain(new URL(agent).hostname);
  const mentions: MentionRow[] = [];
  for (const declarer of declarers) {
    const rows = await db
      .selectFrom('mention')
      .selectAll()
      .where('agent', '=', agent)
      .where('file', '=', 'brand')
      .where('own', '=', registrableDomain(declarer) === domain ? 1 : 0)
      .where('declarer', '=', declarer)
      .where('seen_until', 'is', null)
      .orderBy('id')
      .limit(MAX_MENTIONS)
      .execute();
    mentions.push(...rows);
  }
  return mentions;
}

/** Those of these houses whose brand.json has the agent's domain among its `authorized_operators`. */
async function readOperatorDeclarers(
  db: Db,
  agent: string,
  houses: readonly string[],
): Promise<readonly string[]> {
  const operators = operatorNamesOf(agent);
  if (houses.length === 0 || operators.length === 0) return [];
  const rows = await db
    .selectFrom('operator')
    .select('house')
    .distinct()
    .where('house', 'in', houses)
    .where('operator', 'in', operators)
    .execute();
  const declarers = new Set(rows.map(({ house }) => house));
  return houses.filter((house) => declarers.has(house));
}

/** The URL to dial for an agent (`dialledUrl`): its canonical URL if the agent is unknown. */
async function readDialled(db: Db, agent: string): Promise<string> {
  const row = await db
    .selectFrom('source')
    .leftJoin('registration', 'registration.agent', 'source.key')
    .leftJoin('agent', 'agent.agent', 'source.key')
    .leftJoin('exposed', 'exposed.hash', 'agent.good_exposed')
    .select(['source.url', 'registration.url as registered_url', 'agent.mention_count'])
    .select('exposed.value as exposed')
    .where('source.kind', '=', 'agent')
    .where('source.key', '=', agent)
    .executeTakeFirst();
  if (row === undefined) return agent;
  const exposed = parsed<Exposed>(row.exposed);
  const mentions = row.mention_count ? await readBrandMentions(db, [{ agent, exposed }]) : undefined;
  return dialledUrl({
    agent,
    ...(mentions?.get(agent) ?? NO_MENTIONS),
    ...present({ registeredUrl: row.registered_url, sourceUrl: row.url }),
    ...(exposed && { lastGood: { exposed } }),
  });
}

interface LiveRow {
  readonly agent: string;
  readonly first_seen_at: number;
  readonly last_seen_at: number | null;
  readonly last_checked_at: number | null;
  readonly health: string | null;
  readonly next_visit_at: number | null;
}

async function readLive(db: Db, agents: readonly string[]): Promise<ReadonlyMap<string, LiveState>> {
  // plain SQL: this is the most frequent query of the API, and building it with Kysely takes as long as running it
  const { rows } = await sql<LiveRow>`
    SELECT agent.agent, agent.first_seen_at, agent.last_seen_at, agent.last_checked_at, agent.health, source.next_visit_at
    FROM agent LEFT JOIN source ON source.kind = 'agent' AND source.key = agent.agent
    WHERE agent.agent IN ${listOf(db, agents)}`.execute(db);
  return new Map(
    rows.map((row) => {
      const state = {
        agent: row.agent,
        firstSeenAt: row.first_seen_at,
        ...present({
          lastSeenAt: row.last_seen_at,
          lastCheckedAt: row.last_checked_at,
          nextCheckAt: row.next_visit_at,
          health: row.health ?? undefined,
        }),
      };
      return [row.agent, state];
    }),
  );
}

async function readObservations(db: Db, agent: string, limit: number): Promise<readonly Observation[]> {
  const rows = await db
    .selectFrom('probe_change as change')
    .leftJoin('exposed', 'exposed.hash', 'change.exposed')
    .select(['change.agent', 'change.at', 'change.value', 'exposed.value as exposed_value'])
    .where('change.agent', '=', agent)
    .orderBy('change.at', 'desc')
    .orderBy('change.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => {
    const exposed = parsed<Exposed>(row.exposed_value);
    const rest = JSON.parse(row.value) as Omit<Observation, 'agent' | 'at' | 'exposed'>;
    return { agent: row.agent, at: row.at, ...rest, ...(exposed && { exposed }) };
  });
}

async function readAuthorisations(db: Db, agent: string, limit: number) {
  const rows = await db
    .selectFrom('authorisation')
    .selectAll()
    .where('agent', '=', agent)
    .where('seen_until', 'is', null)
    .orderBy('publisher')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(seenAuthorisation);
}

async function readMentions(db: Db, agent: string, limit: number) {
  const rows = await db
    .selectFrom('mention')
    .selectAll()
    .where('agent', '=', agent)
    .where('seen_until', 'is', null)
    .orderBy('declarer')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(seenMention);
}

async function readAuthorisedAmong(
  db: Db,
  agent: string,
  domains: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('authorisation')
    .select('publisher')
    .distinct()
    .where('agent', '=', agent)
    .where('publisher', 'in', listOf(db, domains))
    .where('seen_until', 'is', null)
    .where('sells', '=', 1)
    .execute();
  return new Set(rows.map((row) => row.publisher));
}
