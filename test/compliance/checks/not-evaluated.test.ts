import { describe, expect, it } from 'vitest';
import { answered, refusal, resultsOf, runAt, startAgent, stepOf, withPhases } from '../support/runs.ts';

/** Runs these phases against a seller that answers everything. */
async function runOf(phases: string, top = '') {
  const { url, calls } = await startAgent({
    tools: ['get_products', 'sync_creatives', 'list_creatives'],
    answer: (task) => (task === 'list_creatives' ? refusal('NOT_FOUND') : answered({ ok: true })),
  });
  return { run: await runAt(url, [withPhases(phases, top)]), called: calls.slice(1).map(([task]) => task) };
}

const step = (id: string, more: string) =>
  `  - {id: ${id}, steps: [{id: ${id}, task: get_products, validations: [{check: field_present, path: ok}, ${more}]}]}\n`;

describe('parts of the public format that need another kind of runner', () => {
  it.each([
    ['upstream_traffic', 'min_count: 1, endpoint_pattern: POST *', /calls to other systems/],
    ['canonical_format_satisfaction', 'value: true', /registry of canonical formats/],
    ['a2a_submitted_artifact', '', /A2A task/],
    ['replay_not_cached_rate_limit', '', /floods no agent/],
  ])(
    'the check %s is listed once with its reason and count, and fails nobody',
    async (check, more, reason) => {
      const both = ['a', 'b']
        .map((id) => step(id, `{check: ${check}, ${more}}`.replace(', }', '}')))
        .join('');
      const { run } = await runOf(both);
      expect(resultsOf(run)).toEqual(['a: pass', 'b: pass']);
      expect(run.limitations).toEqual([
        {
          kind: 'check',
          name: check,
          reason: expect.stringMatching(reason),
          count: 2,
          storyboards: ['sample'],
        },
      ]);
    },
  );

  it.each([
    ['task', 'assert_jwks_purpose', ''],
    ['task', 'fetch_brand_jwks', ''],
    ['task', 'replay_webhook_vector', ''],
    ['contract', 'expect_rate_limit_not_replayed', 'rate_limit_trip_runner'],
    ['contract', 'comply_test_controller', 'distributed_brand_runner'],
  ])('%s %s %s does not run', async (kind, task, contract) => {
    const needs = contract === '' ? '' : `, requires_contract: ${contract}`;
    const { run, called } = await runOf(
      `  - {id: p, steps: [{id: s, task: ${task}${needs}, strange: true}, {id: t, task: get_products}]}\n`,
    );
    expect(resultsOf(run)).toEqual(['s: not_applicable', 't: pass']);
    expect(called).toEqual(['get_products']);
    expect(run.limitations).toMatchObject([{ kind, name: contract || task, count: 1 }]);
    expect(run.storyboards).toMatchObject([{ result: 'pass', coverage_gap: false }]);
  });

  it.each([
    ['a placeholder', 'sample_request: {a: "{{tomorrow.noon}}"}', '{{tomorrow.noon}}'],
    [
      'assets of a format',
      'sample_request: {creatives: [{assets: {$build_assets_from_format: $context.x}}]}',
      '$build_assets_from_format',
    ],
  ])('%s is never sent, and steps that need its effect do not run either', async (_name, request, name) => {
    const { run, called } = await runOf(
      `  - {id: p, steps: [{id: s, task: sync_creatives, stateful: true, ${request}}, {id: t, task: list_creatives, stateful: true}, {id: u, task: get_products}]}\n`,
      'context: {x: 1}',
    );
    expect(resultsOf(run)).toEqual(['s: not_applicable', 't: not_applicable', 'u: pass']);
    expect(called).toEqual(['get_products']);
    expect(run.limitations).toMatchObject([{ kind: 'placeholder', name }]);
    expect(run.storyboards).toMatchObject([{ result: 'pass', coverage_gap: false }]);
  });

  it('a step after one with an unknown requirement does not run, when it needs its effect', async () => {
    const { run } = await runOf(
      '  - {id: p, requires_moon: full, steps: [{id: s, task: sync_creatives, stateful: true}]}\n  - {id: q, steps: [{id: t, task: list_creatives, stateful: true}, {id: u, task: get_products}]}\n',
    );
    expect(resultsOf(run)).toEqual(['s: not_applicable', 't: not_applicable', 'u: pass']);
  });

  it('members for people and for runs with many agents have no effect', async () => {
    const { run } = await runOf(
      '  - {id: p, steps: [{id: s, task: get_products, expected_arm: ok, agent: sales}]}\n',
      'status: preview\ndefault_agent: sales',
    );
    expect(resultsOf(run)).toEqual(['s: pass']);
    expect(run.limitations).toBeUndefined();
  });
});

describe('a value that later steps need', () => {
  it.each([
    ['missing', {}],
    ['null', { id: null }],
    ['empty', { id: '' }],
  ])('fails its step where it is %s', async (_name, answer) => {
    const { url } = await startAgent({ answer: () => answered({ ok: true, ...answer }) });
    const phases =
      '  - {id: p, steps: [{id: s, task: get_products, context_outputs: [{name: id, path: id}, {name: all, path: ""}]}]}\n';
    const run = await runAt(url, [withPhases(phases)]);
    expect(stepOf(run, 's').checks.filter(({ result }) => result === 'fail')).toMatchObject([
      { check: 'capture_path_not_resolvable', path: 'id', pointer: '/id' },
    ]);
  });
});

describe('an invalid user name and password', () => {
  const phases = `
  - {id: p, steps: [{id: s, task: get_products, auth: {type: basic, value_strategy: random_invalid}, expect_error: true, validations: [{check: http_status_in, allowed_values: [400, 401, 403]}]}]}
`;

  it('are sent as HTTP Basic, and fail an agent that accepts them', async () => {
    const { url } = await startAgent({ answer: () => answered({ ok: true }) });
    const run = await runAt(url, [withPhases(phases)], { auth: 'the-token' });
    expect(resultsOf(run)).toEqual(['s: fail']);
    const sent = run.seen.map(({ authorization }) => authorization ?? '');
    const basic = sent.filter((one) => one.startsWith('Basic '));
    expect(basic.length).toBeGreaterThan(0);
    expect(Buffer.from(basic[0]?.slice(6) ?? '', 'base64').toString()).toMatch(/^[0-9a-f]{24}:[0-9a-f]{48}$/);
  });
});

describe('a task that the test kit names', () => {
  const KIT = `
  - {id: p, steps: [{id: s, task: $test_kit.auth.probe_task, task_default: list_plans, auth: none, expect_error: true, validations: [{check: http_status_in, allowed_values: [401, 403]}]}]}
  - {id: q, optional: true, branch_set: {id: known, semantics: any_of}, steps: [{id: t, task: $test_kit.auth.probe_task, task_default: list_plans}, {id: u, task: $test_kit.auth.probe_task, task_default: list_plans, auth: invalid, expect_error: true, contributes: true, contributes_if: prior_step.t.passed}]}
  - {id: r, steps: [{id: v, task: assert_contribution, validations: [{check: any_of, allowed_values: [known]}]}, {id: w, task: get_products}]}
`;

  it('says nothing about an agent that does not offer it, and neither does what depends on it', async () => {
    const { url } = await startAgent({
      tools: ['get_products'],
      answer: (task) => (task === 'list_plans' ? refusal('UNKNOWN_TASK') : answered({ ok: true })),
    });
    const run = await runAt(url, [withPhases(KIT)], { auth: 'the-token' });
    expect(resultsOf(run)).toEqual([
      's: not_applicable',
      't: not_applicable',
      'u: pass',
      'v: not_applicable',
      'w: pass',
    ]);
    expect(run.storyboards).toMatchObject([{ result: 'pass', coverage_gap: false }]);
  });

  it('fails an agent that offers it to everybody', async () => {
    const { url } = await startAgent({
      tools: ['get_products', 'list_plans'],
      answer: () => answered({ ok: true }),
    });
    const run = await runAt(url, [withPhases(KIT)], { auth: 'the-token' });
    expect(resultsOf(run)).toEqual(['s: fail', 't: pass', 'u: not_applicable', 'v: fail', 'w: pass']);
  });
});

describe('the operator of the run in a request that has to be refused', () => {
  const account = (operator: string) => `{account: {brand: {domain: a.example}, operator: ${operator}}}`;
  const refused = (id: string, operator: string) =>
    `{id: ${id}, task: get_products, expect_error: true, sample_request: ${account(operator)}}`;

  it('replaces the operator that the storyboard acts for, and no other', async () => {
    const { url, calls } = await startAgent({ answer: () => refusal('INVALID_REQUEST') });
    const phases = `
  - {id: p, steps: [{id: s, task: get_products, sample_request: ${account('agency.example')}}, ${refused('t', 'agency.example')}, ${refused('u', 'stranger.example')}]}
`;
    await runAt(url, [withPhases(phases)], { operator: 'desk.example' });
    const operators = calls.slice(1).map(([, { account: sent }]) => (sent as { operator: string }).operator);
    expect(operators).toEqual(['desk.example', 'desk.example', 'stranger.example']);
  });

  it('says nothing where the agent does not know the account, which no step has opened', async () => {
    const { url } = await startAgent({ answer: () => refusal('ACCOUNT_NOT_FOUND') });
    const step = `{id: s, task: get_products, expect_error: true, sample_request: ${account('a.example')}, validations: [{check: error_code, value: INVALID_REQUEST}]}`;
    const run = await runAt(url, [withPhases(`  - {id: p, steps: [${step}]}\n`)]);
    expect(stepOf(run, 's')).toMatchObject({
      skip_reason: 'requirement_unmet',
      skip_detail: 'the storyboard uses an account that none of its steps opened',
    });
  });
});
