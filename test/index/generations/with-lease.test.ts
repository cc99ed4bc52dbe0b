import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { withLease } from '../../../src/index/generations/with-lease.ts';
import { holderName } from '../../../src/this-process.ts';

const MINUTE = 60_000;

async function open() {
  const { records, close } = await openStore(
    { ...readConfig({}), store: 'sqlite::memory:' },
    { create: true },
  );
  onTestFinished(close);
  const clock = { value: 1_000, now: () => clock.value };
  return { leases: records.leases, clock, name: 'rebuild', leaseMs: MINUTE };
}

/** Another process of this machine, by its number. */
const here = (pid: number) => holderName().replace(`/${process.pid}/`, `/${pid}/`);
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

describe('work that one process does alone', () => {
  it('is done, and the next one may do it', async () => {
    const wanted = await open();
    expect(await withLease(wanted, async () => 1)).toEqual({ done: 1 });
    expect(await withLease(wanted, async () => 2)).toEqual({ done: 2 });
  });

  it('is given back when it fails', async () => {
    const wanted = await open();
    await expect(withLease(wanted, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(await wanted.leases.heldBy(wanted.name, wanted.clock.now())).toBeUndefined();
  });

  it('is refused while another one is at it, and says who', async () => {
    const wanted = await open();
    await withLease(wanted, async () => {
      expect(await withLease(wanted, async () => 2)).toEqual({
        heldBy: { holder: holderName(), until: 1_000 + MINUTE },
      });
    });
  });

  it('keeps its lease while it goes on', async () => {
    const wanted = { ...(await open()), leaseMs: 30 };
    const { leases, clock, name, leaseMs } = wanted;
    await withLease(wanted, async (stillOurs) => {
      for (const _ of [1, 2, 3]) {
        clock.value += leaseMs - 1;
        const isRenewed = async () =>
          expect(await leases.heldBy(name, clock.value)).toHaveProperty('until', clock.value + leaseMs);
        await vi.waitFor(isRenewed, { timeout: 50_000, interval: 5 });
      }
      stillOurs();
    });
  });

  it('stops when its time ran out', async () => {
    const wanted = await open();
    const work = withLease(wanted, async (stillOurs) => {
      stillOurs();
      wanted.clock.value += MINUTE;
      stillOurs();
    });
    await expect(work).rejects.toMatchObject({ code: 'lease_lost' });
  });

  it('takes over at once from a process of this machine that has ended', async () => {
    const wanted = await open();
    await wanted.leases.take(wanted.name, here(deadPid()), 1_000, MINUTE);
    const outcome = await withLease(wanted, async (stillOurs) => {
      stillOurs();
      return wanted.leases.heldBy(wanted.name, 1_000);
    });
    expect(outcome).toEqual({ done: { holder: holderName(), until: 1_000 + MINUTE } });
  });

  it('waits for the end of the lease of another machine, of which it knows nothing', async () => {
    const wanted = await open();
    const elsewhere = `other-host/${deadPid()}/1/0123456789ab`;
    await wanted.leases.take(wanted.name, elsewhere, 1_000, MINUTE);
    expect(await withLease(wanted, async () => 1)).toHaveProperty('heldBy.holder', elsewhere);
    wanted.clock.value += MINUTE;
    expect(await withLease(wanted, async () => 1)).toEqual({ done: 1 });
  });
});
