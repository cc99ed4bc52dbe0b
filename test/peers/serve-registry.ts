import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createServer } from '../../src/api/server.ts';
import { composeCredentials } from '../../src/compose/credentials.ts';
import { composeFileChecks } from '../../src/compose/file-checks.ts';
import { readConfig } from '../../src/config.ts';
import type { AgentDocument } from '../../src/domain/agent-document.ts';
import type { Observation } from '../../src/domain/observation.ts';
import { openSqliteIndex } from '../../src/index/embedded/sqlite-index.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import { openSqliteRecords, type SqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { makeSealingKeys } from '../../src/signing/sealing-keys.ts';
import { fullDocument } from '../api/support/documents.ts';
import { NOW, observed } from '../contract/records-fixtures.ts';
import { probing, publish, publishFile, takeOne } from '../contract/records-steps.ts';
import { strangers } from './strangers.ts';
import { OFFLINE, VENDORS } from './vendors.ts';

export const AGENT = 'https://meter.example/mcp';
/** One run is open at a time: the one of a storyboard is asked of this agent. */
export const SECOND = 'https://second.example/mcp';
export const DOMAIN = 'news.example';
export const AGENTS = [{ url: AGENT, authorized_for: 'Display' }];

/** The member has proven to own both agents. */
async function own({ members, owners }: SqliteRecords): Promise<void> {
  await members.import([{ slug: 'm', displayName: 'M', foundingMember: false }], NOW);
  for (const agent of [AGENT, SECOND]) {
    await members.register({ agent, url: agent, member: 'm' }, NOW);
    const challenge = { agent, member: 'm', token: `token of ${agent}`, expiresAt: NOW + 60_000 };
    const { token } = await owners.challenge(challenge, NOW);
    await owners.prove({ agent, member: 'm', token, via: 'file' }, NOW);
  }
}

const documentOf = (url: string): AgentDocument =>
  VENDORS.find((vendor) => vendor.url === url) ?? fullDocument(url);

function seen(url: string): Observation {
  const health = { online: false, toolsCount: 0 } as const;
  return url === OFFLINE ? observed(url, { health }) : observed(url);
}

/** A registry with an agent that a publisher authorises, and with the vendors of a buyer's question. Its store is a file. */
export async function serveRegistry() {
  const clock = { now: () => NOW + 3_600_000 }; // nothing was visited a moment ago
  const folder = await mkdtemp(join(tmpdir(), 'peers-'));
  const path = join(folder, 'registry.sqlite');
  const records = await openSqliteRecords({ path });
  const index = await openSqliteIndex(records.store, { clock });
  const brand = { id: 'news', names: [{ en: 'News' }] };
  await publishFile(records, DOMAIN, 'brand', { file: brand, at: NOW - 1_000 });
  await publish(records, DOMAIN, { authorized_agents: [{ url: AGENT, authorized_for: 'Display' }] });
  await publish(records, 'vendors.example', { authorized_agents: VENDORS.map(({ url }) => ({ url })) });
  for (const url of [AGENT, ...VENDORS.map((vendor) => vendor.url)])
    await records.sources.commitProbe(probing(await takeOne(records, 'agent', url), seen(url)));
  const dirty = await records.agents.takeDirty(100, NOW);
  const stitched = dirty.map((agent) => ({ ...agent, stitched: { document: documentOf(agent.agent) } }));
  const [live] = await index.generations.list();
  const id = live?.id ?? 0;
  await index.generations.write(id, await records.agents.saveStitched(stitched, NOW));
  await index.settle(id);
  await own(records);
  const key = newApiKey();
  await records.keys.create({ id: key.id, hash: key.hash, member: 'm' }, NOW);
  const web = strangers().listen(0, '127.0.0.1');
  await once(web, 'listening');
  const connectTo = [`*=http://127.0.0.1:${(web.address() as AddressInfo).port}`];
  const checks = composeFileChecks({
    ...{ config: readConfig({}), network: { connectTo }, politeness: records.politeness, clock },
    onFault: () => {},
  });
  const credentialKeys = join(folder, 'keys.json');
  await makeSealingKeys(credentialKeys, NOW);
  const server = createServer({
    checks,
    credentials: await composeCredentials({ credentialKeys }, records, clock, checks.exchange),
    ...{ records, index, clock, logger: pino({ level: 'silent' }) },
    metrics: createMetrics({ version: '0.1.0' }),
    config: { answerWithinMs: 120_000, version: '0.1.0', trustedProxies: [] },
  });
  let requests = 0;
  server.server.on('request', () => {
    requests += 1;
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const { paths } = (await server.inject('/openapi.json')).json() as { paths: Record<string, object> };
  const check = { method: 'POST', url: '/api/properties/check', payload: { domains: [DOMAIN] } } as const;
  const { report_id: reportid } = (await server.inject(check)).json() as { report_id: string };
  const bulk = { ...check, url: `${check.url}/bulk`, payload: { identifiers: [DOMAIN] } } as const;
  const { report_id: bulkreportid } = (await server.inject(bulk)).json() as { report_id: string };
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    store: `sqlite:${path}`,
    key: key.key,
    requests: () => requests,
    served: new Set(served),
    reportid,
    bulkreportid,
    async close() {
      await server.close();
      await checks.close();
      web.close();
      await records.close();
      await rm(folder, { recursive: true });
    },
  };
}
