import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TaskAnswer, TaskContent } from '../../src/calling/connection.ts';
import { readToolResult } from '../../src/calling/mcp.ts';
import { failedContent } from '../../src/calling/task-answer.ts';
import { KNOWN_CHECKS } from '../../src/compliance/checks/table.ts';
import { withConsent } from '../../src/compliance/conversation/consent.ts';
import type { Conversation, OutgoingCall } from '../../src/compliance/conversation/conversation.ts';
import { readAgent } from '../../src/compliance/conversation/live-conversation.ts';
import { parsePath } from '../../src/compliance/json-path.ts';
import { countResults } from '../../src/compliance/run/report.ts';
import { runBundle } from '../../src/compliance/run/run-bundle.ts';
import type { RunFacts } from '../../src/compliance/run/run-state.ts';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { readStoryboard } from '../../src/compliance/storyboards/read-storyboard.ts';
import { verdictOf } from '../../src/compliance/verdict/verdict.ts';
import { ERROR_CLASSES } from '../../src/domain/observation.ts';
import { PROTOCOL_TASKS } from '../../src/protocol/tasks.ts';
import { bundleOf, OPEN } from './support/runs.ts';

const TASKS = [
  'get_products',
  'create_media_buy',
  'update_media_buy',
  'get_proto_capabilities',
  'comply_test_controller',
  'assert_contribution',
  'no_such_task',
  'delete_all',
];
const WORDS = fc.constantFrom(
  'a',
  'products',
  'media_buy_id',
  'errors',
  'error',
  'code',
  'success',
  'account',
  'sandbox',
  '__proto__',
  'constructor',
  'canceled',
);
const PLACEHOLDERS = [
  '$context.a',
  '$context.products[0].a',
  '$generate:uuid_v4#x',
  '{{now+3d}}',
  '{{prior_step.s0.products}}',
  '$test_kit.auth.api_key',
  '$agent_url',
  '{{run.id}}',
  '$context.__proto__',
];

/** Any JSON, now and then with members that mean something here. As text, minus zero is zero. */
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value))),
    fc.constantFrom('', 'p-1', ...PLACEHOLDERS),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(fc.oneof(WORDS, fc.string({ maxLength: 6 })), tie('value'), { maxKeys: 5 }),
}));

/** What a tool answers, whatever it is, or how the network failed. */
const content: fc.Arbitrary<TaskContent> = fc.oneof(
  fc
    .record({
      structuredContent: fc.oneof(anyJson.object, anyJson.value),
      isError: fc.constantFrom(undefined, true, 'yes'),
    })
    .map((result) => readToolResult(result)),
  fc.record({ content: anyJson.value, isError: fc.boolean() }).map((result) => readToolResult(result)),
  fc
    .record({
      of: fc.constantFrom(...ERROR_CLASSES),
      status: fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }),
    })
    .map(({ of, status }) => failedContent(of, 'made up', status === undefined ? {} : { status })),
);

const path = fc.oneof(
  fc.constantFrom(
    'products[*].a',
    'products[0].media_buy_id',
    'error.code',
    'account.sandbox',
    '$.a',
    'a[b=c].d',
  ),
  fc.stringMatching(/^[a-z[\]*=.0-9]{1,8}$/).filter((text) => parsePath(text) !== undefined),
);
const validation = fc.record(
  {
    check: fc.oneof(fc.constantFrom(...KNOWN_CHECKS), fc.constant('nobody_knows')),
    path,
    value: anyJson.value,
    allowed_values: fc.array(anyJson.value, { maxLength: 3 }),
    context_key: WORDS,
    pattern: WORDS,
  },
  { requiredKeys: ['check'] },
);
const step = fc.record(
  {
    task: fc.constantFrom(...TASKS),
    stateful: fc.boolean(),
    expect_error: fc.boolean(),
    sample_request: anyJson.object,
    auth: fc.constantFrom('none', 'invalid', 'unsigned', {
      type: 'http_signature',
      value_strategy: 'broken',
    }),
    contributes_to: fc.constantFrom('flag', 'other'),
    context_outputs: fc.array(fc.record({ path, name: fc.constantFrom('a', 'products') }), { maxLength: 2 }),
    validations: fc.array(validation, { maxLength: 3 }),
  },
  { requiredKeys: ['task'] },
);
const phase = fc.record(
  {
    optional: fc.boolean(),
    depends_on: fc.constantFrom(['p0'], []),
    skip_if: fc.constantFrom('context.a', "agent.protocol == 'a2a'", 'context.nobody', '???'),
    steps: fc.array(step, { maxLength: 4 }),
  },
  { requiredKeys: ['steps'] },
);
const storyboards = fc.array(
  fc.record(
    {
      track: fc.constantFrom('core', 'media_buy', 'elsewhere'),
      prerequisites: fc.constantFrom(['b0'], { controller_seeding: true }),
      fixtures: fc.constant({ products: [{ product_id: 'x' }] }),
      phases: fc.array(phase, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['phases'] },
  ),
  { minLength: 1, maxLength: 3 },
);

/** As YAML, of which JSON is a part. */
function textsOf(
  boards: readonly { readonly phases: readonly { readonly steps: readonly object[] }[] }[],
): readonly string[] {
  return boards.map(({ phases, ...board }, b) => {
    const named = phases.map(({ steps, ...more }, p) => ({
      ...more,
      id: `p${p}`,
      ...(p === 0 && { depends_on: [] }),
      steps: steps.map((one, s) => ({ id: `s${s}`, ...one })),
    }));
    return JSON.stringify({
      ...board,
      ...(b === 0 && { prerequisites: [] }),
      id: `b${b}`,
      title: `Board ${b}`,
      phases: named,
    });
  });
}

function factsOf(texts: readonly string[]): RunFacts {
  const usable = texts.flatMap((text) => readStoryboard(text).storyboard ?? []);
  const clock = { now: () => Date.UTC(2026, 0, 1) };
  const values = {
    seed: 'seed',
    runId: 'run',
    startedAt: clock.now(),
    agentUrl: 'https://agent.example/mcp',
    testKit: {},
  };
  return {
    ...{
      bundle: bundleOf(...usable),
      values,
      clock,
      trigger: null,
      target: '3.0',
      version: '3.0.0',
      dryRun: false,
      only: [],
      tracks: [],
    },
    ...{
      hasCredential: true,
      canSign: false,
      stepMs: 1_000,
      beganAt: clock.now(),
      endsAt: clock.now() + 1_000,
      tell: () => undefined,
    },
  };
}

/** Answers in turn, what it is asked is kept. */
function conversationOf(
  answers: readonly TaskContent[],
  sandbox: boolean,
): Conversation & { readonly calls: OutgoingCall[] } {
  const calls: OutgoingCall[] = [];
  const tools = TASKS.slice(0, 5);
  const capabilities = { ...OPEN, account: { sandbox } };
  const agent = readAgent({
    protocol: 'mcp',
    endpoint: 'https://agent.example/mcp',
    tools: sandbox ? tools : tools.slice(0, 4),
    capabilities,
  });
  return {
    ...{ calls, agent, capabilities, tools },
    async call(call) {
      calls.push(call);
      const next =
        answers[calls.length % Math.max(1, answers.length)] ?? failedContent('timeout', 'nothing left');
      return { name: call.task, answer: { ...next, durationMs: 1, raw: '', status: 200 } as TaskAnswer };
    },
  };
}

function expectConsistent(run: ComplianceRun): void {
  const { totals, steps, storyboards: boards } = run;
  expect(totals.steps).toEqual(countResults(steps));
  expect(totals.steps.passed + totals.steps.failed + totals.steps.skipped).toBe(steps.length);
  const incomplete = boards.filter(({ result }) => result === 'incomplete').length;
  expect(totals.storyboards).toEqual({ ...countResults(boards), incomplete });
  for (const one of boards) {
    expect(one.steps_passed + one.steps_failed + one.steps_skipped).toBe(one.steps_total);
    const ran = one.coverage_gap ? 'incomplete' : 'pass';
    expect(one.result).toBe(one.steps_failed > 0 ? 'fail' : one.steps_passed > 0 ? ran : 'skipped');
  }
  for (const one of steps) {
    const failedChecks = one.checks.filter(({ result }) => result === 'fail').length;
    const isUncounted = one.tried === true || one.not_evaluated !== undefined;
    if (one.result === 'fail') expect(failedChecks).toBeGreaterThan(0);
    else if (!isUncounted) expect(failedChecks).toBe(0);
    expect(one.result === 'skipped').toBe(one.skip_reason !== undefined);
  }
  const verdict = verdictOf(run);
  const { passed, failed } = totals.storyboards;
  expect(verdict.storyboards_total).toBe(passed + failed + incomplete);
  expect(verdict.storyboards_passing).toBe(totals.storyboards.passed);
  if (totals.steps.failed > 0 && run.outcome === 'complete') expect(verdict.status).not.toBe('passing');
  expect(JSON.parse(JSON.stringify(run))).toEqual(run);
}

it('whatever the storyboards say and the agent answers: the run ends, its counts add up, nothing goes out without consent', async () => {
  await fc.assert(
    fc.asyncProperty(
      storyboards,
      fc.array(content, { maxLength: 12 }),
      fc.boolean(),
      async (boards, answers, sandbox) => {
        const conversation = conversationOf(answers, sandbox);
        const run = await runBundle(factsOf(textsOf(boards)), withConsent(conversation, false));
        expect(run.inconclusive?.reason).not.toBe('own_fault');
        expectConsistent(run);
        if (sandbox) return;
        const changing = conversation.calls.filter(
          ({ task }) =>
            Object.hasOwn(PROTOCOL_TASKS, task) &&
            PROTOCOL_TASKS[task as keyof typeof PROTOCOL_TASKS].mutating,
        );
        expect(changing).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});
