import { describe, expect, it } from 'vitest';
import { createSharedFiles } from '../../src/discovery/shared-files.ts';
import type { Capture, FetchErrorCode, Validator } from '../../src/domain/capture.ts';

const URL_ASKED = 'https://manager.example/.well-known/adagents.json';
const base = { requestedUrl: URL_ASKED, finalUrl: URL_ASKED, trail: [], at: 0 };
const MINUTE = 60_000;

const answer = (status: number, text = 'x', bodyHash = text): Capture => ({
  ...base,
  ok: true,
  durationMs: 20,
  status,
  headers: {},
  body: new TextEncoder().encode(text),
  bodyHash,
});
const failure = (code: FetchErrorCode, durationMs: number): Capture => ({
  ...base,
  ok: false,
  durationMs,
  failure: { code, detail: 'x' },
});

const READING = {
  kind: 'adagents',
  owner: () => 'news.example',
  bounds: { maxAgents: 1, maxDomains: 1 },
} as const;

/** A cache under a clock of the test, over a server that gives these answers one after the other. */
function open(...answers: readonly Capture[]) {
  const clock = { value: 0 };
  const files = createSharedFiles(() => clock.value);
  const asked: (Validator | undefined)[] = [];
  const get = (validator?: Validator) =>
    files.get(URL_ASKED, validator, async (known) => {
      await new Promise((resolve) => setImmediate(resolve));
      asked.push(known);
      return answers[asked.length - 1] ?? answer(200, 'one too many');
    });
  return { clock, asked, get, files };
}

describe('a file that speaks for many', () => {
  it('is asked for once by all who come at the same time, and for an hour after', async () => {
    const { get, asked, clock } = open(answer(200), answer(200));
    const [first, second] = await Promise.all([get(), get()]);
    expect(second).toBe(first);
    clock.value = 60 * MINUTE - 1;
    expect(await get()).toBe(first);
    expect(asked).toHaveLength(1);
    clock.value += 2;
    await get();
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['an error status', answer(500)],
    ['a refused connection', failure('refused', 3)],
    ['a server that let us wait long', failure('timeout', 9_000)],
  ])('is left alone for ten minutes after %s', async (_name, bad) => {
    const { get, asked, clock } = open(bad, answer(200));
    expect(await get()).toBe(bad);
    clock.value = 10 * MINUTE - 1;
    expect(await get()).toBe(bad);
    clock.value += 2;
    expect(await get()).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['was stopped', failure('interrupted', 3)],
    ['had no time left', failure('timeout', 40)],
  ])('is not judged by a visit that %s: the others ask for themselves', async (_name, bad) => {
    const good = answer(200);
    const { get, asked } = open(bad, good);
    expect(await Promise.all([get(), get(), get()])).toEqual([bad, good, good]);
    expect(await get()).toBe(good);
    expect(asked).toHaveLength(2);
  });

  it('answers 304 only to those who know the body that it stands for', async () => {
    const known = { url: URL_ASKED, etag: '"1"', bodyHash: 'old' };
    const { get, asked } = open(answer(304, '', ''), answer(200, 'old'));
    expect(await get(known)).toMatchObject({ status: 304 });
    expect(await get(known)).toMatchObject({ status: 304 });
    expect(await get()).toMatchObject({ status: 200 });
    expect(asked).toEqual([known, undefined]);
  });

  it('is forgotten, oldest first, when there are more than 5,000', async () => {
    const files = createSharedFiles(() => 0);
    let asked = 0;
    const ask = (n: number) =>
      files.get(`https://${n}.example/`, undefined, async () => {
        asked += 1;
        return answer(404);
      });
    for (let n = 0; n <= 5_000; n += 1) await ask(n);
    await ask(5_000);
    await ask(1);
    expect(asked).toBe(5_001);
    await ask(0);
    expect(asked).toBe(5_002);
  });

  it.each<[string, number, readonly (readonly number[])[], readonly number[]]>([
    ['large ones of one domain alone at once', 10, [[0], [1], [0], [0], [1], [1]], [0, 1, 0, 1]],
    ['small ones of one domain alone, oldest first', 1.5, [[0], [1], [2], [1], [0]], [0, 1, 2, 0]],
    ['never what many asked for at the same time', 10, [[0, 0, 0], [1], [2], [0]], [0, 1, 2]],
    [
      'shared ones beyond 32 MiB, oldest first',
      10,
      [[0, 0], [1, 1], [2, 2], [3, 3], [1], [0]],
      [0, 1, 2, 3, 0],
    ],
  ])('is forgotten: %s', async (_what, mib, waves, expected) => {
    const files = createSharedFiles(() => 0);
    const asked: number[] = [];
    const body = { ...answer(200), body: new Uint8Array(mib * 1024 * 1024) } as Capture;
    const ask = (n: number) =>
      files.get(`https://${n}.example/`, undefined, async () => {
        asked.push(n);
        return body;
      });
    for (const wave of waves) await Promise.all(wave.map(ask));
    expect(asked).toEqual(expected);
  });

  it('stays shared when it is fetched again', async () => {
    const { get, clock, asked, files } = open();
    const large = { ...answer(200), body: new Uint8Array(10 * 1024 * 1024) } as Capture;
    const ask = () =>
      files.get(URL_ASKED, undefined, async () => {
        asked.push(undefined);
        return large;
      });
    await Promise.all([ask(), ask()]);
    clock.value = 61 * MINUTE;
    for (let n = 0; n < 3; n += 1) await ask();
    expect(asked).toHaveLength(2);
    expect(await get()).toBe(large);
  });

  it('is read once for as long as its bytes are kept', () => {
    const { files } = open();
    const reading = { ...READING, body: new TextEncoder().encode('{}') };
    expect(files.read(reading)).toBe(files.read(reading));
    expect(files.read({ ...reading, body: reading.body.slice() })).not.toBe(files.read(reading));
  });
});
