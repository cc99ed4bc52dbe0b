import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FAILS, INCONCLUSIVE, TIMED_OUT } from '../compliance/support/judged-runs.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { run, start } from './support/cli.ts';
import { AGENT, MINUTE, NOVA, type OwnedStore, ownedStore, type Shown } from './support/owned-store.ts';
import { follows } from './support/schemas.ts';

let store: OwnedStore['store'];
let good: OwnedStore['good'];
let elsewhere: OwnedStore['elsewhere'];
let shown: OwnedStore['shown'];
let started: OwnedStore['started'];

beforeEach(async () => {
  ({ store, good, elsewhere, started, shown } = await ownedStore());
});

describe('agent-registry runs start', () => {
  it('asks for a run, for the owner or as the operator, and gives the open one again', async () => {
    const { run: asked } = await started(...NOVA);
    expect(asked).toMatchObject({ agent_url: AGENT, state: 'queued', triggered_by: 'owner_test' });
    expect((await started()).run).toEqual(asked);
    expect((await shown(asked.run_id)).run).toEqual(asked);
    const text = await good('runs', 'show', AGENT, asked.run_id);
    expect(text).toContain('queued: requested');
    expect(text).toContain('agent-registry heartbeat');
    const audit = await good('audit', '--agent', AGENT, '--limit', '1', '--json');
    expect(JSON.parse(audit)).toMatchObject({
      entries: [{ actor: 'operator', action: 'run.ask', details: { member: 'nova' } }],
    });
  });

  it('is manual without a member', async () => {
    expect((await started()).run).toMatchObject({ triggered_by: 'manual' });
  });

  it('asks for a run of one storyboard, and refuses one that nobody has', async () => {
    await good('runs', 'start', AGENT, '--storyboard', 'capability_discovery', ...NOVA);
    const [work] = await (await elsewhere()).runs.takeDue(1, Date.now(), MINUTE, 'somebody');
    expect(work?.asked).toMatchObject({ storyboard: 'capability_discovery' });
    const other = await run('runs', 'start', AGENT, ...store);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('storyboard capability_discovery is already queued'),
    ]);
    const ran = await run('runs', 'start', AGENT, '--storyboard', 'capability_discover', ...store);
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringContaining('did you mean capability_discovery?'),
    ]);
  });

  it('asks for a run with a target, and for no other while that one is open', async () => {
    const { run: asked } = await started('--target', '3.1-beta', ...NOVA);
    expect(asked).toMatchObject({ state: 'queued', compliance_target: '3.1-beta' });
    expect(await good('runs', 'show', AGENT, asked.run_id)).toContain('(owner_test), target 3.1-beta');
    const other = await run('runs', 'start', AGENT, '--target', '3.0', ...store);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('all storyboards with the target 3.1-beta is already queued'),
    ]);
    const both = ['--target', '3.0', '--storyboard', 'capability_discovery'];
    expect((await run('runs', 'start', AGENT, ...both, ...store)).code).toBe(2);
  });

  it.each([
    [
      'for a member that does not own it',
      AGENT,
      ['--member', 'orbit'],
      1,
      'orbit has not proven ownership of',
    ],
    ['of an unknown agent', 'https://nobody.example/', [], 1, 'unknown agent'],
    ['of what is no agent', 'nova', [], 2, 'hint'],
  ])('refuses one %s', async (_name, url, args, code, message) => {
    const ran = await run('runs', 'start', url, ...args, ...store);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr).toContain(message);
  });

  it('refuses one of an agent that nobody owns, and says what can be done', async () => {
    await good('agents', 'disown', AGENT, ...NOVA);
    const ran = await run('runs', 'start', AGENT, ...store);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('no member has proven ownership of');
    expect(ran.stderr).toContain('agent-registry check');
  });

  it('refuses one after opting out, and one a moment after another', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await keepRun(await elsewhere(), Date.now(), FAILS, { agent: AGENT });
    vi.setSystemTime(Date.now() + MINUTE);
    const early = await run('runs', 'start', AGENT, ...NOVA, ...store);
    expect(early.code).toBe(2);
    expect(early.stderr).toMatch(/less than 10 minutes ago[\s\S]*try again in 540 s/);
    await good('agents', 'settings', AGENT, '--opt-out');
    const out = await run('runs', 'start', AGENT, ...store);
    expect(out.code).toBe(2);
    expect(out.stderr).toContain('--opt-in');
  });

  it.each([
    ['passing', {}, 0],
    ['failing', FAILS, 1],
    ['unreachable', TIMED_OUT, 4],
    ['inconclusive', INCONCLUSIVE, 1],
  ] as const)('waits for the end with --wait: %s', async (_name, more, code) => {
    const records = await elsewhere();
    const waiting = run('runs', 'start', AGENT, '--wait', '--json', ...store);
    await expect.poll(() => records.runs.requested(AGENT)).toBeDefined();
    const asked = (await records.runs.requested(AGENT)) ?? expect.unreachable();
    const [work] = await records.runs.takeDue(1, Date.now(), MINUTE, 'somebody');
    expect(work?.asked).toEqual({ runId: asked.runId, trigger: 'manual' });
    await keepRun(records, Date.now(), { ...more, run_id: asked.runId }, { agent: AGENT });
    const ended = await waiting;
    expect(ended.code, ended.stderr).toBe(code);
    expect(follows<Shown>(ended.stdout, 'cli/runs-show.json').run).toMatchObject({
      state: 'finished',
      run_id: asked.runId,
    });
  });

  it('stops waiting when the owner opts out, as nobody makes the run any more', async () => {
    const records = await elsewhere();
    const waiting = run('runs', 'start', AGENT, '--wait', ...store);
    await expect.poll(() => records.runs.requested(AGENT)).toBeDefined();
    const change = { agent: AGENT, change: { optedOut: true }, actor: { kind: 'operator' } } as const;
    await records.owners.changeSettings(change, Date.now());
    const { code, stderr } = await waiting;
    expect(code).toBe(1);
    expect(stderr).toContain('was cancelled');
  });

  it('stops waiting when it is interrupted, and the run goes on', async () => {
    const waiting = start(['runs', 'start', AGENT, '--wait', ...store]);
    await waiting.until('stderr', /queued/);
    waiting.child.kill('SIGINT');
    const { code, stderr } = await waiting.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('agent-registry runs show');
    expect(await (await elsewhere()).runs.requested(AGENT)).toMatchObject({ state: 'queued' });
  });
});
