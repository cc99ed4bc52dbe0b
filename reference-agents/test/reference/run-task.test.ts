import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAgentStates } from '../../../src/compose/agent-stores.ts';
import { keepTime } from '../../src/reference/agent-time.ts';
import { ANONYMOUS } from '../../src/reference/handler.ts';
import { forgetKeys, REPLAY_TTL_SECONDS } from '../../src/reference/idempotency.ts';
import { type NotebookOptions, notebook, noteRequest } from './notebook.ts';
import { BUYER, freshKey, OTHER_BUYER, startAgent, testClock } from './support.ts';

const request = noteRequest;

function start(options: NotebookOptions & { readonly file?: string } = {}) {
  const states = openAgentStates(options.file ?? ':memory:');
  onTestFinished(() => states.close());
  const started = startAgent({ type: 'sales', handlers: notebook(options), states });
  const notes = (caller = BUYER) => started.agent.state.collection('notes', caller.id).count();
  return { ...started, notes };
}

describe('an idempotency key', () => {
  it('gives the original answer again, marked as replayed, with one effect', async () => {
    const { call, notes } = start();
    const first = await call('sync_catalogs', request());
    expect(first).not.toHaveProperty('replayed');
    expect(await call('sync_catalogs', request())).toEqual({ ...first, replayed: true });
    expect(notes()).toBe(1);
  });

  it('is the same for the same payload in another order, and whatever the context', async () => {
    const { call, notes } = start();
    await call('sync_catalogs', request());
    const turned = Object.fromEntries(Object.entries(request()).toReversed());
    const answer = await call('sync_catalogs', { ...turned, context: { try: 2 } });
    expect(answer).toMatchObject({ replayed: true, context: { try: 2 } });
    expect(notes()).toBe(1);
  });

  it('with another payload is a conflict, and changes nothing', async () => {
    const { call, refusal, notes } = start();
    await call('sync_catalogs', request());
    expect(await refusal('sync_catalogs', request({ catalogs: [{ catalog_id: 'oars' }] }))).toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      pointer: '/idempotency_key',
      recovery: 'correctable',
    });
    expect(notes()).toBe(1);
  });

  it('belongs to its caller: two buyers with one key have two effects, and neither sees the other’s', async () => {
    const { call, notes } = start();
    const mine = await call('sync_catalogs', request());
    const theirs = await call(
      'sync_catalogs',
      request({ catalogs: [{ catalog_id: 'magpies' }] }),
      OTHER_BUYER,
    );
    expect(theirs).not.toHaveProperty('replayed');
    expect([notes(BUYER), notes(OTHER_BUYER)]).toEqual([1, 1]);
    expect(JSON.stringify(mine)).not.toContain('magpies');
  });

  it('used by many at the same moment has one effect', async () => {
    const { call, notes } = start({ prepare: () => new Promise((resolve) => setImmediate(resolve)) });
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('sync_catalogs', request())));
    expect(answers.filter(({ replayed }) => replayed !== true)).toHaveLength(1);
    expect(notes()).toBe(1);
  });

  it('lives for the declared time, is refused for long after, and is a new one then', async () => {
    const { agent, call, refusal, clock, notes } = start();
    await call('sync_catalogs', request());
    clock.pass(REPLAY_TTL_SECONDS - 1);
    expect(await call('sync_catalogs', request())).toMatchObject({ replayed: true });
    clock.pass(1);
    expect(await refusal('sync_catalogs', request())).toMatchObject({ code: 'IDEMPOTENCY_EXPIRED' });
    expect(forgetKeys({ agent, now: clock.now() }, 10)).toBe(0);
    clock.pass(6 * REPLAY_TTL_SECONDS);
    expect(await refusal('sync_catalogs', request())).toMatchObject({ code: 'IDEMPOTENCY_EXPIRED' });
    keepTime(agent.state, clock.now());
    clock.pass(3_600);
    expect(forgetKeys({ agent, now: clock.now() }, 10)).toBe(1);
    await call('sync_catalogs', request());
    expect(notes()).toBe(2);
  });

  it('of a refused request is free again, and nothing of the request is kept', async () => {
    let fails = true;
    const { call, refusal, notes } = start({ fail: () => fails });
    expect(await refusal('sync_catalogs', request())).toMatchObject({
      code: 'POLICY_VIOLATION',
      pointer: '/catalogs',
    });
    expect(notes()).toBe(0);
    fails = false;
    expect(await call('sync_catalogs', request())).not.toHaveProperty('replayed');
  });

  it('survives the process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'registry-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'state.sqlite');
    const first = await start({ file }).call('sync_catalogs', request());
    const again = start({ file });
    expect(await again.call('sync_catalogs', request())).toEqual({ ...first, replayed: true });
    expect(again.notes()).toBe(1);
  });
});

describe('a process that is killed', () => {
  const killed = async (moment: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'registry-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'state.sqlite');
    const script = join(import.meta.dirname, 'killed-task.ts');
    const child = spawn(process.execPath, [script, file, moment], { stdio: 'inherit' });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    return start({ file });
  };

  it('after the effect, before the answer: the answer is had by asking again, with no second effect', async () => {
    const { call, notes } = await killed('after');
    expect(notes()).toBe(1);
    expect(await call('sync_catalogs', noteRequest())).toMatchObject({ replayed: true });
    expect(notes()).toBe(1);
  });

  it('in the middle of the effect: nothing has happened, and asking again does it', async () => {
    const { call, notes } = await killed('before');
    expect(notes()).toBe(0);
    expect(await call('sync_catalogs', noteRequest())).not.toHaveProperty('replayed');
    expect(notes()).toBe(1);
  });
});

describe('before a task is done', () => {
  it('the request is held against its schema', async () => {
    const { refusal, notes } = start();
    const { idempotency_key: _none, ...keyless } = request();
    expect(await refusal('sync_catalogs', keyless)).toMatchObject({
      code: 'INVALID_REQUEST',
      pointer: '/idempotency_key',
      recovery: 'correctable',
    });
    expect(notes()).toBe(0);
  });

  it('the caller has to be known where the task asks for it', async () => {
    const { call, refusal } = start();
    expect(await refusal('sync_catalogs', request(), ANONYMOUS)).toMatchObject({ code: 'AUTH_REQUIRED' });
    expect(await call('list_authorized_properties', {}, ANONYMOUS)).toEqual({ publisher_domains: [] });
  });

  it.each(['get_signals', 'tell_tide', '__proto__', 'constructor'])(
    'the task %s has to be offered',
    async (task) => {
      const { refusal } = start();
      expect(await refusal(task, {})).toMatchObject({
        code: 'UNKNOWN_TASK',
        suggestion: 'available tasks: sync_catalogs, list_authorized_properties',
      });
    },
  );

  it('a task that has to be signed is not done for a token alone', async () => {
    const { refusal, call } = startAgent({
      type: 'sales',
      handlers: notebook(),
      spec: { signed: ['sync_catalogs'] },
    });
    expect(await refusal('sync_catalogs', request(), { ...BUYER, signed: false })).toMatchObject({
      code: 'AUTH_REQUIRED',
    });
    await call('sync_catalogs', request({ idempotency_key: freshKey() }));
  });
});

describe('the state of an agent', () => {
  const state = () => {
    const states = openAgentStates(':memory:');
    onTestFinished(() => states.close());
    return states;
  };

  it('keeps documents of owners and of agents apart', () => {
    const states = state();
    const [one, other] = [states.of('https://one.example/mcp'), states.of('https://other.example/mcp')];
    one.collection('buys', 'a').put('1', { of: 'a' });
    expect(one.collection('buys', 'a').get('1')).toEqual({ of: 'a' });
    expect(one.collection('buys', 'b').get('1')).toBeUndefined();
    expect(one.collection('buys').list()).toEqual([]);
    expect(other.collection('buys', 'a').list()).toEqual([]);
  });

  it('undoes a transaction that throws, and joins one that is open', () => {
    const one = state().of('https://one.example/mcp');
    const buys = one.collection<number>('buys');
    expect(() =>
      one.transaction(() => {
        one.transaction(() => buys.put('1', 1));
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(buys.count()).toBe(0);
  });

  it('finds what is due of all owners, the longest waiting first', () => {
    const one = state().of('https://one.example/mcp');
    const clock = testClock();
    one.collection('buys', 'a').put('1', 'late', clock.now() + 2_000);
    one.collection('buys', 'b').put('2', 'early', clock.now() + 1_000);
    one.collection('buys', 'b').put('3', 'never');
    expect(one.due('buys', clock.now(), 10)).toEqual([]);
    expect(one.nextDue('buys')).toBe(clock.now() + 1_000);
    clock.pass(5);
    expect(one.due('buys', clock.now(), 10).map(({ owner, document }) => [owner, document])).toEqual([
      ['b', 'early'],
      ['a', 'late'],
    ]);
    one.collection('buys', 'b').put('2', 'done');
    expect(one.due('buys', clock.now(), 1).map(({ document }) => document)).toEqual(['late']);
  });

  it('lists a page in the order of keys', () => {
    const items = state().of('https://one.example/mcp').collection<number>('items');
    for (const key of ['c', 'a', 'b', '__proto__']) items.put(key, key.length);
    expect(items.list().map(({ key }) => key)).toEqual(['__proto__', 'a', 'b', 'c']);
    expect(items.list({ after: 'a', limit: 1 }).map(({ key }) => key)).toEqual(['b']);
    expect([items.delete('a'), items.delete('a')]).toEqual([true, false]);
  });

  it('has logs to which can only be added', () => {
    const log = state().of('https://one.example/mcp').log<string>('plan:1');
    log.append(1, 'first');
    log.append(2, 'second');
    expect(() => log.append(2, 'another second')).toThrow();
    expect(log.last()).toEqual({ sequence: 2, entry: 'second' });
    expect(log.read({ after: 1 })).toEqual([{ sequence: 2, entry: 'second' }]);
  });

  it.each([
    "UPDATE agent_logs SET body = '{}'",
    "UPDATE OR REPLACE agent_logs SET body = '{}'",
    'DELETE FROM agent_logs',
    "INSERT OR REPLACE INTO agent_logs SELECT agent, stream, sequence, '{}' FROM agent_logs",
    "REPLACE INTO agent_logs SELECT agent, stream, sequence, '{}' FROM agent_logs",
  ])('has logs whose entries the engine itself keeps: %s', (sql) => {
    const folder = mkdtempSync(join(tmpdir(), 'registry-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'state.sqlite');
    const states = openAgentStates(file);
    const log = states.of('https://one.example/mcp').log<string>('plan:1');
    log.append(1, 'as it was');
    const another = new DatabaseSync(file);
    expect(() => another.exec(sql)).toThrow('an entry of a log is never');
    expect(log.read()).toEqual([{ sequence: 1, entry: 'as it was' }]);
    another.close();
    states.close();
  });
});
