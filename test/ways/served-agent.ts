import assert from 'node:assert/strict';
import { createServer } from '../../src/api/server.ts';
import { decideRun } from '../../src/compliance/decide.ts';
import { judgeRun } from '../../src/compliance/verdict/verdict.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/ops/log.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { board, declaring, run } from '../compliance/support/judged-runs.ts';
import { filesThatRun, type Way } from './files-that-run.ts';

export const AGENT = 'https://sales.example/mcp';
/** What is asked for of the agent stands behind this. */
export const AGENT_PATH = `/api/registry/agents/${encodeURIComponent(AGENT)}`;

/**
 * One request by anybody to a registry with one tested agent that has a badge in SQLite. It begins behind the edge, which is
 * the same for every request and a way of its own.
 */
export async function wayOfRequest(path: string, expected: RegExp): Promise<Way> {
  const store = await openStore({ ...readConfig({}), store: 'sqlite::memory:' }, { create: true });
  const server = createServer({
    ...store,
    clock: systemClock,
    logger: createLog({ level: 'warn', pretty: false }),
    metrics: createMetrics(),
    config: { version: '0', trustedProxies: [], rateLimit: { max: 60, windowMs: 60_000 } },
  });
  const ask = async () => {
    const answer = await server.inject({ method: 'GET', url: path });
    assert.equal(answer.statusCode, 200);
    assert.match(answer.body, expected);
  };
  try {
    await keepPassingRun(store.records);
    await ask();
    return await filesThatRun(ask);
  } finally {
    await server.close();
    await store.close();
  }
}

/** Keeps a run of an agent whose owner can earn badges, as the heartbeat does. */
async function keepPassingRun(records: Awaited<ReturnType<typeof openStore>>['records']): Promise<void> {
  const now = systemClock.now();
  const [slug, token] = ['nova', 'token'];
  const membership = { tier: 'builder', subscriptionStatus: 'active' };
  await records.members.import([{ slug, displayName: slug, foundingMember: false, ...membership }], now);
  await records.members.register({ agent: AGENT, url: AGENT, member: slug }, now);
  await records.owners.challenge({ agent: AGENT, member: slug, token, expiresAt: now + 60_000 }, now);
  await records.owners.prove({ agent: AGENT, member: slug, token, via: 'file' }, now);
  const report = run(now, {
    agent: declaring('sales-guaranteed'),
    storyboards: [board('core', 'core', 'pass'), board('sales_guaranteed', 'media_buy', 'pass')],
  });
  const judged = judgeRun(report);
  const kept = { agent: AGENT, run: { ...judged, started_at: report.started_at }, report };
  assert.equal(await records.compliance.saveRun(kept, decideRun(judged, { now }), now), 'saved');
}
