import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KNOWN_CHECKS } from '../../src/compliance/checks/table.ts';
import { createContext, fillRequest, type RunValues } from '../../src/compliance/run/context.ts';
import { TRACKS } from '../../src/compliance/run-result.ts';
import { allSteps, type Step, type Storyboard, type Validation } from '../../src/compliance/storyboard.ts';
import { readBundle } from '../../src/compliance/storyboards/bundle.ts';
import type { BundledStoryboard } from '../../src/compliance/storyboards/needs.ts';
import { readRequest } from '../../src/protocol/read-request.ts';
import { isMutating, TASK_NAMES, taskNamed } from '../../src/protocol/tasks.ts';
import { BUNDLE, TEST_KIT } from './support/bundle-run.ts';

const SCHEMAS = new URL('../../schemas/protocol/3.0.0', import.meta.url).pathname;
const FORMAT = { agent_url: 'https://seller.example/mcp', id: 'display_300x250' };

/** What earlier steps would have kept, where a text would not do. */
const KEPT: Readonly<Record<string, unknown>> = {
  budget: 100,
  width: 300,
  height: 250,
  currency: 'EUR',
  format_id: FORMAT,
  manifest: { format_id: FORMAT, assets: {} },
  country: 'NL',
  reported_until: '2026-03-01T00:00:00Z',
};

/** The public catalogue (field notes). */
const CATALOGUE = [
  'audience-sync',
  'brand-rights',
  'collection-lists',
  'content-standards',
  'creative-ad-server',
  'creative-generative',
  'creative-template',
  'governance-aware-seller',
  'governance-delivery-monitor',
  'governance-spend-authority',
  'property-lists',
  'sales-broadcast-tv',
  'sales-catalog-driven',
  'sales-guaranteed',
  'sales-non-guaranteed',
  'sales-social',
  'signal-marketplace',
  'signal-owned',
  'signed-requests',
];

const RUN: RunValues = {
  seed: 'seed',
  runId: '018f0000-0000-7000-8000-000000000000',
  startedAt: Date.parse('2026-03-01T00:00:00Z'),
  agentUrl: 'https://seller.example/mcp',
  testKit: TEST_KIT,
};

const { storyboards, findings } = await readBundle(BUNDLE);
const files = await texts();
const steps = storyboards.flatMap(({ storyboard }) => allSteps(storyboard));

describe('the bundle', () => {
  test('is read without a single finding', () => {
    expect(findings).toEqual([]);
    expect(storyboards).toHaveLength(files.length);
  });

  test('has every track', () => {
    expect(new Set(storyboards.map(({ storyboard }) => storyboard.track))).toEqual(new Set(TRACKS));
  });

  test('has a storyboard for every specialism of the catalogue, or a reason why not', async () => {
    const tested = storyboards.flatMap(({ group }) =>
      group.kind === 'specialism' ? [group.specialism] : [],
    );
    const readme = await readFile(join(BUNDLE, 'README.md'), 'utf8');
    const untested = CATALOGUE.filter((name) => readme.includes(`| \`${name}\` |`));
    const all = [...tested.map((id) => id.replaceAll('_', '-')), ...untested];
    expect(all.toSorted()).toEqual(CATALOGUE);
  });

  test('names specialisms and protocols as files and folders do', () => {
    for (const { file, storyboard, group } of storyboards) {
      if (group.kind === 'specialism') expect(file).toBe(`specialisms/${storyboard.id}.yaml`);
      if (group.kind === 'baseline') expect(storyboard.category).toBe(group.protocol);
    }
  });
});

describe('every task of the protocol', () => {
  const exercised = (task: string, expectsError: boolean) =>
    steps.some((step) => taskNamed(step.task) === task && step.expectsError === expectsError);

  test.each(TASK_NAMES)('%s has a good case and a bad one', (task) => {
    expect([exercised(task, false), exercised(task, true)]).toEqual([true, true]);
  });

  test.each(TASK_NAMES.filter(isMutating).filter((task) => task !== 'comply_test_controller'))(
    '%s is repeated under its key',
    (task) => {
      const boards = storyboards.map(({ storyboard }) => storyboard);
      expect(boards.some((board) => repeats(board, task))).toBe(true);
    },
  );
});

describe('steps', () => {
  test('call tasks that our protocol has, but for four', () => {
    const others = steps.map(({ task }) => task).filter((task) => taskNamed(task) === undefined);
    expect([...new Set(others)].toSorted()).toEqual([
      'assert_contribution', // a task of the runner
      'get_media_buys', // of the public protocol alone
      'list_creatives', // of the public protocol alone
      'no_task_of_this_name',
    ]);
  });

  test('that change something say so', () => {
    const silent = steps.filter((step) => isMutating(step.task) && !step.stateful && !reads(step));
    expect(silent.map(({ id }) => id)).toEqual([]);
  });

  test('use checks that are known', () => {
    const kinds = steps.flatMap(({ validations }) => validations.map(({ check }) => check));
    expect(kinds.filter((kind) => !KNOWN_CHECKS.includes(kind))).toEqual([]);
  });

  test('that expect a refusal say which one counts, to agents of every vocabulary', () => {
    const open = steps.filter(
      (step) => step.expectsError && !step.validations.some((one) => namesRefusal(one) && !one.advice_for),
    );
    expect(open.map(({ id }) => id)).toEqual([]);
  });

  test('that expect a replay compare the whole response with the first one', () => {
    const replays = steps.filter(({ validations }) => validations.some(expectsReplay));
    const open = replays.filter(
      ({ validations }) => !validations.some(({ check }) => check === 'replay_equals'),
    );
    expect(replays.length).toBeGreaterThan(12);
    expect(open.map(({ id }) => id)).toEqual([]);
  });

  test('and checks that are advice name the text that does not demand them', () => {
    const advice = steps.flatMap(({ id, adviceFor, adviceBecause, validations }) => [
      ...(adviceFor === undefined ? [] : [[id, adviceBecause]]),
      ...validations.flatMap((one) => (one.advice_for === undefined ? [] : [[id, one.advice_because]])),
    ]);
    expect(advice.length).toBeGreaterThan(50);
    expect(advice.filter(([, because]) => !/ 3\.0\.26\b/.test(because ?? ''))).toEqual([]);
  });

  test.each(goodRequests(storyboards))('%s follows its request schema', (_, step, storyboard) => {
    const kept = Object.fromEntries(
      allSteps(storyboard).flatMap(({ outputs }) =>
        outputs.map(({ name }) => [name, KEPT[name] ?? `some-${name}`]),
      ),
    );
    const context = createContext(RUN, storyboard.id, kept);
    const { payload, missing } = fillRequest(step, step.id, context, RUN);
    expect(missing).toEqual([]);
    const read = readRequest(taskNamed(step.task) ?? 'get_products', payload);
    expect(read.ok ? [] : read.problem).toEqual([]);
  });

  test('refer to schemas that are there', () => {
    const refs = files.flatMap(({ text }) =>
      [...text.matchAll(/(?:^|_)schema_ref: (\S+)$/gm)].map(([, ref]) => ref),
    );
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((ref) => !existsSync(join(SCHEMAS, ref ?? '')))).toEqual([]);
  });
});

/** A good step and a later one with the same written key, which expects to hear of a replay. */
function repeats(storyboard: Storyboard, task: string): boolean {
  const own = allSteps(storyboard).filter((step) => step.task === task && !step.expectsError);
  return own.some(({ validations, request }, index) => {
    return (
      validations.some(expectsReplay) &&
      own.slice(0, index).some((other) => other.request.idempotency_key === request.idempotency_key)
    );
  });
}

function expectsReplay({ check, path, value }: Validation): boolean {
  return check === 'field_value' && path === 'replayed' && value === true;
}

/** A check that a refusal for another reason fails. */
function namesRefusal({ check, value, allowed_values: allowed }: Validation): boolean {
  const names = value !== undefined || (allowed ?? []).length > 0;
  return ['error_code', 'http_status', 'http_status_in', 'refused_for'].includes(check) && names;
}

function reads({ request }: Step): boolean {
  return request.scenario === 'list_scenarios' || request.scenario === undefined;
}

function goodRequests(all: readonly BundledStoryboard[]) {
  return all.flatMap(({ storyboard }) =>
    storyboard.phases.flatMap((phase) =>
      phase.steps
        .filter(({ expectsError, task }) => !expectsError && taskNamed(task) !== undefined)
        .map((step) => [`${storyboard.id}/${phase.id}/${step.id}`, step, storyboard] as const),
    ),
  );
}

async function texts(): Promise<readonly { readonly file: string; readonly text: string }[]> {
  const names = (await readdir(BUNDLE, { recursive: true })).filter((name) => name.endsWith('.yaml'));
  return Promise.all(names.map(async (file) => ({ file, text: await readFile(join(BUNDLE, file), 'utf8') })));
}
