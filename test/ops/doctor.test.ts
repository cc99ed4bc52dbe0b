import { describe, expect, it, onTestFinished } from 'vitest';
import { publicFaceOf } from '../../src/cli/setup/settings.ts';
import { openStore } from '../../src/compose/engines.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { RegistryError } from '../../src/errors.ts';
import { indexLag } from '../../src/index/generations/update-generations.ts';
import { type DoctorParts, runChecks } from '../../src/ops/doctor.ts';

const config: Config = {
  ...readConfig({}),
  store: 'sqlite::memory:',
  contact: 'https://registry.test.example.org/crawler',
};

async function checks(parts: Partial<DoctorParts>) {
  const ticks = await runChecks({
    readConfig: () => config,
    openStore: (given) => openStore(given, { create: true }),
    indexLag,
    ...parts,
  });
  return new Map(ticks.map((tick) => [tick.name, tick]));
}

describe('the doctor', () => {
  it('ticks off everything when all is well', async () => {
    const ticks = await checks({});
    expect([...ticks.keys()]).toEqual([
      'node',
      'disk',
      'name service',
      'configuration',
      'contact',
      'store',
      'clock',
      'index',
    ]);
    expect([...ticks.values()].filter((tick) => !tick.ok && tick.name !== 'disk')).toEqual([]);
  });

  it('reports a proxy that is not trusted for a week, and nothing once it is', async () => {
    const seen = async (ageDays: number, trustedProxies: readonly string[] = []) =>
      (
        await checks({
          readConfig: () => ({ ...config, trustedProxies }),
          openStore: async (given) => {
            const store = await openStore(given, { create: true });
            const at = store.records.clock.now() - ageDays * 86_400_000;
            await store.records.noteUntrustedProxy({ address: '10.0.0.2', at });
            return store;
          },
        })
      ).get('proxy');
    expect(await seen(6)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('an untrusted proxy at 10.0.0.2'),
      hint: expect.stringContaining('REGISTRY_TRUSTED_PROXIES: 10.0.0.2'),
    });
    expect([await seen(8), await seen(6, ['10.0.0.0/8'])]).toEqual([undefined, undefined]);
  });

  it('looks at the files that settings name', async () => {
    const unreadable = () => publicFaceOf({ ...config, tiers: '/does/not/exist.yaml' });
    expect((await checks({ readFiles: unreadable })).get('configuration')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('/does/not/exist.yaml'),
    });
  });

  it('says when the newest export is old, and nothing where none is made', async () => {
    const tick = async (hours: number) => {
      const newestExport = async () => ({ at: Date.now() - hours * 3_600_000 });
      return (await checks({ newestExport })).get('export');
    };
    expect(await tick(47)).toMatchObject({ ok: true });
    expect(await tick(49)).toMatchObject({
      ok: false,
      hint: expect.stringContaining('agent-registry export'),
    });
    expect((await checks({ newestExport: async () => undefined })).has('export')).toBe(false);
  });

  it('wants a contact that sites can reach', async () => {
    const tick = (await checks({ readConfig: () => readConfig({ REGISTRY_STORE: config.store }) })).get(
      'contact',
    );
    expect(tick).toMatchObject({ ok: false, hint: expect.stringContaining('REGISTRY_CONTACT') });
  });

  it('goes no further than a configuration that is wrong', async () => {
    const ticks = await checks({ readConfig: () => readConfig({ REGISTRY_X: '1' }) });
    expect(ticks.get('configuration')).toMatchObject({
      ok: false,
      detail: 'unknown setting REGISTRY_X',
      hint: expect.stringContaining('REGISTRY_STORE'),
    });
    expect(ticks.has('store')).toBe(false);
  });

  it('says what is wrong with the store, and what to do', async () => {
    const missing = new RegistryError('store_missing', 'no store at x', { hint: 'check --store' });
    const tick = (await checks({ openStore: () => Promise.reject(missing) })).get('store');
    expect(tick).toMatchObject({ ok: false, detail: 'no store at x', hint: 'check --store' });
  });

  it('closes the store that it opened, also when a check fails', async () => {
    let closed = 0;
    const store = await openStore(config, { create: true });
    onTestFinished(() => store.close());
    const failing = {
      ...store,
      records: { ...store.records, check: () => Promise.reject(new Error('broken')) },
      close: async () => {
        closed += 1;
      },
    };
    const tick = (await checks({ openStore: async () => failing })).get('store');
    expect([tick?.ok, closed]).toEqual([false, 1]);
  });

  it.each<[string, { readonly skewMs?: number; readonly settledMs?: number }, string]>([
    ['a machine that is ahead', { skewMs: 600_000 }, '10 minutes ahead of the clock of the records'],
    ['a machine that is behind', { skewMs: -20_000 }, '20 seconds behind the clock of the records'],
    ['a clock that jumped ahead', { settledMs: -365 * 86_400_000 }, '365 days ahead of the last time'],
    ['a clock that was put back', { settledMs: 365 * 86_400_000 }, '365 days behind the last time'],
  ])('names %s', async (_, { skewMs = 0, settledMs = 0 }, told) => {
    const store = await openStore(config, { create: true });
    const now = store.records.clock.now();
    const clock = {
      ...store.records.clock,
      now: () => now,
      settled: () => now + settledMs,
      skewMs: () => skewMs,
    };
    const records = { ...store.records, clock };
    const tick = (await checks({ openStore: async () => ({ ...store, records }) })).get('clock');
    expect(tick).toMatchObject({ ok: false, detail: expect.stringContaining(told) });
    expect(tick?.hint).toBeDefined();
  });

  it('tells an index that is away from a store that is broken', async () => {
    const store = await openStore(config, { create: true });
    const check = () =>
      Promise.reject(new RegistryError('index_unavailable', 'no answer', { hint: 'start it' }));
    const ticks = await checks({ openStore: async () => ({ ...store, index: { ...store.index, check } }) });
    expect(ticks.get('store')).toMatchObject({ ok: true });
    expect(ticks.get('index')).toMatchObject({ ok: false, detail: 'no answer', hint: 'start it' });
    const wiped = new RegistryError('index_missing', 'nothing is live', { hint: 'rebuild it' });
    const atOpening = await checks({ openStore: () => Promise.reject(wiped) });
    expect(atOpening.get('index')).toMatchObject({ ok: false, detail: 'nothing is live' });
  });

  it('sees an index that knows more than the records', async () => {
    const store = await openStore(config, { create: true });
    const [live] = await store.index.generations.list();
    await store.index.generations.applied(live?.id ?? 0, 7);
    expect((await checks({ openStore: async () => store })).get('index')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('contains changes up to 7 that the records do not have'),
      hint: expect.stringContaining('agent-registry index rebuild --yes'),
    });
  });

  it('says all that is wrong with the store and the index, not only the first of it', async () => {
    const store = await openStore(config, { create: true });
    const [live] = await store.index.generations.list();
    await store.index.generations.applied(live?.id ?? 0, 7);
    const refuse = (reason: string) => () => Promise.reject(new Error(reason));
    const records = { ...store.records, check: refuse('cannot read'), checkRoom: refuse('cannot write') };
    const away = new RegistryError('index_unavailable', 'no answer');
    const index = { ...store.index, check: () => Promise.reject(away) };
    const parts = {
      readConfig: () => config,
      openStore: async () => ({ ...store, records, index }),
      indexLag,
    };
    const wrong = (await runChecks(parts)).filter(({ ok }) => !ok);
    expect(wrong.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([
      'store: cannot read',
      'store: cannot write',
      'index: no answer',
      expect.stringContaining('index: generation 1 of the index contains changes up to 7'),
    ]);
  });

  it('sees an index that lags far behind the records', async () => {
    const store = await openStore(config, { create: true });
    const agents = { ...store.records.agents, lastSeq: async () => 20_000 };
    const lagging = { ...store, records: { ...store.records, agents } };
    expect((await checks({ openStore: async () => lagging })).get('index')).toMatchObject({
      ok: false,
      hint: expect.stringContaining('agent-registry index rebuild'),
    });
  });
});
