import { join } from 'node:path';
import { fastify } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { healthOperations } from '../../../src/api/operations/service.ts';
import { createBudgets } from '../../../src/budgets/budgets.ts';
import { openStore } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { run, tempFolder } from '../../cli/support/cli.ts';
import { follows } from '../../cli/support/schemas.ts';
import { freshIndexPrefix, openSearchUrl } from '../support/engines.ts';
import { ask } from './support.ts';

const AGENT = 'https://sales.nova.example/mcp';
const BLOCKS = ['index.blocks.read_only', 'index.blocks.read_only_allow_delete', 'index.blocks.write'];

let store: string;
let prefix: string;

beforeEach(async () => {
  prefix = `${freshIndexPrefix()}agents`;
  store = `sqlite:${join(tempFolder(), 'store.sqlite')}`;
  vi.stubEnv('REGISTRY_INDEX', openSearchUrl());
  vi.stubEnv('REGISTRY_INDEX_PREFIX', prefix);
  vi.stubEnv('REGISTRY_INDEX_TIMEOUT_MS', '15000');
  const opened = await openStore({ ...readConfig(process.env), store }, { create: true });
  await opened.records.members.import([{ slug: 'nova', displayName: 'Nova', foundingMember: false }], 1);
  await opened.index.generations.list();
  await opened.close();
});
afterEach(() => vi.unstubAllEnvs());

const set = (name: string, value: boolean | null) =>
  ask('PUT', `/${prefix}-*/_settings?expand_wildcards=all`, { [name]: value });

/** What `/readyz` answers over this store. */
async function readiness(): Promise<unknown> {
  const { records, index, close } = await openStore({ ...readConfig(process.env), store }, { create: false });
  const server = fastify();
  healthOperations(server, {
    budgets: createBudgets(records),
    records,
    index,
    answer: () => index.search({ filter: {}, limit: 1 }),
  });
  try {
    return (await server.inject('/readyz')).json();
  } finally {
    await server.close();
    await close();
  }
}

describe.each(BLOCKS)('an index with %s', (name) => {
  it('is told by whoever asks, with the runbook, and by the write itself', async () => {
    await set(name, true);
    const doctor = await run('doctor', '--json', '--store', store);
    const ticks = (JSON.parse(doctor.stdout) as { checks: { name: string; ok: boolean; hint?: string }[] })
      .checks;
    expect(ticks.filter(({ name: what }) => what === 'index')).toEqual([
      expect.objectContaining({ ok: false, hint: expect.stringContaining('read-only-index.md') }),
    ]);
    const status = await run('index', 'status', '--json', '--store', store);
    expect(follows(status.stdout, 'cli/index.json')).toMatchObject({
      read_only: expect.stringContaining('read-only'),
      next: [expect.stringContaining('read-only-index.md'), ...[]],
    });
    expect(await readiness()).toMatchObject({ status: 'ready', checks: { writes: 'index_read_only' } });
    const registered = await run('agents', 'register', AGENT, '--member', 'nova', '--store', store);
    expect([registered.code, registered.stderr]).toEqual([
      0,
      expect.stringMatching(/list will be updated later: the index at \S+ is read-only/),
    ]);
    await set(name, null);
    expect((await run('doctor', '--json', '--store', store)).stdout).not.toContain('read-only');
    expect(await readiness()).toMatchObject({ status: 'ready', checks: { writes: 'ok' } });
  });

  it('is seen by a rebuild before it copies anything', async () => {
    await set(name, true);
    const plan = await run('index', 'rebuild', '--store', store);
    expect(plan.stdout).toMatch(/^read only at the moment: the index at \S+ is read-only/);
    const { code, stderr } = await run('index', 'rebuild', '--yes', '--store', store);
    expect([code, stderr]).toEqual([3, expect.stringContaining('read-only')]);
    const status = await run('index', 'status', '--json', '--store', store);
    expect((JSON.parse(status.stdout) as { generations: object[] }).generations).toHaveLength(1);
    await set(name, null);
    expect((await run('index', 'rebuild', '--yes', '--store', store)).code).toBe(0);
  });
});
