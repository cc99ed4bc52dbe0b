import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Records } from '../../src/ports/records.ts';
import { agentAt, authorisation, domain, facts, LEASE, NOW, type RecordsWorld } from './records-fixtures.ts';
import { declare, reading } from './records-steps.ts';

const AGENT = 'https://agent.example/mcp';
const ACKNOWLEDGED_BEFORE_KILL = 60;

/** Commits visits, many at once, and reports each only after it was acknowledged; runs until it is killed. */
export async function commitUntilKilled(records: Records, report: (key: string) => void): Promise<void> {
  for (let round = 0; ; round += 1) {
    const keys = Array.from({ length: 7 }, (_, n) => `p${round}-${n}.example`);
    await records.sources.add(keys.map(domain), NOW);
    const works = await records.sources.takeDue('domain', 7, NOW, LEASE);
    const commits = works.map(async (work) => {
      const said = facts({ authorisations: [authorisation(work.key, AGENT)] });
      await records.sources.commitDomainVisit(reading(work, 'adagents', work.key, said));
      report(work.key);
    });
    await Promise.all(commits);
  }
}

async function acknowledgedUntilKilled(args: readonly string[]): Promise<string[]> {
  const [script = '', ...rest] = args;
  const child = fork(script, rest, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const acknowledged: string[] = [];
  child.on('message', (key) => {
    acknowledged.push(String(key));
    if (acknowledged.length === ACKNOWLEDGED_BEFORE_KILL) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return acknowledged;
}

/** What survives, and what two processes see of each other. */
export function describeDurability(world: () => RecordsWorld): void {
  describe('durability', () => {
    it('has everything that was acknowledged after a kill -9 in the middle, its sums included', async () => {
      const { harness, records } = world();
      const acknowledged = await acknowledgedUntilKilled(harness.crashWriter);
      expect(acknowledged.length).toBeGreaterThanOrEqual(ACKNOWLEDGED_BEFORE_KILL);
      for (const key of acknowledged) {
        expect(await records.sources.declaration({ kind: 'adagents', key }), key).toBeDefined();
      }
      const edges = await records.agents.authorisations(AGENT, 100_000);
      const [known] = await records.agents.facts([AGENT]);
      expect(known?.portfolio?.publisherCount).toBe(edges.length);
      expect(edges.length).toBeGreaterThanOrEqual(acknowledged.length);
    });

    it('writes what is still waiting when it is closed', async () => {
      const { harness } = world();
      const other = await harness.open();
      await other.sources.add([domain('a.example')], NOW);
      const [work] = await other.sources.takeDue('domain', 1, NOW, LEASE);
      const commit = other.sources.commitDomainVisit(reading(work as never, 'adagents', 'x', facts()));
      await other.close();
      expect(await commit).toMatchObject({ accepted: true });
      expect(await world().records.sources.declaration({ kind: 'adagents', key: 'a.example' })).toBeDefined();
    });

    it('lets two processes share the work, none of it taken twice', async () => {
      const { harness, records } = world();
      const other = await harness.open();
      await records.sources.add(
        Array.from({ length: 20 }, (_, n) => domain(`d${n}.example`)),
        NOW,
      );
      const taken = await Promise.all(
        [records, other, records, other].map((store) => store.sources.takeDue('domain', 6, NOW, LEASE)),
      );
      const keys = taken.flat().map((work) => work.key);
      expect([keys.length, new Set(keys).size]).toEqual([20, 20]);
      await other.close();
    });

    it('shows in its version what this or another process committed, and stays the same otherwise', async () => {
      const { harness, records } = world();
      const other = await harness.open();
      // another database of the same engine shows in it too, and its tests commit meanwhile
      const twice = async () => new Set([await records.version(), await records.version()]);
      await expect.poll(async () => (await twice()).size).toBe(1);
      const before = await records.version();
      await other.sources.add([agentAt(AGENT)], NOW);
      const between = await records.version();
      await declare(records, 'a.example', 'adagents', 'a', facts());
      expect(new Set([before, between, await records.version()]).size).toBe(3);
      await other.close();
    });

    it('gives every process the same secret', async () => {
      const { harness, records } = world();
      const other = await harness.open();
      const secret = await records.secret('cursor', 32);
      expect(secret).toHaveLength(32);
      expect(Buffer.from(await other.secret('cursor', 32)).equals(Buffer.from(secret))).toBe(true);
      expect(Buffer.from(await other.secret('other', 32)).equals(Buffer.from(secret))).toBe(false);
      await other.close();
    });

    it('prunes what is old, and keeps what a declaration was read from', async () => {
      const { records } = world();
      const days = (n: number) => NOW + n * 86_400_000;
      await declare(
        records,
        'a.example',
        'adagents',
        'kept',
        facts({ authorisations: [authorisation('a.example', AGENT)] }),
      );
      expect(await records.prune(days(20))).toEqual({
        captures: 0,
        observations: 0,
        tombstones: 0,
        bodies: 0,
        runs: 0,
        evidence: 0,
        edgeChanges: 0,
      });
      expect(await records.prune(days(31))).toMatchObject({ captures: 1, tombstones: 0, bodies: 0 });
      await declare(records, 'a.example', 'adagents', 'empty', facts(), days(31));
      expect(await records.prune(days(62))).toMatchObject({ captures: 1, tombstones: 1 });
      expect(await records.agents.facts([AGENT])).toEqual([]);
      expect(await records.sources.get({ kind: 'agent', key: AGENT })).toBeUndefined();
      await records.check();
    });
  });
}
