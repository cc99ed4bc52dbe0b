import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FinishedRun } from '../../src/compliance/run-result.ts';
import type { StepResult } from '../../src/compliance/step-result.ts';
import { holderName, holderText } from '../../src/this-process.ts';
import { of } from '../compliance/support/badge-story.ts';
import {
  INCOMPLETE,
  INCONCLUSIVE,
  MOSTLY_SKIPPED,
  TIMED_OUT,
  UNREAD,
} from '../compliance/support/judged-runs.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { deadHolder } from '../support/dead-holder.ts';
import { run, tempFolder } from './support/cli.ts';
import { AGENT, MINUTE, NOVA, type OwnedStore, ownedStore } from './support/owned-store.ts';
import { follows } from './support/schemas.ts';

let store: OwnedStore['store'];
let good: OwnedStore['good'];
let elsewhere: OwnedStore['elsewhere'];
let started: OwnedStore['started'];
let shown: OwnedStore['shown'];

beforeEach(async () => {
  ({ store, good, elsewhere, shown, started } = await ownedStore());
});

afterEach(() => vi.unstubAllEnvs());

interface Explained {
  readonly compliance: Readonly<Record<string, unknown>>;
}

async function explained() {
  const told = follows<Explained>(await good('explain', AGENT, '--json'), 'cli/explain-agent.json');
  return { json: told.compliance, text: await good('explain', AGENT) };
}

async function members(tier: string): Promise<string> {
  const file = join(tempFolder(), 'members.yaml');
  await writeFile(file, `- { slug: nova, display_name: Nova, membership_tier: ${tier} }\n`);
  return file;
}

/** What an agent of bad intent answers: words that a terminal could obey. */
const HOSTILE = 'budget \u001b[2Jis wrong\u202e';

const FAILED: StepResult = {
  ...{ storyboard_id: 'media_buy_idempotency', phase_id: 'retry', step_id: 'again', title: 'Buy again' },
  ...{ task: 'create_media_buy', result: 'fail', duration_ms: 12 },
  checks: [
    { check: 'response_schema', result: 'pass', message: 'it follows the schema' },
    {
      ...{ check: 'field_value', result: 'fail', path: 'replayed', pointer: '/replayed' },
      ...{ message: 'true was expected and false came', expected: true, actual: false },
    },
  ],
  evidence: {
    ...{ task: 'create_media_buy', outcome: 'answered', http_status: 200 },
    request: { idempotency_key: 'k-1' },
    response: { replayed: false, message: HOSTILE },
  },
};

const BOUGHT_TWICE: Partial<FinishedRun> = {
  ...of({ 'sales-guaranteed': 'fail' }),
  run_id: 'bought-twice',
  steps: [FAILED],
};

describe('agent-registry runs show', () => {
  it('shows which step failed, the expected and received value, and the command that repeats it', async () => {
    await keepRun(await elsewhere(), Date.now() - MINUTE, BOUGHT_TWICE, { agent: AGENT });
    const { run: kept, failed_steps: failed } = await shown('bought-twice');
    expect(kept).toMatchObject({ state: 'finished', status: 'degraded', report: null });
    expect(failed).toEqual([
      {
        ...{ storyboard_id: 'media_buy_idempotency', phase_id: 'retry', step_id: 'again' },
        ...{ title: 'Buy again', task: 'create_media_buy', duration_ms: 12 },
        ...{ doc_ref: null, no_answer: null, independent: false },
        checks: [
          {
            ...{ check: 'field_value', message: 'true was expected and false came' },
            ...{ pointer: '/replayed', expected: true, actual: false },
          },
        ],
        again: `agent-registry check ${AGENT} --only media_buy_idempotency`,
      },
    ]);
    const text = await good('runs', 'show', AGENT, 'bought-twice');
    for (const part of [
      'expected true',
      'received false',
      'at       /replayed',
      'repeat: agent-registry check',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('budget');
  });

  it('shows what went to and fro with --evidence, and nothing that a terminal could obey', async () => {
    await keepRun(await elsewhere(), Date.now() - MINUTE, BOUGHT_TWICE, { agent: AGENT });
    const text = await good('runs', 'show', AGENT, 'bought-twice', '--evidence');
    expect(text).toContain('"idempotency_key": "k-1"');
    expect(text).toContain('budget \\u001b[2Jis wrong\\u202e');
    const { run: kept } = await shown('bought-twice', '--evidence');
    expect(kept).toMatchObject({ report: { steps: [{ evidence: { response: { message: HOSTILE } } }] } });
  });

  it('shows it again as whom this registry tests', async () => {
    await keepRun(await elsewhere(), Date.now() - MINUTE, BOUGHT_TWICE, { agent: AGENT });
    vi.stubEnv('REGISTRY_TEST_AGENT', 'https://us.example/agent');
    vi.stubEnv('REGISTRY_TEST_BRAND', 'ours.example');
    expect(await good('runs', 'show', AGENT, 'bought-twice')).toContain(
      '--only media_buy_idempotency --as https://us.example/agent --brand ours.example',
    );
  });

  it('counts the steps of an incomplete storyboard, and says why the first was skipped', async () => {
    const skipped: StepResult = {
      ...{ storyboard_id: 'buy', phase_id: 'order', step_id: 'buy', title: 'Buy', task: 'create_media_buy' },
      ...{ result: 'skipped', skip_reason: 'missing_tool', coverage_gap: true, duration_ms: 0, checks: [] },
      skip_detail: 'the agent does not offer create_media_buy',
    };
    const kept = { ...INCOMPLETE, run_id: 'partly', steps: [skipped] };
    await keepRun(await elsewhere(), Date.now() - MINUTE, kept, { agent: AGENT });
    const { run: shownRun } = await shown('partly');
    expect(shownRun).toMatchObject({ status: 'degraded', storyboards_passing: 1, storyboards_incomplete: 1 });
    expect(await good('runs', 'show', AGENT, 'partly')).toContain(
      'incomplete: buy, 2 of 17 steps ran: the agent does not offer create_media_buy',
    );
    expect(await good('runs', 'list', AGENT)).toContain('1 of 2 storyboards passes, 1 is incomplete');
    const { json, text } = await explained();
    expect(json.incomplete_storyboards).toEqual([
      { storyboard_id: 'buy', title: 'The buy', steps_ran: 2, steps_skipped: 15 },
    ]);
    expect(text).toContain('incomplete: buy, 2 of 17 steps ran');
  });

  it('shows a storyboard as incomplete if most of its steps were skipped, although it counts as passing', async () => {
    await keepRun(
      await elsewhere(),
      Date.now() - MINUTE,
      { ...MOSTLY_SKIPPED, run_id: 'm' },
      { agent: AGENT },
    );
    const line = 'incomplete: buy, 1 of 9 steps ran, counts as passing';
    expect(await good('runs', 'show', AGENT, 'm')).toContain(line);
    const { json, text } = await explained();
    expect(text).toContain(line);
    expect(json).toMatchObject({ status: 'passing', incomplete_storyboards: [] });
  });

  it('names the request that was not answered, with the words of the agent escaped and cut', async () => {
    const words = `${HOSTILE} ${'x'.repeat(600)}`;
    const how = { error_class: 'http_error', http_status: 503, message: 'answered http status 503' } as const;
    const unread = { request: 'tools/list', ...how, words };
    const kept = { ...UNREAD, run_id: 'unread', unread };
    await keepRun(await elsewhere(), Date.now() - MINUTE, kept, { agent: AGENT });
    expect(await shown('unread')).toMatchObject({ unread, blocked_by: null });
    const { json, text } = await explained();
    expect(json.last_attempt).toMatchObject({ reason: 'declaration_unread', unread });
    for (const told of [text, await good('runs', 'show', AGENT, 'unread')]) {
      expect(told).toContain('could not read tools/list: HTTP 503');
      expect(told).toContain('message of the agent: budget \\u001b[2Jis wrong\\u202e x');
      expect(told).not.toContain('x'.repeat(301));
    }
  });

  it('names the refusal because of which steps were skipped', async () => {
    const blocked_by = {
      ...{ step: 'media_buy/setup/account', task: 'sync_accounts', code: 'ACCOUNT_NOT_FOUND' },
      ...{ message: HOSTILE, steps_skipped: 7 },
    };
    const kept = { ...of({ 'sales-guaranteed': 'fail' }), run_id: 'blocked', blocked_by };
    await keepRun(await elsewhere(), Date.now() - MINUTE, kept, { agent: AGENT });
    expect(await shown('blocked')).toMatchObject({ unread: null, blocked_by });
    const { json, text } = await explained();
    expect(json.latest_failing_run).toMatchObject({ blocked_by });
    for (const told of [text, await good('runs', 'show', AGENT, 'blocked')]) {
      expect(told).toContain(
        'the agent refused sync_accounts (ACCOUNT_NOT_FOUND), so 7 later steps were skipped',
      );
      expect(told).toContain('message of the agent: budget \\u001b[2Jis wrong\\u202e');
    }
  });

  it('knows no other run, whatever it is called', async () => {
    const ran = await run('runs', 'show', AGENT, 'no\u001b[2Jne', ...store);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toContain('no\\u001b[2Jne');
    expect(ran.stderr).toContain('agent-registry runs list');
  });
});

describe('agent-registry explain, of an agent’s tests', () => {
  it('says why it was never tested, and when it will be', async () => {
    const { json, text } = await explained();
    expect(json).toMatchObject({ status: 'unknown', owner: 'nova', runs: [], latest_failing_run: null });
    expect(json.next_run).toMatchObject({
      at: expect.any(String),
      why: expect.stringContaining('not tested yet'),
    });
    expect(text).toContain('no completed run yet');
    expect(text).toMatch(/due since \S+: not tested yet; tested every 12 h/);
  });

  it.each([
    ['is paused', ['agents', 'settings', AGENT, '--pause'], 'the owner paused scheduled tests'],
    ['is opted out', ['agents', 'settings', AGENT, '--opt-out'], 'the owner opted out'],
    [
      'is in development',
      ['agents', 'settings', AGENT, '--stage', 'development'],
      'its stage is development',
    ],
    ['has no owner', ['agents', 'disown', AGENT, ...NOVA], 'no verified owner'],
  ])('says why there is no next run when it %s', async (_name, command, why) => {
    await good(...command);
    const { json, text } = await explained();
    expect(json.next_run).toEqual({ at: null, why: expect.stringContaining(why) });
    expect(text).toContain(why);
  });

  it('shows the failed steps of the latest failing run, and how the badge came and went', async () => {
    const records = await elsewhere();
    const at = Date.now() - 600 * MINUTE;
    await keepRun(records, at, of({ 'sales-guaranteed': 'pass' }), { agent: AGENT });
    await keepRun(records, at + 60 * MINUTE, BOUGHT_TWICE, { agent: AGENT });
    await started();
    const { json, text } = await explained();
    expect(json).toMatchObject({
      status: 'degraded',
      asked_run: { state: 'queued' },
      latest_failing_run: { run_id: 'bought-twice', failed_steps_total: 1 },
      badges: [{ role: 'media-buy', revoked_at: null, grace_since: expect.any(String) }],
      badge_events: [{ kind: 'grace', run_id: 'bought-twice' }, { kind: 'earned' }],
    });
    expect(text).toContain(`repeat: agent-registry check ${AGENT} --only media_buy_idempotency`);
    expect(text).toContain('in grace period since');
    expect(text).toContain('requested ');
  });

  it('tells no result of an agent that is opted out, and neither does any other command', async () => {
    const records = await elsewhere();
    const at = Date.now() - 600 * MINUTE;
    await keepRun(records, at, of({ 'sales-guaranteed': 'pass' }), { agent: AGENT });
    await keepRun(records, at + 60 * MINUTE, BOUGHT_TWICE, { agent: AGENT });
    const words = /media-buy|media_buy|sales-guaranteed|bought-twice|degraded|passing|passes|earned|grace/;
    const telling = [
      ['explain', AGENT],
      ['explain', AGENT, '--json'],
      ['show', AGENT],
      ['show', AGENT, '--json'],
      ['runs', 'list', AGENT],
      ['runs', 'list', AGENT, '--json'],
      ['runs', 'show', AGENT, 'bought-twice', '--evidence'],
      ['badges', 'list', AGENT],
      ['audit', '--agent', AGENT],
      ['runs', 'rejudge', '--json'],
      ['search', '--compliance', '--json'],
    ];
    const told = async () =>
      Promise.all(
        telling.map(async (command) => {
          const { stdout, stderr } = await run(...command, ...store);
          return [command.join(' '), stdout, stderr.replaceAll('bought-twice', '')] as const;
        }),
      );
    for (const [command, stdout] of (await told()).slice(0, 9))
      expect([command, stdout]).toEqual([command, expect.stringMatching(words)]);
    await good('agents', 'settings', AGENT, '--opt-out');
    for (const [command, ...texts] of await told())
      for (const text of texts) expect([command, text]).toEqual([command, expect.not.stringMatching(words)]);
    const refused = await run('runs', 'list', AGENT, ...store);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/has opted out of tests, so earlier results are hidden\n {2}hint: .*--opt-in/),
    ]);
    expect((await explained()).json).toMatchObject({
      status: 'opted_out',
      runs: [],
      badges: [],
      badge_events: [],
    });
  });

  it('says who has it in hand, and until when, unless that process is known to have died', async () => {
    const { runs } = await elsewhere();
    const now = Date.now();
    await runs.claim(AGENT, now, 20 * MINUTE, holderName());
    const { json, text } = await explained();
    const until = new Date(now + 20 * MINUTE).toISOString();
    expect(json.tested_until).toBe(until);
    const others = `others can take over from ${until}`;
    const us = holderText(holderName());
    expect(text).toContain(`being tested by ${us}; if that process died, ${others}`);
    await runs.releaseOf(holderName(), now);
    await runs.claim(AGENT, now, 20 * MINUTE, deadHolder());
    const dead = await explained();
    expect(dead.json.tested_until).toBeNull();
    expect(dead.text).not.toContain('being tested now');
  });

  it('says that a membership earns no badges, and counts no days as days', async () => {
    await good('members', 'import', await members('explorer'));
    await keepRun(await elsewhere(), Date.now() - MINUTE, of({ 'sales-guaranteed': 'pass' }), {
      agent: AGENT,
    });
    const { json, text } = await explained();
    const why = 'the membership of nova does not include badges (tier explorer, subscription none)';
    expect(json).toMatchObject({ badges: [], no_badges: why });
    expect(text).toContain(`no badges possible: ${why}`);
    expect(text).not.toContain('in a row');
    expect(text).toMatch(/last try \S+: complete\n/);
  });

  it('says in plain words why a try said nothing, and what to do', async () => {
    const inconclusive = { reason: 'auth_required', detail: 'the agent asks for credentials' } as const;
    const more = { ...INCONCLUSIVE, inconclusive };
    await keepRun(await elsewhere(), Date.now() - MINUTE, more, { agent: AGENT });
    const { json, text } = await explained();
    expect(json.last_attempt).toMatchObject({ outcome: 'inconclusive', reason: 'auth_required', in_row: 1 });
    expect(text).toContain('the status is unchanged');
    expect(text).toContain(`agent-registry agents credential ${AGENT}`);
  });

  it('says of an agent that is down what the handshakes came to', async () => {
    const records = await elsewhere();
    const at = Date.now() - 60 * MINUTE;
    for (const n of [0, 1])
      await keepRun(records, at + n * 10 * MINUTE, { ...TIMED_OUT, run_id: `down-${n}` }, { agent: AGENT });
    const { json, text } = await explained();
    expect(json).toMatchObject({
      status: 'failing',
      latest_failing_run: { run_id: 'down-1', unreachable: { error_class: 'timeout' }, failed_steps: [] },
    });
    expect(text).toContain('timeout: no answer in 10 s');
  });
});
