import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { DRY, FAILS } from '../compliance/support/judged-runs.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT, type TestRegistry } from './support/registry.ts';
import { AGENT, BASE, bearer, optOut, SELLER, tested } from './support/tested-agent.ts';

const HOUR = 3_600_000;
const RUN = `run-${PROBED_AT}`;
const DRY_RUN = `run-${PROBED_AT + HOUR}`;
const HISTORY = `${BASE}/history`;

/** What the audit log says of reading once the server has ended, oldest first. */
async function looks({ server, records }: Pick<TestRegistry, 'server' | 'records'>) {
  await server.close();
  const entries = await records.owners.auditLog({ limit: 99 });
  return entries.filter(({ action }) => action === 'runs.read').toReversed();
}

describe('an owner who reads of its runs with its key', () => {
  it('is written down with what was read', async () => {
    const registry = await tested(SELLER, DRY);
    const { get, records, owner } = registry;
    for (const path of [`${HISTORY}?limit=1`, `${BASE}/runs/${RUN}`, `${BASE}/runs/${DRY_RUN}`])
      expect((await get(path, owner)).statusCode).toBe(200);
    const key = (await records.keys.list('nova'))[0]?.id;
    const entry = { at: PROBED_AT, actor: key, action: 'runs.read', subject: AGENT };
    expect(await looks(registry)).toMatchObject([
      { ...entry, details: { member: 'nova' } },
      { ...entry, details: { member: 'nova', run_id: RUN } },
      { ...entry, details: { member: 'nova', run_id: DRY_RUN } },
    ]);
  });

  it('is written down once an hour for each key, the history and each run', async () => {
    const registry = await tested(SELLER);
    const { get, clock, owner, addKey } = registry;
    const second = bearer((await addKey('nova')).key);
    for (const minutes of [0, 1, 59, 60, 61]) {
      clock.value = PROBED_AT + minutes * 60_000;
      for (const key of [owner, second])
        for (const path of [HISTORY, `${BASE}/runs/${RUN}`]) await get(path, key);
    }
    const at = (await looks(registry)).map((entry) => (entry.at - PROBED_AT) / HOUR);
    expect(at).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
  });

  it.each<[string, string, number]>([
    ['a run that is not there', `${BASE}/runs/none`, 404],
    ['a page that is none', `${HISTORY}?limit=0`, 400],
    ['the compliance of the agent, which holds no run', BASE, 200],
  ])('is not written down for %s', async (_what, path, status) => {
    const registry = await tested(SELLER);
    expect((await registry.get(path, registry.owner)).statusCode).toBe(status);
    expect(await looks(registry)).toEqual([]);
  });

  it('is not written down where it is shown nothing: opted out, or a run that is not over', async () => {
    const registry = await tested(SELLER);
    const { get, records, owner } = registry;
    const wanted = { agent: AGENT, runId: 'asked', trigger: 'manual', actor: { kind: 'operator' } } as const;
    await records.runs.request(wanted, () => 0, PROBED_AT);
    expect((await get(`${BASE}/runs/asked`, owner)).json()).toMatchObject({ state: 'queued' });
    await optOut(registry);
    for (const path of [HISTORY, `${BASE}/runs/${RUN}`])
      expect((await get(path, owner)).json()).toMatchObject({ status: 'opted_out' });
    expect(await looks(registry)).toEqual([]);
  });

  it('is answered all the same where that cannot be written down, and the log says so', async () => {
    const warned: unknown[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void warned.push(JSON.parse(line)) });
    const registry = await openRegistry([bareDocument(AGENT)], {}, { logger });
    const { get, records, addKey, addOwner } = registry;
    await addOwner(AGENT, 'nova');
    const { id, key } = await addKey('nova');
    Object.assign(records.owners, { noteAccess: () => Promise.reject(new Error('the disk is full')) });
    for (const _ of [1, 2, 3]) expect((await get(HISTORY, bearer(key))).statusCode).toBe(200);
    expect(await looks(registry)).toEqual([]);
    expect(warned).toMatchObject([{ key: id, agent: AGENT, msg: 'owner access could not be recorded' }]);
  });
});

describe('everybody else who reads of runs', () => {
  it('leaves no trace in the audit log', async () => {
    const registry = await tested(SELLER, FAILS);
    const { get, records, stranger, owner } = registry;
    for (const headers of [{}, stranger])
      for (const path of [HISTORY, `${BASE}/runs/${RUN}`])
        expect((await get(path, headers)).statusCode).toBe(200);
    await records.owners.disown(AGENT, 'nova', PROBED_AT);
    expect((await get(HISTORY, owner)).statusCode).toBe(200);
    expect(await looks(registry)).toEqual([]);
  });
});
