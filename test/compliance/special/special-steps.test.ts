import { describe, expect, it } from 'vitest';
import { watchInvariants } from '../../../src/compliance/special/invariants.ts';
import { judgeVector, vectorFor } from '../../../src/compliance/special/signed-vectors.ts';
import { judgeSubstitution } from '../../../src/compliance/special/substitution.ts';
import type { CheckResult } from '../../../src/compliance/step-result.ts';
import { allSteps } from '../../../src/compliance/storyboard.ts';
import { OWN_NAMES } from '../../support/own-names.ts';
import { answered, refusal, resultsOf, runAt, startAgent, stepOf, withPhases } from '../support/runs.ts';

const says = (data: object) => ({ outcome: 'answered', data, durationMs: 0, raw: '' }) as never;
const refuses = (error: object, data?: object) =>
  ({ outcome: 'refused', error: { object: error, ...error }, data, durationMs: 0, raw: '' }) as never;
const buys = (status: string) => says({ media_buys: [{ media_buy_id: 'b', status }] });
const denied = says({ status: 'denied', plan_id: 'p' });

const impaired = (to: string, health = 'impaired') => ({
  media_buy_id: 'b',
  status: 'active',
  health,
  impairments: [{ resource_type: 'creative', resource_id: 'c', transition: { to } }],
});
const creative = (status: string) => says({ creatives: [{ creative_id: 'c', status }] });
const buyIs = (buy: object) => says({ media_buys: [buy] });

describe('impairment.coherence', () => {
  const SNAPSHOT = { media_buy: { propagation_surfaces: ['snapshot'] } };

  it.each<[string, readonly [string, never][], object, readonly string[]]>([
    [
      'a creative that was rejected, with the media buy that says so',
      [
        ['list_creatives', creative('rejected')],
        ['get_media_buys', buyIs(impaired('rejected'))],
      ],
      SNAPSHOT,
      [],
    ],
    [
      'an impaired media buy without an impairment',
      [['get_media_buys', buyIs({ media_buy_id: 'b', status: 'active', health: 'impaired' })]],
      SNAPSHOT,
      ['/media_buys/0/health'],
    ],
    [
      'an impairment of a media buy that is well',
      [['get_media_buys', buyIs(impaired('rejected', 'ok'))]],
      SNAPSHOT,
      ['/media_buys/0/health'],
    ],
    [
      'an impairment by a creative that was approved again',
      [
        ['list_creatives', creative('approved')],
        ['get_media_buys', buyIs(impaired('rejected'))],
      ],
      SNAPSHOT,
      ['/media_buys/0/impairments/0'],
    ],
    [
      'the same after the test controller changed something',
      [
        ['list_creatives', creative('approved')],
        ['comply_test_controller', says({ success: true })],
        ['get_media_buys', buyIs(impaired('rejected'))],
      ],
      SNAPSHOT,
      [],
    ],
    [
      'an offline state of another type',
      [['get_media_buys', buyIs(impaired('withdrawn'))]],
      SNAPSHOT,
      ['/media_buys/0/impairments/0/transition/to'],
    ],
    [
      'a media buy that has ended',
      [['get_media_buys', buyIs({ ...impaired('rejected', 'ok'), status: 'completed' })]],
      SNAPSHOT,
      [],
    ],
    ['a seller without snapshots', [['get_media_buys', buyIs(impaired('rejected', 'ok'))]], {}, []],
  ])('%s', (_name, exchanges, capabilities, pointers) => {
    const watch = watchInvariants(['impairment.coherence'], capabilities as never);
    const broken = exchanges.flatMap(([task, answer]) => watch({ task, request: {}, answer }));
    expect(broken.map(({ pointer }) => pointer)).toEqual(pointers);
  });
});

describe('an invariant', () => {
  it.each(OWN_NAMES)('is watched over whatever the agent answers: %j', (said) => {
    const names = ['status.monotonic', 'governance.denial_blocks_mutation'];
    const watch = watchInvariants(names);
    const answer = says({ plan_id: 'p', status: said, verdict: said, media_buys: [said, { status: said }] });
    expect(watch({ task: 'check_governance', request: {}, answer })).toEqual([]);
  });

  it.each<[string, string, readonly [string, object, never][], number]>([
    [
      'a media buy that goes on',
      'status.monotonic',
      [
        ['get_media_buys', {}, buys('pending_start')],
        ['get_media_buys', {}, buys('active')],
        ['get_media_buys', {}, buys('paused')],
        ['get_media_buys', {}, buys('active')],
      ],
      0,
    ],
    [
      'one that goes back',
      'status.monotonic',
      [
        ['get_media_buys', {}, buys('active')],
        ['get_media_buys', {}, buys('pending_creatives')],
      ],
      1,
    ],
    [
      'one that rises again',
      'status.monotonic',
      [
        ['get_media_buys', {}, buys('canceled')],
        ['get_media_buys', {}, buys('active')],
      ],
      1,
    ],
    [
      'an order for a plan that was denied',
      'governance.denial_blocks_mutation',
      [
        ['check_governance', { plan_id: 'p' }, denied],
        ['create_media_buy', { plan_id: 'p' }, says({ media_buy_id: 'b' })],
      ],
      1,
    ],
    [
      'an order for another plan',
      'governance.denial_blocks_mutation',
      [
        ['check_governance', { plan_id: 'p' }, denied],
        ['create_media_buy', { plan_id: 'q' }, says({ media_buy_id: 'b' })],
      ],
      0,
    ],
    [
      'a refusal after a denial',
      'governance.denial_blocks_mutation',
      [
        ['check_governance', { plan_id: 'p' }, denied],
        ['create_media_buy', { plan_id: 'p' }, refuses({ code: 'GOVERNANCE_DENIED' })],
      ],
      0,
    ],
    [
      'a conflict that says no more',
      'idempotency.conflict_no_payload_leak',
      [['create_media_buy', {}, refuses({ code: 'IDEMPOTENCY_CONFLICT', message: 'used' }, { context: {} })]],
      0,
    ],
    [
      'a conflict that shows the order',
      'idempotency.conflict_no_payload_leak',
      [['create_media_buy', {}, refuses({ code: 'IDEMPOTENCY_CONFLICT' }, { media_buy_id: 'b' })]],
      1,
    ],
    [
      'a conflict with the order in its details',
      'idempotency.conflict_no_payload_leak',
      [
        [
          'create_media_buy',
          { packages: [] },
          refuses({ code: 'IDEMPOTENCY_CONFLICT', details: { original: { packages: [] } } }),
        ],
      ],
      1,
    ],
    [
      'a token that is repeated',
      'context.no_secret_echo',
      [['get_products', {}, says({ note: 'you sent [redacted]' })]],
      1,
    ],
    ['one that nobody knows', 'no.such.invariant', [['get_products', {}, says({})]], 0],
  ])('judges %s', (_, name, exchanges, broken) => {
    const watch = watchInvariants([name]);
    const found = exchanges.flatMap(([task, request, answer]) =>
      watch({ task, request: request as never, answer }),
    );
    expect(found.map(({ check }) => check)).toEqual(Array.from({ length: broken }, () => name));
  });

  it('fails the step that breaks it', async () => {
    const statuses = ['active', 'pending_start'];
    const { url } = await startAgent({
      tools: ['get_media_buys'],
      answer: () => answered({ media_buys: [{ media_buy_id: 'b', status: statuses.shift() }] }),
    });
    const phases = '  - {id: p, steps: [{id: one, task: get_media_buys}, {id: two, task: get_media_buys}]}';
    const run = await runAt(url, [withPhases(phases, 'invariants: [status.monotonic]')]);
    expect(resultsOf(run)).toEqual(['one: pass', 'two: fail']);
    expect(stepOf(run, 'two').checks.at(-1)).toMatchObject({ check: 'status.monotonic', result: 'fail' });
  });
});

const BINDINGS = `macro_template: "https://track.example/imp?sku={SKU}", source_path: /html, catalog_bindings: [{macro: "{SKU}", catalog_item_id: one}, {macro: "{SKU}", catalog_item_id: two}]`;
const ITEMS = [
  {
    catalogs: [
      {
        items: [
          { item_id: 'one', sku: '1&cmd=drop' },
          { item_id: 'two', sku: 'cafe\u0301' },
        ],
      },
    ],
  },
];
const img = (sku: string) => `<img src="https://track.example/imp?sku=${sku}">`;

describe('the preview of a creative', () => {
  it.each<[string, string, string]>([
    ['encoded values', img('1%26cmd%3Ddrop') + img('caf%c3%a9'), ''],
    [
      'a value as it was',
      img('1&amp;cmd=drop') + img('caf%C3%A9'),
      'substitution_encoded substitution_observed',
    ],
    [
      'a macro that was dropped',
      img('1%26cmd%3Ddrop') + img(''),
      'substitution_encoded substitution_observed',
    ],
    ['only one of them', img('1%26cmd%3Ddrop'), 'substitution_observed'],
    ['a value in a comment', `${img('1%26cmd%3Ddrop')}<!-- ${img('caf%C3%A9')} -->`, 'substitution_observed'],
    [
      'one in a list of sources',
      `<img srcset="https://track.example/imp?sku=1%26cmd%3Ddrop 1x, https://track.example/imp?sku=caf%C3%A9 2x">`,
      '',
    ],
    ['no preview', '', 'preview'],
  ])('is judged: %s', (_, html, failed) => {
    const [step] = allSteps(
      withPhases(`  - id: p\n    steps: [{id: s, task: expect_substitution_safe, ${BINDINGS}}]`),
    );
    const checks = judgeSubstitution(step as never, { html }, ITEMS) as readonly CheckResult[];
    expect(
      checks
        .filter(({ result }) => result === 'fail')
        .map(({ check }) => check)
        .join(' '),
    ).toBe(failed);
  });

  it('is a gap where one of the items has no value that a step synced, however well the others stand', () => {
    const more = BINDINGS.replace('item_id: two', 'item_id: unknown');
    const [step] = allSteps(
      withPhases(`  - id: p\n    steps: [{id: s, task: expect_substitution_safe, ${more}}]`),
    );
    expect(judgeSubstitution(step as never, { html: img('1%26cmd%3Ddrop') }, ITEMS)).toMatchObject({
      reason: 'requirement_unmet',
      coverage_gap: true,
    });
  });
});

const vector = (document: object) => ({ name: 'v', document: document as never, keys: [] });
const REQUEST = {
  method: 'POST',
  url: 'https://seller.example.com/adcp/create_media_buy',
  headers: {},
  body: '{}',
};
const VERIFIER = {
  protocol: 'mcp',
  tools: new Set(['update_media_buy']),
  capabilities: { request_signing: { supported: true, covers_content_digest: 'either', required_for: [] } },
};

describe('a signed vector', () => {
  it.each<[string, object, string]>([
    ['goes to a task that the agent has', { request: REQUEST }, 'update_media_buy'],
    [
      'is for agents that require a signature',
      {
        request: REQUEST,
        verifier_capability: { required_for: ['create_media_buy'] },
        expected_outcome: { error_code: 'request_signature_required' },
      },
      'not_applicable',
    ],
    [
      'is for agents with its policy',
      { request: REQUEST, verifier_capability: { covers_content_digest: 'required' } },
      'not_applicable',
    ],
    [
      'is about another host',
      { request: { ...REQUEST, url: 'https://[2001:db8::1]/adcp/create_media_buy' } },
      'not_applicable',
    ],
    [
      'is about a method of the protocol',
      { request: { ...REQUEST, body: '{"jsonrpc":"2.0","method":"tasks/cancel","id":1}' } },
      'not_applicable',
    ],
    ['takes a flood', { request: REQUEST, requires_contract: 'rate_abuse' }, 'not_applicable'],
    ['has nothing in it', {}, 'not_applicable'],
  ])('%s', (_, document, wanted) => {
    const found = vectorFor(vector(document), VERIFIER);
    expect('reason' in found ? found.reason : found.task).toBe(wanted);
  });

  it.each(OWN_NAMES)('is chosen whatever the agent says it requires: %j', (said) => {
    const capabilities = { request_signing: { covers_content_digest: said, required_for: [said] } };
    const expected_outcome = { error_code: 'request_signature_required' };
    const verifier_capability = { required_for: ['create_media_buy'] };
    const wanting = { request: REQUEST, expected_outcome, verifier_capability };
    const found = vectorFor(vector(wanting), { ...VERIFIER, capabilities });
    expect('reason' in found && found.reason).toBe('not_applicable');
  });

  it('is accepted, or refused with its own code', () => {
    const good = vector({ expected_outcome: { success: true } });
    const bad = vector({ expected_outcome: { success: false, error_code: 'request_signature_tag_invalid' } });
    const said = (code: string) => ({ status: 401, challenge: `Signature error="${code}"` });
    expect(judgeVector(good, { status: 200 }).result).toBe('pass');
    expect(judgeVector(good, said('request_signature_key_unknown')).result).toBe('fail');
    expect(judgeVector(bad, said('request_signature_tag_invalid')).result).toBe('pass');
    expect(judgeVector(bad, said('request_signature_invalid')).result).toBe('fail');
    expect(judgeVector(bad, { status: 200 }).result).toBe('fail');
    expect(judgeVector(bad, {}).result).toBe('fail');
  });
});

const STAND_IN = `  - id: p
    steps:
      - {id: sync_accounts, task: sync_accounts, stateful: true}
      - {id: list_accounts, task: list_accounts, stateful: true, provides_state_for: sync_accounts}
  - id: q
    steps: [{id: later, task: get_products, stateful: true}]`;

describe('a step that stands in for another', () => {
  it('keeps what builds on it alive where missing tool: the other', async () => {
    const { url } = await startAgent({ tools: ['list_accounts', 'get_products'] });
    const run = await runAt(url, [withPhases(STAND_IN)]);
    expect(resultsOf(run)).toEqual(['sync_accounts: not_applicable', 'list_accounts: pass', 'later: pass']);
    expect(stepOf(run, 'sync_accounts').skip_detail).toBe('state already provided by p/list_accounts');
  });

  it('and where it does not pass itself, what builds on it is skipped', async () => {
    const { url } = await startAgent({
      tools: ['list_accounts', 'get_products'],
      answer: (task) => (task === 'list_accounts' ? refusal('NO') : undefined),
    });
    expect(resultsOf(await runAt(url, [withPhases(STAND_IN)]))).toEqual([
      'sync_accounts: missing_tool',
      'list_accounts: fail',
      'later: prerequisite_failed',
    ]);
  });
});

const COMPLETION = `  - id: p
    steps:
      - {id: order, task: create_media_buy, context_outputs: [{path: task_completion.media_buy_id, name: id}]}
      - {id: read, task: get_products, sample_request: {id: $context.id}}`;

describe('what a task comes to', () => {
  it('is asked for until it is over', async () => {
    const polls = ['submitted', 'completed'];
    const { url, calls } = await startAgent({
      tools: ['create_media_buy', 'get_products', 'tasks_get'],
      answer: (task) => {
        if (task === 'create_media_buy') return answered({ status: 'submitted', task_id: 't' });
        if (task === 'tasks_get')
          return answered({ task_id: 't', status: polls.shift(), result: { media_buy_id: 'b' } });
        return undefined;
      },
    });
    expect(resultsOf(await runAt(url, [withPhases(COMPLETION)]))).toEqual(['order: pass', 'read: pass']);
    expect(calls.filter(([task]) => task === 'tasks_get')).toHaveLength(2);
    expect(calls.at(-2)?.[1]).toMatchObject({ id: 'b' });
    expect(calls.at(-1)?.[1]).toMatchObject({ media_buy_id: 'b', canceled: true });
  });

  it('is a value that is missing where it fails', async () => {
    const { url } = await startAgent({
      tools: ['create_media_buy', 'get_products', 'tasks_get'],
      answer: (task) =>
        task === 'tasks_get' ? answered({ status: 'failed' }) : answered({ status: 'working', task_id: 't' }),
    });
    expect(resultsOf(await runAt(url, [withPhases(COMPLETION)]))).toEqual([
      'order: fail',
      'read: prerequisite_failed',
    ]);
  });
});
