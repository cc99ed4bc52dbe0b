import { describe, expect, it, test } from 'vitest';
import { demandsOf } from '../../src/compliance/run/judge-step.ts';
import type { StepResult } from '../../src/compliance/step-result.ts';
import type { Bundle } from '../../src/compliance/storyboards/bundle.ts';
import { judgeRun } from '../../src/compliance/verdict/verdict.ts';
import type { SchemaSet } from '../../src/protocol/schema-set.ts';
import { answered, bundleOf, OPEN, runAt, startAgent, stepOf, withPhases } from './support/runs.ts';

const OURS = ['get_proto_capabilities'];
const PUBLIC = ['get_adcp_capabilities'];
const { proto, ...rest } = OPEN;
const PUBLICLY = { ...rest, adcp: proto };

describe('an agent is held against the demands', () => {
  test.each<[string, readonly string[], object, 'proto' | 'adcp']>([
    ['of our vocabulary when it lists that', OURS, {}, 'proto'],
    ['of the public one when it lists that', PUBLIC, {}, 'adcp'],
    ['of ours when it lists both', [...PUBLIC, ...OURS], PUBLICLY, 'proto'],
    ['of ours when it lists nothing and answers so', [], OPEN, 'proto'],
    ['of the public one when it lists nothing and answers so', [], PUBLICLY, 'adcp'],
    ['of the public one when it lists nothing and answers both', [], { ...OPEN, ...PUBLICLY }, 'adcp'],
    ['that both have when it declares nothing', [], {}, 'adcp'],
    ['that both have when its section is none', [], { proto: '3.0' }, 'adcp'],
  ])('%s', (_name, tools, capabilities, expected) => {
    expect(demandsOf(new Set(tools), capabilities as never)).toBe(expected);
  });
});

/** One step `s` with these lines, one more that builds on it, and one that always passes. */
const board = (step: string, phase = '') =>
  withPhases(`  - id: p\n${phase}    steps:\n      - {id: s, task: get_products, stateful: true, ${step}}
      - {id: after, task: get_products, stateful: true}
  - id: q\n    steps:\n      - {id: good, task: list_creative_formats}`);

const PRODUCTS = answered({ products: [{ product_id: 'p-1' }] });

async function runOf(named: readonly string[], storyboards: Bundle) {
  const { url } = await startAgent({
    named,
    tools: ['get_products', 'list_creative_formats'],
    capabilities: named === OURS ? OPEN : PUBLICLY,
    answer: () => PRODUCTS,
  });
  const run = await runAt(url, storyboards);
  return { run, step: stepOf(run, 's'), verdict: judgeRun(run).verdict };
}

const BECAUSE = 'advice_because: no document demands it of anybody';
const check = (more: string) => `validations: [{check: field_present, path: 'products[0].colour'${more}}]`;
type Told = Pick<StepResult, 'result' | 'skip_reason' | 'advice'>;
const FAILS: Told = { result: 'fail' };
const PASSES: Told = { result: 'pass' };
const LEFT: Told = { result: 'skipped', skip_reason: 'not_applicable', advice: true };

describe('what fails', () => {
  test.each<[string, string, Told, Told]>([
    ['is demanded by both where nothing is said', check(''), FAILS, FAILS],
    ['is advice to whom the check says', check(`, advice_for: adcp, ${BECAUSE}`), FAILS, PASSES],
    ['is advice to whom the step says', `advice_for: adcp, ${BECAUSE}, ${check('')}`, FAILS, LEFT],
    [
      'is advice where the agent has to refuse',
      `advice_for: adcp, ${BECAUSE}, expect_error: true`,
      FAILS,
      LEFT,
    ],
    [
      'is demanded by the schema of either vocabulary',
      'validations: [{check: response_schema}]',
      FAILS,
      FAILS,
    ],
    [
      'is advice where a check of the schema says so',
      `validations: [{check: response_schema, advice_for: adcp, ${BECAUSE}}]`,
      FAILS,
      PASSES,
    ],
    [
      'is demanded beside advice',
      `validations: [{check: field_present, path: size, advice_for: adcp, ${BECAUSE}}, {check: field_present, path: colour}]`,
      FAILS,
      FAILS,
    ],
    [
      'is demanded where later steps need it',
      'context_outputs: [{name: colour, path: colour}], validations: [{check: response_schema}]',
      FAILS,
      FAILS,
    ],
  ])('%s', async (_name, step, ours, others) => {
    const bundle = bundleOf(board(step));
    expect((await runOf(OURS, bundle)).step).toMatchObject(ours);
    const { step: came } = await runOf(PUBLIC, bundle);
    expect(came).toMatchObject(others);
    expect(came.advice === true).toBe(others === LEFT);
  });

  it('is advice in a whole phase, unless a step says otherwise', async () => {
    const bundle = bundleOf(board(check(''), `    advice_for: adcp\n    ${BECAUSE}\n`));
    expect((await runOf(PUBLIC, bundle)).step).toMatchObject(LEFT);
    expect((await runOf(OURS, bundle)).step).toMatchObject(FAILS);
  });

  it('is demanded by the schemas that a bundle brings, whatever the vocabulary', async () => {
    const schemas: SchemaSet = {
      version: '3.0.6',
      digest: 'sha256:0',
      size: 1,
      find: (path) => path,
      ofTask: (task) => `${task}.json`,
      check: () => [{ pointer: '/colour', message: 'is missing', keyword: 'required' }],
    };
    const bundle = { ...bundleOf(board('validations: [{check: response_schema}]')), schemas };
    expect((await runOf(PUBLIC, bundle)).step).toMatchObject(FAILS);
  });
});

describe('a step that failed as advice', () => {
  it('keeps its checks and evidence, and is told as an observation with the name of its task alone', async () => {
    const { run, step } = await runOf(PUBLIC, bundleOf(board(`advice_for: adcp, ${BECAUSE}, ${check('')}`)));
    expect(step.checks).toMatchObject([
      { result: 'pass' },
      { result: 'fail', pointer: '/products/0/colour' },
    ]);
    expect(step.evidence).toMatchObject({ outcome: 'answered' });
    expect(run.observations).toEqual([
      {
        category: 'advice',
        severity: 'info',
        message: 'recommendations not followed: get_products',
      },
    ]);
  });

  it('keeps what builds on it from being run, and is no coverage gap itself', async () => {
    const { run, step } = await runOf(PUBLIC, bundleOf(board(`advice_for: adcp, ${BECAUSE}, ${check('')}`)));
    expect(step.coverage_gap).toBe(false);
    expect(stepOf(run, 'after')).toMatchObject({ skip_reason: 'prerequisite_failed' });
  });

  it('keeps no agent from passing, where the same fails one that it is demanded of', async () => {
    const bundle = bundleOf(board(check(`, advice_for: adcp, ${BECAUSE}`)));
    expect((await runOf(PUBLIC, bundle)).verdict.status).toBe('passing');
    expect((await runOf(OURS, bundle)).verdict.status).toBe('failing');
  });
});
