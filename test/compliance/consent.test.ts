import { describe, expect, it } from 'vitest';
import { mayChange, mayRunStep, withConsent } from '../../src/compliance/conversation/consent.ts';
import type { AgentUnderTest } from '../../src/compliance/run-result.ts';
import { allSteps } from '../../src/compliance/storyboard.ts';
import { isMutating, PROTOCOL_TASKS, TASK_NAMES } from '../../src/protocol/tasks.ts';
import { OPEN, resultsOf, runAt, startAgent, withPhases } from './support/runs.ts';

const CLOSED: AgentUnderTest = {
  protocol: 'mcp',
  endpoint: 'https://agent.example/mcp',
  supported_protocols: [],
  specialisms: [],
  supported_versions: [],
  sandbox: false,
  test_controller: false,
  tools_count: 1,
};
const TOOLS = new Set([
  'create_media_buy',
  'get_products',
  'comply_test_controller',
  'destroy_all',
  'get_weather',
]);

describe('what may be sent to an agent', () => {
  it.each([
    ['a task that reads', 'get_products', {}, {}, false, undefined],
    ['a task that changes, with no sandbox', 'create_media_buy', {}, {}, false, 'missing_test_controller'],
    ['a task that changes, in a sandbox', 'create_media_buy', {}, { sandbox: true }, false, undefined],
    [
      'a task that changes, with a test controller',
      'create_media_buy',
      {},
      { test_controller: true },
      false,
      undefined,
    ],
    [
      'a task that changes, in a dry run',
      'create_media_buy',
      {},
      { sandbox: true },
      true,
      'requirement_unmet',
    ],
    ['a task of its own that may change', 'destroy_all', {}, {}, false, 'missing_test_controller'],
    ['a task of its own that says it reads', 'get_weather', {}, {}, false, undefined],
    ['a task of its own in another spelling', 'destroy-all', {}, {}, false, 'missing_test_controller'],
    ['a task that nobody has', 'no_such_task', {}, {}, false, undefined],
    ['a scenario in another spelling', 'comply-test-controller', {}, {}, false, 'missing_test_controller'],
    [
      'a real account',
      'create_media_buy',
      { account: { sandbox: false } },
      { sandbox: true },
      false,
      'requirement_unmet',
    ],
    [
      'a real account among others',
      'create_media_buy',
      { accounts: [{}, { sandbox: false }] },
      { sandbox: true },
      false,
      'requirement_unmet',
    ],
    [
      'a scenario',
      'comply_test_controller',
      { scenario: 'seed_product' },
      { test_controller: true },
      false,
      undefined,
    ],
    [
      'a scenario in a dry run',
      'comply_test_controller',
      { scenario: 'seed_product' },
      { test_controller: true },
      true,
      'requirement_unmet',
    ],
    [
      'the list of scenarios in a dry run',
      'comply_test_controller',
      { scenario: 'list_scenarios' },
      {},
      true,
      undefined,
    ],
  ])('%s', (_name, task, payload, agent, dryRun, reason) => {
    const asked = mayChange({ task, payload, agent: { ...CLOSED, ...agent }, tools: TOOLS, dryRun });
    expect(asked?.reason).toBe(reason);
  });

  it('knows every task of the protocol that changes something', () => {
    for (const task of TASK_NAMES)
      expect(isMutating(task)).toBe(PROTOCOL_TASKS[task].mutating || task === 'comply_test_controller');
    expect(['get_adcp_capabilities', 'sync-creatives', 'delete_property_list'].map(isMutating)).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('counts as a gap only what the agent should have offered', () => {
    const [step] = allSteps(withPhases('  - {id: p, steps: [{id: s, task: get_signals}]}\n'));
    if (step === undefined) throw new Error('no step');
    const ask = (origin: 'baseline' | 'specialism') =>
      mayRunStep({ step, payload: {}, agent: CLOSED, tools: TOOLS, origin, dryRun: false });
    expect(ask('baseline')).toMatchObject({ reason: 'missing_tool', coverage_gap: false });
    expect(ask('specialism')).toMatchObject({ reason: 'missing_tool', coverage_gap: true });
  });

  it('throws when somebody forgot to ask', async () => {
    const conversation = {
      agent: CLOSED,
      capabilities: {},
      tools: [...TOOLS],
      call: () => expect.unreachable(),
    };
    const call = { key: 'k', task: 'create_media_buy', payload: {}, auth: 'given', callMs: 1 } as const;
    await expect(withConsent(conversation, false).call(call)).rejects.toThrow(
      'create_media_buy changes data',
    );
  });
});

describe('seen from outside', () => {
  const everything = withPhases(
    `  - id: p\n    steps:\n${TASK_NAMES.map((task) => `      - {id: ${task}, task: ${task}}\n      - {id: ${task}_bad, task: ${task}, expect_error: true}\n`).join('')}`,
  );
  const { account: _, ...closed } = OPEN;
  const mutating = TASK_NAMES.filter(isMutating);

  it.each([
    ['an agent that declares no sandbox', closed, {}],
    ['a dry run', OPEN, { dryRun: true }],
  ])('%s gets not one call that changes anything', async (_name, capabilities, more) => {
    const tools = TASK_NAMES.filter((task) => task !== 'comply_test_controller');
    const { url, calls } = await startAgent({ tools, capabilities });
    const run = await runAt(url, [everything], more);
    const called = new Set(calls.map(([task]) => task));
    expect(mutating.filter((task) => called.has(task))).toEqual([]);
    expect(called.size).toBeGreaterThan(5);
    expect(resultsOf(run).filter((line) => /^create_media_buy/.test(line)).length).toBe(2);
  });

  it('an agent with a sandbox gets them all', async () => {
    const { url, calls } = await startAgent({ tools: TASK_NAMES });
    await runAt(url, [everything]);
    const called = new Set(calls.map(([task]) => task));
    expect(mutating.filter((task) => !called.has(task))).toEqual([]);
  });
});
