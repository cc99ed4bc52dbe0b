import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BudgetExceeded, createBudgets, type Party } from '../../src/budgets/budgets.ts';
import { later } from './later.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Budgets of one process, where `owner` has proven `owned.example`. */
function budgets() {
  return createBudgets({
    secret: async () => new Uint8Array(32),
    owners: { ownsSite: async (member, { site }) => member === 'owner' && site === 'owned.example' },
  });
}

const member = (slug: string): Party => ({ id: `member:${slug}`, member: slug });
const address = (text: string): Party => ({
  id: `address:${text}`,
  network: `${text.split('.').slice(0, 2).join('.')}.0.0/16`,
});

/** Why it is refused; undefined where it is not. */
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: BudgetExceeded) => error.message,
  );

describe('a budget of a window', () => {
  it('counts a party by itself, and is new when the window is over', async () => {
    const { spend } = budgets();
    for (let use = 0; use < 10; use += 1) await spend('crawlRequests', { party: address('192.0.2.1') });
    await expect(spend('crawlRequests', { party: address('192.0.2.1') })).rejects.toMatchObject({
      message: 'limit reached: at most 10 crawl requests an hour for one address without an API key',
      isShared: false,
    });
    await spend('crawlRequests', { party: address('192.0.2.2') });
    later(HOUR);
    await spend('crawlRequests', { party: address('192.0.2.1') });
  });

  it('cannot be emptied by one network: 67 addresses of it leave three quarters of the new domains to others', async () => {
    const { spend } = budgets();
    let taken = 0;
    for (let host = 1; host <= 67; host += 1)
      for (let use = 0; use < 3; use += 1)
        if ((await refusal(spend('newDomains', { party: address(`127.0.0.${host}`) }))) === undefined)
          taken += 1;
    expect(taken).toBe(50);
    expect(await refusal(spend('newDomains', { party: address('198.51.100.1') }))).toBeUndefined();
    expect(await refusal(spend('newDomains', { party: address('127.0.0.99') }))).toBe(
      'limit reached: at most 50 new domains a day for all callers without an API key from 127.0.0.0/16',
    );
  });

  it('keeps a part for members that callers without a key cannot touch', async () => {
    const { spend } = budgets();
    for (let network = 0; network < 67; network += 1)
      for (let use = 0; use < 3; use += 1)
        await refusal(spend('newDomains', { party: address(`10.${network}.0.1`) }));
    await expect(spend('newDomains', { party: address('11.0.0.1') })).rejects.toMatchObject({
      isShared: true,
    });
    expect(await refusal(spend('newDomains', { party: member('nova') }))).toBeUndefined();
  });

  it('keeps a part of what may be asked of a site for its owner', async () => {
    const { spend } = budgets();
    const site = 'owned.example';
    let taken = 0;
    for (let stranger = 0; stranger < 9; stranger += 1)
      for (let use = 0; use < 9; use += 1)
        if ((await refusal(spend('crawlRequests', { party: member(`m${stranger}`), site }))) === undefined)
          taken += 1;
    expect(taken).toBe(20);
    for (let use = 0; use < 7; use += 1) await spend('crawlRequests', { party: member('owner'), site });
    expect(await refusal(spend('crawlRequests', { party: member('owner'), site }))).toBe(
      'limit reached: at most 7 crawl requests an hour for one caller and owned.example',
    );
  });

  it('keeps the part of the owner free from others, however many are being refused at the same time', async () => {
    const { spend } = budgets();
    const site = 'owned.example';
    const stranger = (n: number) => refusal(spend('crawlRequests', { party: address(`10.${n}.0.1`), site }));
    for (let n = 0; n < 20; n += 1) expect(await stranger(n)).toBeUndefined();
    const refused = Array.from({ length: 40 }, (_, n) => stranger(n));
    expect(await refusal(spend('crawlRequests', { party: member('owner'), site }))).toBeUndefined();
    expect(new Set(await Promise.all(refused))).toEqual(
      new Set([
        'limit reached: at most 20 crawl requests an hour for owned.example, requested by anyone but its owner',
      ]),
    );
  });

  it('takes back what came to nothing, but never into the next window', async () => {
    const { spend } = budgets();
    const use = { party: member('nova'), site: 'a.example', amount: 200 };
    const takeBack = await spend('siteSeconds', use);
    expect(await refusal(spend('siteSeconds', use))).toContain('225 seconds');
    await takeBack(150);
    await spend('siteSeconds', { ...use, amount: 150 });
    const late = await spend('siteSeconds', { ...use, amount: 20 });
    later(HOUR);
    await late();
    await spend('siteSeconds', { ...use, amount: 225 });
    expect(await refusal(spend('siteSeconds', { ...use, amount: 1 }))).toContain('225 seconds');
  });

  it('is left as it was by a use that is refused', async () => {
    const { spend } = budgets();
    for (let use = 0; use < 3; use += 1)
      await spend('exams', { party: address('192.0.2.1'), site: 'a.example' });
    for (let use = 0; use < 20; use += 1)
      await refusal(spend('exams', { party: address('192.0.2.1'), site: 'a.example' }));
    for (let host = 2; host < 4; host += 1)
      for (let use = 0; use < 3; use += 1)
        await spend('exams', { party: address(`198.${host}.0.1`), site: 'a.example' });
  });
});

describe('work within budgets', () => {
  const EXAM = { running: 'runningExams', counted: ['exams'], seconds: 40 } as const;

  it('is under way so often for a party, a network and callers without a key, and never takes the part of members', async () => {
    const { enter } = budgets();
    const leave = enter('runningExams', address('192.0.2.1'));
    expect(() => enter('runningExams', address('192.0.2.1'))).toThrow(BudgetExceeded);
    enter('runningExams', address('192.0.2.2'));
    expect(() => enter('runningExams', address('192.0.2.3'))).toThrow('from 192.0.0.0/16');
    leave();
    enter('runningExams', address('192.0.2.3'));
    for (let network = 0; network < 6; network += 1) enter('runningExams', address(`10.${network}.0.1`));
    expect(() => enter('runningExams', address('11.0.0.1'))).toThrow('all callers without an API key');
    for (const slug of ['a', 'b', 'c']) {
      enter('runningExams', member(slug));
      enter('runningExams', member(slug));
      expect(() => enter('runningExams', member(slug))).toThrow('for one member');
    }
    for (const slug of ['d', 'e']) enter('runningExams', member(slug));
    expect(() => enter('runningExams', member('f'))).toThrow('for all callers');
  });

  it('counts for nothing when it fails on our side', async () => {
    const { run } = budgets();
    const use = { party: address('192.0.2.1'), site: 'a.example' };
    for (let time = 0; time < 20; time += 1)
      await expect(run(EXAM, use, () => Promise.reject(new Error('ours')))).rejects.toThrow('ours');
    for (let time = 0; time < 3; time += 1) expect(await run(EXAM, use, async () => time)).toBe(time);
    await expect(run(EXAM, use, async () => 3)).rejects.toThrow('3 lab exams a minute');
  });

  it('is counted for as long as it took, were it less or more than it may take', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { run, spend } = budgets();
    const use = { party: member('nova'), site: 'a.example' };
    await run(EXAM, use, async () => vi.advanceTimersByTime(10_000));
    await run(EXAM, use, async () => vi.advanceTimersByTime(100_000));
    expect(await refusal(spend('siteSeconds', { ...use, amount: 116 }))).toContain('225 seconds');
    expect(await refusal(spend('siteSeconds', { ...use, amount: 115 }))).toBeUndefined();
  });

  it('holds a site for so many seconds an hour at most, all callers together', async () => {
    const { run, spend } = budgets();
    for (const slug of ['a', 'b', 'c'])
      await refusal(spend('siteSeconds', { party: member(slug), site: 'a.example', amount: 200 }));
    const asked = run(EXAM, { party: member('d'), site: 'a.example' }, async () => 'examined');
    await expect(asked).rejects.toThrow('600 seconds of work for callers an hour for a.example');
    expect(await run(EXAM, { party: member('d'), site: 'b.example' }, async () => 'examined')).toBe(
      'examined',
    );
  });
});
