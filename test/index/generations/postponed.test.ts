import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { RegistryError } from '../../../src/errors.ts';
import type { Postponed } from '../../../src/index/generations/batches.ts';
import { deriveDue, stitchDirty } from '../../../src/index/generations/stitch-and-index.ts';
import type { Records } from '../../../src/ports/records.ts';
import { facts, NOW } from '../../contract/records-fixtures.ts';
import { declare } from '../../contract/records-steps.ts';

const START = Date.UTC(2026, 0, 6, 9);
const HOUR = 3_600_000;
const urls = (count: number) =>
  Array.from({ length: count }, (_, at) => `https://a${String(at).padStart(3, '0')}.example/`);

async function open(...agents: readonly string[]) {
  const { records, close } = await openStore(
    { ...readConfig({}), store: 'sqlite::memory:' },
    { create: true },
  );
  onTestFinished(close);
  const clock = { value: START };
  const now = () => clock.value;
  const visits = agents.map((key) => ({ kind: 'agent', key, foundVia: 'operator' }) as const);
  await records.sources.add(visits, START);
  const putOff: Postponed[] = [];
  const stitch = (on: Records) =>
    stitchDirty(on, now, undefined, undefined, (put) => {
      putOff.push(put);
    });
  const listed = async () => (await records.agents.listed(undefined, 1_000)).map(({ agent }) => agent);
  return { records, clock, now, putOff, stitch, listed };
}

/** Records in which the facts of one agent are of a kind that nobody thought of. */
function poisoned(records: Records, bad: string): Records {
  const facts: Records['agents']['facts'] = async (agents) =>
    (await records.agents.facts(agents)).map((fact) =>
      fact.agent === bad ? { ...fact, compliance: undefined as never } : fact,
    );
  return { ...records, agents: { ...records.agents, facts } };
}

describe('an agent that cannot be stitched', () => {
  it('is told, is left alone for an hour, and all others are stitched', async () => {
    const agents = urls(40);
    const bad = agents[17] ?? '';
    const { records, clock, putOff, stitch, listed } = await open(...agents);
    expect(await stitch(poisoned(records, bad))).toBe(39);
    expect(await listed()).toEqual(agents.filter((agent) => agent !== bad));
    expect(putOff).toEqual([{ kind: 'agent', key: bad, until: START + HOUR, error: expect.any(TypeError) }]);
    expect(await records.agents.takeDirty(10, clock.value)).toEqual([]);
    clock.value += HOUR;
    expect(await stitch(records)).toBe(1);
    expect(await listed()).toEqual(agents);
  });

  it('is tried at once when its facts change', async () => {
    const [bad = ''] = urls(1);
    const { records, stitch, listed } = await open(bad);
    await stitch(poisoned(records, bad));
    await records.members.import([{ slug: 'm', displayName: 'M', foundingMember: false }], START);
    await records.members.register({ agent: bad, url: bad, member: 'm' }, START);
    await stitch(records);
    expect(await listed()).toEqual([bad]);
  });

  it('is not to blame for a store that is away', async () => {
    const { records, stitch, putOff } = await open(...urls(3));
    const away = new RegistryError('store_unavailable', 'no answer');
    const saveStitched = () => Promise.reject(away);
    const broken = { ...records, agents: { ...records.agents, saveStitched } };
    await expect(stitch(broken)).rejects.toBe(away);
    expect(putOff).toEqual([]);
    expect(await records.agents.takeDirty(10, START)).toHaveLength(3);
  });
});

describe('a declaration whose facts cannot be derived', () => {
  it('is told, is left alone for a day, and all others are derived', async () => {
    const { records, clock, now } = await open();
    clock.value = NOW + HOUR;
    const domains = ['a.example', 'b.example', 'c.example'];
    for (const domain of domains)
      await declare(records, domain, 'adagents', domain, facts({ rederiveAt: NOW + HOUR }));
    const poison = new TypeError('a date of a kind that nobody thought of');
    const derived: string[] = [];
    const putOff: Postponed[] = [];
    const derive = ({ key }: { readonly key: string }) => {
      if (key === 'b.example') throw poison;
      derived.push(key);
      return facts();
    };
    await deriveDue(records, derive, now, undefined, (put) => {
      putOff.push(put);
    });
    expect(derived).toEqual(['a.example', 'c.example']);
    const until = clock.value + 24 * HOUR;
    expect(putOff).toEqual([{ kind: 'declaration', key: 'b.example', until, error: poison }]);
    expect((await records.sources.dueRederivations(until, 10)).map(({ key }) => key)).toEqual(['b.example']);
    expect(await records.sources.dueRederivations(until - 1, 10)).toEqual([]);
  });
});
