import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createWeb } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createSqliteIndex } from '../../src/adapters/sql/index/sqlite-index.ts';
import { openSqliteRecords, type SqliteRecords } from '../../src/adapters/sql/sqlite/sqlite-records.ts';
import { CLIENT_METHODS } from '../../src/api/client-methods.ts';
import { createServer } from '../../src/api/server.ts';
import { composeCredentials } from '../../src/compose/credentials.ts';
import { composeFileChecks } from '../../src/compose/file-checks.ts';
import { readConfig } from '../../src/config.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { newApiKey } from '../../src/owners/api-key.ts';
import { makeSealingKeys } from '../../src/signing/sealing-keys.ts';
import { fullDocument } from '../api/support/documents.ts';
import { NOW, observed } from '../contract/records-fixtures.ts';
import { probing, publish, publishFile, takeOne } from '../contract/records-steps.ts';
import type { Peer, Row } from './peer.ts';

/** A method of a client's `RegistryClient`, called with what it needs of the values; its parameters are its own. */
interface RegistryOrder {
  readonly registry: {
    readonly url: string;
    readonly method: string;
    readonly key: string;
    /** By the name of a parameter in lower case, without underscores. */
    readonly values: Readonly<Record<string, unknown>>;
  };
}

interface RegistryReply {
  readonly ok: boolean;
  readonly error?: string;
}

const AGENT = 'https://meter.example/mcp';
const DOMAIN = 'news.example';
const PROPERTY = { publisher_domain: DOMAIN, authorized_agents: [{ url: AGENT }] };
const AGENTS = [{ url: AGENT, authorized_for: 'Display' }];
const VALUES = {
  ...{ agent: AGENT, agenturl: AGENT, agenturls: [AGENT], url: AGENT },
  ...{ domain: DOMAIN, domains: [DOMAIN], publisherdomain: DOMAIN, manager: DOMAIN, managerdomain: DOMAIN },
  ...{ type: 'domain', value: DOMAIN, identifiertype: 'domain', identifiervalue: DOMAIN },
  identifiers: [{ type: 'domain', value: DOMAIN }],
  publisherproperties: [{ publisher_domain: DOMAIN }],
  slug: 'm',
  ...{ role: 'media-buy', version: '3.0', storyboardid: 'capability_discovery' },
  ...{ query: 'news', q: 'news', policyids: ['policy'] },
  ...{ params: { domain: DOMAIN, policy_id: 'policy' }, brand: { domain: DOMAIN, brand_name: 'News' } },
  body: {
    ...{ policy_ids: ['policy'], policy_id: 'policy', version: '1', name: 'Policy' },
    ...{ category: 'standard', enforcement: 'must', policy: 'text' },
  },
  property: PROPERTY,
  config: { platform: 'news', catalog_etag: 'one', formats: [{ format_kind: 'image' }] },
  authorizedagents: AGENTS,
  // of methods that take any members of a body
  bodies: {
    bulk_agent_storyboard_status: { agent_urls: [AGENT] },
    update_agent_monitoring_pause: { paused: true },
    update_agent_monitoring_interval: { interval_hours: 12 },
    update_agent_compliance_opt_out: { opt_out: false },
    request_brand_crawl: { domain: 'brand.example' },
    request_manager_revalidation: { manager_domain: 'manager.example' },
    update_agent_lifecycle: { lifecycle_stage: 'production' },
    connect_agent: { token: 'a-token-of-a-test' },
  },
  // an owner's, of methods that take no key: it is their client's
  keyed: ['get_agent_monitoring_settings', 'get_agent_monitoring_requests', 'get_agent_auth_status'],
  provenance: { type: 'deal_history' },
  properties: [PROPERTY],
};

/** The configuration is a mirror's in one client, and a file's parts in the other. */
const VALUES_OF = {
  python: VALUES,
  javascript: { ...VALUES, config: { authorized_agents: AGENTS, catalog_etag: 'one' } },
};

/** What a method means by a name that others use too. */
const OF_METHOD: Readonly<Record<string, object>> = { lookupManifestRef: { type: 'url' } };

/** Every method of a client's `RegistryClient` against a registry: what is built is parsed, what is not says so. */
export async function runRegistry(client: 'python' | 'javascript', peer: Peer): Promise<readonly Row[]> {
  const registry = await serveRegistry();
  const asked = peer as unknown as Peer<RegistryOrder, RegistryReply>;
  const rows: Row[] = [];
  for (const [method, isBuilt] of methodsOf(client, registry.served)) {
    const { url, key, reportid } = registry;
    const reply = await asked.call({
      registry: { url, method, key, values: { ...VALUES_OF[client], reportid, ...OF_METHOD[method] } },
    });
    rows.push({ client, transport: 'registry', task: method, ...judged(reply, isBuilt) });
  }
  await registry.close();
  return rows;
}

/** Each once, and whether one of its operations is served. */
function methodsOf(
  client: 'python' | 'javascript',
  served: ReadonlySet<string>,
): ReadonlyMap<string, boolean> {
  const methods = new Map<string, boolean>();
  for (const [operation, line] of CLIENT_METHODS)
    for (const method of line[client])
      methods.set(method, methods.get(method) === true || served.has(operation));
  return methods;
}

function judged({ ok, error = '' }: RegistryReply, isBuilt: boolean): Pick<Row, 'verdict' | 'right'> {
  if (ok) return { verdict: isBuilt ? 'works' : 'answers what is not built', right: isBuilt };
  const isNotBuilt = error.includes('501') && error.includes('not_built');
  if (isNotBuilt) return { verdict: '501 not_built', right: !isBuilt };
  return { verdict: error.replaceAll(/\s+/g, ' ').slice(0, 500), right: false };
}

/** The member has proven to own the agent. */
async function own({ members, owners }: SqliteRecords): Promise<void> {
  await members.import([{ slug: 'm', displayName: 'M', foundingMember: false }], NOW);
  await members.register({ agent: AGENT, url: AGENT, member: 'm' }, NOW);
  const challenge = { agent: AGENT, member: 'm', token: 'token', expiresAt: NOW + 60_000 };
  await owners.challenge(challenge, NOW);
  await owners.prove({ agent: AGENT, member: 'm', token: 'token', via: 'file' }, NOW);
}

/** A registry in memory with an agent that a publisher authorises. */
async function serveRegistry() {
  const clock = { now: () => NOW + 3_600_000 }; // nothing was visited a moment ago
  const records = await openSqliteRecords({ path: ':memory:' });
  const index = createSqliteIndex(records.database, { clock });
  const brand = { id: 'news', names: [{ en: 'News' }] };
  await publishFile(records, DOMAIN, 'brand', { file: brand, at: NOW - 1_000 });
  await publish(records, DOMAIN, { authorized_agents: [{ url: AGENT, authorized_for: 'Display' }] });
  await records.sources.commitProbe(probing(await takeOne(records, 'agent', AGENT), observed(AGENT)));
  const dirty = await records.agents.takeDirty(10, NOW);
  const stitched = dirty.map((agent) => ({ ...agent, stitched: { document: fullDocument(agent.agent) } }));
  const [live] = await index.generations.list();
  await index.generations.write(live?.id ?? 0, await records.agents.saveStitched(stitched, NOW));
  await index.settle();
  await own(records);
  const key = newApiKey();
  await records.keys.create({ id: key.id, hash: key.hash, member: 'm' }, NOW);
  const file = JSON.stringify({ authorized_agents: AGENTS });
  const web = createWeb((_request, response) => response.end(file)).listen(0, '127.0.0.1');
  await once(web, 'listening');
  const connectTo = [`*=http://127.0.0.1:${(web.address() as AddressInfo).port}`];
  const checks = composeFileChecks({
    ...{ config: readConfig({}), network: { connectTo }, politeness: records.politeness, clock },
    onFault: () => {},
  });
  const folder = await mkdtemp(join(tmpdir(), 'peers-'));
  const credentialKeys = join(folder, 'keys.json');
  await makeSealingKeys(credentialKeys, NOW);
  const server = createServer({
    checks,
    credentials: await composeCredentials({ credentialKeys }, records, clock),
    ...{ records, index, clock, logger: pino({ level: 'silent' }) },
    metrics: createMetrics({ version: '0.1.0' }),
    config: { version: '0.1.0', trustedProxies: [] },
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const { paths } = (await server.inject('/openapi.json')).json() as { paths: Record<string, object> };
  const check = { method: 'POST', url: '/api/properties/check', payload: { domains: [DOMAIN] } } as const;
  const { report_id: reportid } = (await server.inject(check)).json() as { report_id: string };
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    key: key.key,
    served: new Set(served),
    reportid,
    async close() {
      await server.close();
      await checks.close();
      web.close();
      await records.close();
      await rm(folder, { recursive: true });
    },
  };
}
