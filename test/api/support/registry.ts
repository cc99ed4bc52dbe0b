import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { afterAll, expect, onTestFinished } from 'vitest';
import { createServer } from '../../../src/api/server.ts';
import type { ServerConfig, ServerOptions } from '../../../src/api/server-options.ts';
import { createUrlFault } from '../../../src/crawl/fetch/url-fault.ts';
import type { AgentDocument } from '../../../src/domain/agent-document.ts';
import type { NewVisit } from '../../../src/domain/source.ts';
import { openSqliteIndex } from '../../../src/index/embedded/sqlite-index.ts';
import { createMetrics, type Metrics } from '../../../src/ops/metrics.ts';
import type { Credentials } from '../../../src/owners/credentials.ts';
import { type FreshApiKey, newApiKey } from '../../../src/owners/secrets.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import type { Records } from '../../../src/ports/records.ts';
import { openSqliteRecords, type SqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { livePut } from '../../contract/agent-index-reference.ts';

/** When the agents of a test were last probed: 2026-01-06T09:00:00.000Z. */
export const PROBED_AT = Date.UTC(2026, 0, 6, 9);
const FOUND_AT = PROBED_AT - 86_400_000;
const HOUR = 3_600_000;

export interface TestRegistry {
  readonly server: FastifyInstance;
  readonly records: SqliteRecords;
  readonly index: AgentIndex;
  readonly metrics: Metrics;
  /** Owned by the test. */
  readonly clock: { value: number; now(): number };
  get(path: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** Adds agents as a crawl does; `probed` ones answered their probe at PROBED_AT. */
  put(documents: readonly AgentDocument[], probed?: boolean): Promise<void>;
  /** Makes an API key of a member, and the member. */
  addKey(member: string): Promise<FreshApiKey>;
  /** Registers an agent to a member, who has proven to own it. */
  addOwner(agent: string, member: string): Promise<void>;
}

/** Parts that are made of the records. */
interface OfRecords {
  readonly credentialsOf?: (records: SqliteRecords) => Promise<Credentials>;
  /** The file of the records. Default: in memory. */
  readonly path?: string;
}

/** The API over a store in memory that holds these documents, until the test is over; of a shared one, until the last test is. */
export async function openRegistry(...parameters: Parameters<typeof startRegistry>): Promise<TestRegistry> {
  const { close, ...registry } = await startRegistry(...parameters);
  atEnd(close);
  return registry;
}

/** Ends what was opened for a registry as that ends. */
export function atEnd(end: () => Promise<void>): void {
  const ends = sharing.getStore();
  if (ends === undefined) onTestFinished(end);
  else ends.unshift(end);
}

const sharing = new AsyncLocalStorage<(() => Promise<void>)[]>();

/**
 * The registry that the tests of a file only ask, opened by `open` for the first of them: to make its server costs more than most
 * questions. Whoever changes something opens another one; the last test fails where somebody changed this one.
 */
export function sharedRegistry<T extends TestRegistry>(open: () => Promise<T>): () => Promise<T> {
  const ends: (() => Promise<void>)[] = [];
  let opened: Promise<readonly [T, string]> | undefined;
  const stateOf = async ({ records, clock, server }: T) =>
    `${await records.version()} ${clock.value} ${server.server.listening}`;
  const start = () =>
    sharing.run(ends, async () => {
      const registry = await open();
      await registry.server.ready(); // makes the secrets that it needs
      return [registry, await stateOf(registry)] as const;
    });
  afterAll(async () => {
    const [registry, before] = (await opened) ?? [];
    const after = registry && (await stateOf(registry));
    for (const end of ends) await end();
    expect(after).toBe(before);
  });
  return async () => {
    opened ??= start();
    return (await opened)[0];
  };
}

interface StartedRegistry extends TestRegistry {
  close(): Promise<void>;
}

/** The same, until `close`. */
export async function startRegistry(
  documents: readonly AgentDocument[] = [],
  config: Partial<ServerConfig> = {},
  parts: Partial<
    Pick<
      ServerOptions,
      | 'index'
      | 'logger'
      | 'onChanged'
      | 'writeFaults'
      | 'signatures'
      | 'checks'
      | 'findProof'
      | 'urlFault'
      | 'library'
    >
  > &
    OfRecords = {},
): Promise<StartedRegistry> {
  const clock = { value: PROBED_AT, now: () => clock.value };
  const { credentialsOf, path = ':memory:', ...others } = parts;
  const records = await openSqliteRecords({ path });
  const index = await openSqliteIndex(records.store, { clock });
  const put = (added: readonly AgentDocument[], probed = true) => addAgents(records, index, added, probed);
  await put(documents);
  const credentials = await credentialsOf?.(records);
  const metrics = createMetrics({ version: '0.1.0' });
  const server = createServer({
    records,
    index,
    clock,
    logger: pino({ level: 'silent' }),
    metrics,
    urlFault: createUrlFault([]),
    ...others,
    ...(credentials && { credentials }),
    config: { version: '0.1.0', trustedProxies: [], ...config },
  });
  return {
    server,
    records,
    index,
    metrics,
    clock,
    put,
    get: async (url, headers = {}) => server.inject({ method: 'GET', url, headers }),
    addKey: (member) => addKey(records, member),
    addOwner: (agent, member) => addOwner(records, agent, member),
    async close() {
      await server.close();
      await records.close();
    },
  };
}

async function addAgents(
  records: SqliteRecords,
  index: AgentIndex,
  documents: readonly AgentDocument[],
  probed: boolean,
): Promise<void> {
  const visits = documents.map(({ url }) => ({ kind: 'agent', key: url, foundVia: 'operator' }) as const);
  await records.sources.add(visits, FOUND_AT);
  if (probed) await probeAll(records, visits);
  const dirty = await records.agents.takeDirty(documents.length, FOUND_AT);
  const revisions = new Map(dirty.map(({ agent, revision }) => [agent, revision]));
  const stitched = documents.map((document) => ({
    agent: document.url,
    revision: revisions.get(document.url) ?? 1,
    stitched: { document },
  }));
  await livePut(index)(...(await records.agents.saveStitched(stitched, PROBED_AT)));
}

async function probeAll(records: SqliteRecords, seeds: readonly NewVisit[]): Promise<void> {
  const run = await records.sources.openRun({ fingerprint: 'all', seeds, now: PROBED_AT });
  const works = await records.sources.takeRun(run.id, 'agent', seeds.length, PROBED_AT, HOUR);
  const leases = works.flatMap(({ sources }) => sources.map(({ lease }) => lease));
  await Promise.all(
    leases.map((lease) =>
      records.sources.commitProbe({
        lease,
        outcome: 'indexed',
        at: PROBED_AT,
        nextVisitAt: PROBED_AT + HOUR,
        failures: 0,
        found: [],
        observation: {
          agent: lease.key,
          dialledUrl: lease.key,
          at: PROBED_AT,
          durationMs: 20,
          health: { online: true, responseTimeMs: 12, toolsCount: 1, resourcesCount: 0 },
          protocol: 'mcp',
          endpoint: lease.key,
          steps: [],
          findings: [],
        },
      }),
    ),
  );
}

/** Makes an API key of a member, and the member. */
export async function addKey(
  records: Pick<Records, 'members' | 'keys'>,
  member: string,
): Promise<FreshApiKey> {
  await addMember(records, member);
  const key = newApiKey();
  await records.keys.create({ id: key.id, hash: key.hash, member }, FOUND_AT);
  return key;
}

export async function addOwner(
  records: Pick<Records, 'members' | 'owners'>,
  agent: string,
  member: string,
): Promise<void> {
  await addMember(records, member);
  await records.members.register({ agent, url: agent, member }, FOUND_AT);
  const challenge = { agent, member, token: 'token', expiresAt: PROBED_AT };
  const { token } = await records.owners.challenge(challenge, FOUND_AT);
  await records.owners.prove({ agent, member, token, via: 'file' }, FOUND_AT);
}

async function addMember({ members }: Pick<Records, 'members'>, slug: string): Promise<void> {
  await members.import([{ slug, displayName: slug, foundingMember: false }], FOUND_AT);
}
