import { describe, expect, it, test } from 'vitest';
import { judgeRun } from '../../src/compliance/verdict/verdict.ts';
import { answered, OPEN, refusal, resultsOf, runAt, startAgent, stepOf, withPhases } from './support/runs.ts';

const products = answered({ products: [{ product_id: 'p-1' }] });
const GOOD = '  - {id: good, steps: [{id: good, task: get_products}]}\n';

/** A run of a storyboard with these lines at its top and these phases, by an agent that answers everything. */
async function runOf(top: string, phases: string, capabilities: object = OPEN) {
  const { url, calls } = await startAgent({
    tools: ['get_products', 'sync_accounts'],
    capabilities,
    answer: (task) => (task === 'sync_accounts' ? refusal('NOT_NOW') : products),
  });
  const run = await runAt(url, [withPhases(phases, top)]);
  return { run, called: calls.slice(1).map(([task]) => task), verdict: judgeRun(run).verdict };
}

describe('a storyboard behind a requirement that is not met never runs, and is no gap', () => {
  test.each([
    ['a capability', 'requires_capability: {path: media_buy.audience_targeting, present: true}', undefined],
    ['the test controller', 'requires: [controller]', undefined],
    ['a webhook receiver', 'requires: [webhook_receiver]', undefined],
    ['one of a family of tools', 'required_any_of_tools: [{tools: [list_plans, sync_plans]}]', undefined],
    ['several agents', 'requires: [multi_agent]', 'gate requires: multi_agent'],
    ['something new', 'requires: [quantum_link]', 'gate storyboard.requires: "quantum_link"'],
    [
      'a capability in a new form',
      'requires_capability: {path: account.sandbox, at_least: 3}',
      'gate storyboard.requires_capability.at_least',
    ],
    ['a gate of a new kind', 'only_if_region: eu', 'gate storyboard.only_if_region'],
  ])('%s', async (_name, top, limitation) => {
    const { run, called, verdict } = await runOf(top, GOOD);
    expect(run.storyboards).toMatchObject([
      { result: 'skipped', skip_reason: 'not_applicable', coverage_gap: false },
    ]);
    expect(called).toEqual([]);
    expect(run.limitations?.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      limitation === undefined ? undefined : [limitation],
    );
    expect(verdict.status).toBe('unknown');
  });

  it('runs behind requirements that are met', async () => {
    const top = 'requires: [real_wire]\nrequired_any_of_tools: [{tools: [get_products, list_plans]}]';
    expect((await runOf(top, GOOD)).run.storyboards).toMatchObject([{ result: 'pass' }]);
  });
});

describe('a phase behind a requirement that is not met never runs', () => {
  test.each([
    ['a capability', 'requires_capability: {path: creative.has_creative_library, equals: true}'],
    ['a condition that is not understood', "skip_if: 'the moon is full'"],
    ['a gate of a new kind', 'requires_region: eu'],
  ])('%s, and neither does what builds on it', async (_name, gate) => {
    const { run, verdict } = await runOf(
      '',
      `${GOOD}  - {id: gated, ${gate}, steps: [{id: a, task: get_products, stateful: true, context_outputs: [{name: id, path: 'products[0].product_id'}]}]}
  - {id: after, depends_on: [gated], steps: [{id: b, task: get_products}]}
  - {id: using, steps: [{id: c, task: get_products, sample_request: {product_id: $context.id}}]}`,
    );
    expect(resultsOf(run)).toEqual([
      'good: pass',
      'a: not_applicable',
      'b: not_applicable',
      'c: not_applicable',
    ]);
    expect(run.storyboards).toMatchObject([{ result: 'pass', coverage_gap: false }]);
    expect(verdict.status).toBe('passing');
  });
});

describe('an assertion over branches', () => {
  const branch = (id: string, gate: string) =>
    `  - {id: ${id}, optional: true, branch_set: {id: handled, semantics: any_of}, ${gate}steps: [{id: ${id}, task: get_products, expect_error: true, contributes: true}]}\n`;
  const ASSERT =
    '  - {id: ask, steps: [{id: ask, task: assert_contribution, validations: [{check: any_of, allowed_values: [handled]}]}]}';

  it('is skipped when every branch was', async () => {
    const gate = 'requires_capability: {path: nothing.of.it}, ';
    const { run, verdict } = await runOf('', GOOD + branch('one', gate) + branch('two', gate) + ASSERT);
    expect(stepOf(run, 'ask')).toMatchObject({ skip_reason: 'not_applicable', coverage_gap: false });
    expect(verdict.status).toBe('passing');
  });

  it('fails when a branch ran and none passed', async () => {
    const gate = 'requires_capability: {path: nothing.of.it}, ';
    const { run } = await runOf('', GOOD + branch('one', gate) + branch('two', '') + ASSERT);
    expect(stepOf(run, 'ask')).toMatchObject({ result: 'fail' });
  });
});

describe('a stateful step', () => {
  const LOST = '  - {id: set_up, steps: [{id: open, task: sync_accounts, stateful: true}]}\n';

  it('runs where its phase depends on no other, or on others than the one that failed', async () => {
    const { run } = await runOf(
      '',
      `${LOST}${GOOD}  - {id: free, depends_on: [], steps: [{id: a, task: get_products, stateful: true}]}
  - {id: on_good, depends_on: [good], steps: [{id: b, task: get_products, stateful: true}]}
  - {id: on_all, steps: [{id: c, task: get_products, stateful: true}]}`,
    );
    expect(resultsOf(run)).toEqual([
      'open: fail',
      'good: pass',
      'a: pass',
      'b: pass',
      'c: prerequisite_failed',
    ]);
  });

  it('of one branch loses nothing by another that failed', async () => {
    const branch = (id: string, task: string) =>
      `  - {id: ${id}, optional: true, branch_set: {id: done}, steps: [{id: ${id}, task: ${task}, stateful: true}]}\n`;
    const { run } = await runOf('', branch('one', 'sync_accounts') + branch('two', 'get_products'));
    expect(resultsOf(run)).toEqual(['one: not_applicable', 'two: pass']);
  });
});

describe('what its author calls advisory', () => {
  test.each([
    [
      'a check',
      'validations: [{check: field_present, path: colour, severity: advisory, permanent_advisory: {reason: none}}]',
    ],
    ['a step', 'severity: advisory, validations: [{check: field_present, path: colour}]'],
    ['a step that must refuse', 'severity: advisory, expect_error: true'],
  ])('is an observation, and the step passes: %s', async (_name, step) => {
    const { run, verdict } = await runOf('', `  - {id: p, steps: [{id: s, task: get_products, ${step}}]}`);
    expect(stepOf(run, 's')).toMatchObject({ result: 'pass' });
    expect(stepOf(run, 's').checks.filter(({ advice }) => advice)).toHaveLength(1);
    expect(verdict.status).toBe('passing');
  });
});

describe('a storyboard', () => {
  it('is incomplete when a step was skipped that the agent should have made possible', async () => {
    const phases = `${GOOD}  - {id: p, steps: [{id: s, task: comply_test_controller, sample_request: {scenario: list_scenarios}}]}`;
    const { run, verdict } = await runOf('', phases);
    expect(run.storyboards).toMatchObject([
      { result: 'incomplete', coverage_gap: true, steps_passed: 1, steps_skipped: 1, steps_total: 2 },
    ]);
    expect(verdict).toMatchObject({
      status: 'degraded',
      storyboards_passing: 0,
      storyboards_total: 1,
      storyboards_incomplete: 1,
      headline: expect.stringMatching(/^The only storyboard is incomplete; /),
    });
  });

  it('is complete when what was skipped does not apply', async () => {
    const phases = `${GOOD}  - {id: p, requires_capability: {path: creative.library}, steps: [{id: s, task: comply_test_controller}]}`;
    expect((await runOf('', phases)).run.storyboards).toMatchObject([{ result: 'pass', steps_skipped: 1 }]);
  });
});

it('a refused account is what a run starts with when later steps could not run because of it', async () => {
  const { url } = await startAgent({
    tools: ['sync_accounts', 'create_media_buy'],
    answer: () => refusal('ACCOUNT_SUSPENDED', 'no account for Bearer abcdefghijkl at desk.example'),
  });
  const board = withPhases(
    '  - {id: p, steps: [{id: open, task: sync_accounts, stateful: true}, {id: buy, task: create_media_buy, stateful: true}]}',
  );
  expect((await runAt(url, [board])).blocked_by).toEqual({
    step: 'sample/p/open',
    task: 'sync_accounts',
    code: 'ACCOUNT_SUSPENDED',
    message: 'no account for Bearer [redacted] at desk.example',
    steps_skipped: 1,
  });
});
