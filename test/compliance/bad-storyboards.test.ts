import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Storyboard } from '../../src/compliance/storyboard.ts';
import { readBundle } from '../../src/compliance/storyboards/bundle.ts';
import { type BundledStoryboard, findingsOfNeeds, inOrder } from '../../src/compliance/storyboards/needs.ts';
import { readStoryboard } from '../../src/compliance/storyboards/read-storyboard.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { answered, resultsOf, runAt, startAgent, stepOf, withPhases } from './support/runs.ts';

const board = (id: string, more = '') =>
  `id: ${id}\ntitle: ${id}\ntrack: core\n${more}phases:\n  - {id: p, steps: [{id: s, task: get_products}]}\n`;

function folderOf(boards: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [id, more] of Object.entries(boards)) writeFileSync(join(folder, `${id}.yaml`), board(id, more));
  return folder;
}

async function read(boards: Readonly<Record<string, string>>) {
  const bundle = await readBundle(folderOf(boards));
  const messages = bundle.findings.flatMap(({ findings }) => findings.map(({ message }) => message));
  return { bundle, ids: bundle.storyboards.map(({ storyboard }) => storyboard.id), messages };
}

describe('storyboards that need each other in a circle are left out, with the way round, and no other', () => {
  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    [
      'by prerequisites',
      { a: 'prerequisites: [b]\n', b: 'prerequisites: [a]\n' },
      ['circular dependency of a: a → b → a', 'circular dependency of b: a → b → a'],
    ],
    [
      'by scenarios',
      { a: 'requires_scenarios: [b]\n', b: 'requires_scenarios: [a]\n' },
      ['circular dependency of a: a → b → a', 'circular dependency of b: a → b → a'],
    ],
    [
      'by both',
      { a: 'requires_scenarios: [b]\n', b: 'prerequisites: [a]\n' },
      ['circular dependency of a: a → b → a', 'circular dependency of b: a → b → a'],
    ],
    ['of one', { a: 'prerequisites: [a]\n' }, ['circular dependency of a: a → a']],
  ])('%s', async (_name, boards, expected) => {
    const { ids, messages } = await read({ ...boards, good: '' });
    expect(messages).toEqual(expected);
    expect(ids).toEqual(['good']);
  });

  it('of a hundred, shortened', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `b${i}`);
    const { ids, messages } = await read(
      Object.fromEntries(names.map((id, i) => [id, `prerequisites: [b${(i + 1) % 100}]\n`])),
    );
    expect(ids).toEqual([]);
    expect(messages).toHaveLength(100);
    expect(messages[0]).toBe('circular dependency of b0: b0 → b1 → b2 → b3 → b4 → b5 → b6 → b7 → … → b0');
  });

  it('and the run says that they were left out', async () => {
    const { url } = await startAgent({});
    const bundle = await readBundle(folderOf({ a: 'prerequisites: [a]\n', good: '' }));
    const run = await runAt(url, bundle);
    expect(resultsOf(run)).toEqual(['s: pass']);
    expect(run.notices).toMatchObject([
      { code: 'storyboard_unusable', message: 'storyboard a.yaml has errors and was skipped' },
    ]);
  });

  it('a row of 1,500 before the circles costs no more than without them', async () => {
    const [sample] = (await read({ good: '' })).bundle.storyboards;
    const needing = (id: string, prerequisites: readonly string[]): BundledStoryboard => ({
      group: { kind: 'scenario' },
      file: id,
      storyboard: { ...(sample?.storyboard as Storyboard), id, prerequisites },
    });
    const names = Array.from({ length: 1_500 }, (_, i) => `b${i}`);
    const row = names.map((id, i) => needing(id, names.slice(i + 1, i + 90)));
    const circles = Array.from({ length: 200 }, (_, i) => needing(`z${i}`, ['b0', `z${i ^ 1}`]));
    const wrong = findingsOfNeeds([...row, ...circles]).map(({ file }) => file);
    expect(wrong.toSorted()).toEqual(circles.map(({ file }) => file).toSorted());
    expect(inOrder(row)).toHaveLength(1_500);
  });

  it('a row of 300 that need one another is no circle, and runs from its end', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `b${i}`);
    const { ids, messages } = await read(
      Object.fromEntries(names.map((id, i) => [id, i < 299 ? `prerequisites: [b${i + 1}]\n` : ''])),
    );
    expect([messages, ids]).toEqual([[], names.toReversed()]);
  });
});

describe('a folder of strangers', () => {
  it('may have what never ends in it', async () => {
    const folder = folderOf({ good: '' });
    symlinkSync('/dev/zero', join(folder, 'endless.yaml'));
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    const { storyboards, findings } = await readBundle(folder);
    expect([storyboards.length, findings]).toEqual([1, []]);
  });

  it('is read as far as it counts, and says what was left out', async () => {
    const text = `${board('good')}# ${'x'.repeat(520_000)}\n`;
    const folder = folderOf({});
    for (let i = 10; i < 43; i += 1) writeFileSync(join(folder, `f${i}.yaml`), text.replace('good', `b${i}`));
    const { storyboards, findings } = await readBundle(folder);
    expect(storyboards).toHaveLength(32);
    expect(findings).toMatchObject([{ file: 'f42.yaml', findings: [{ code: 'bundle_too_large' }] }]);
  });
});

describe('what a storyboard asks for and nobody has', () => {
  const products = () => answered({ products: [{ product_id: 'p-1' }] });
  const step = (line: string) => `  - {id: p, steps: [{${line}}]}\n`;

  it('a check that is not known is told when it is read, with what is known, and is never a pass', async () => {
    const text = board('a').replace(
      'task: get_products',
      'task: get_products, validations: [{check: looks_nice}]',
    );
    const { storyboard, findings } = readStoryboard(text);
    expect(findings).toMatchObject([
      {
        severity: 'warning',
        line: 5,
        pointer: '/phases/0/steps/0/validations/0/check',
        message: 'unknown check looks_nice: it is recorded as not applicable',
        hint: expect.stringMatching(/^known checks: field_value, .*any_of$/),
      },
    ]);
    const { url } = await startAgent({ answer: products });
    const run = await runAt(url, storyboard === undefined ? [] : [storyboard]);
    expect(stepOf(run, 's').checks.at(-1)).toEqual({
      check: 'looks_nice',
      result: 'not_applicable',
      message: 'unknown check: looks_nice',
    });
  });

  it('a value in a request skips the step, with its name', async () => {
    const { url } = await startAgent({ answer: products });
    const run = await runAt(url, [
      withPhases(
        step(
          'id: s, task: get_products, sample_request: {a: $context.nobody, b: "{{prior_step.nobody.at}}"}',
        ),
      ),
    ]);
    expect(stepOf(run, 's')).toMatchObject({
      skip_reason: 'requirement_unmet',
      skip_detail: 'no value for $context.nobody, {{prior_step.nobody.at}}',
    });
  });

  it('a value that an earlier step did not bring skips the step, and the earlier one says what it lacks', async () => {
    const { url } = await startAgent({ answer: () => answered({}) });
    const run = await runAt(url, [
      withPhases(
        '  - id: p\n    steps:\n      - {id: a, task: get_products, context_outputs: [{path: "products[0].product_id", name: product}]}\n      - {id: b, task: get_products, sample_request: {id: $context.product}}\n',
      ),
    ]);
    expect(stepOf(run, 'a').checks.at(-1)).toMatchObject({
      result: 'fail',
      message: '/products is missing; later steps need it as product',
    });
    expect(stepOf(run, 'b')).toMatchObject({
      skip_reason: 'prerequisite_failed',
      skip_detail: 'no earlier step provided $context.product',
    });
  });

  it('a value in a check makes that check not applicable, and costs the agent nothing', async () => {
    const { url } = await startAgent({ answer: products });
    const checks =
      '[{check: field_value, path: a, value: $context.nobody}, {check: field_equals_context, path: a, context_key: nobody}, {check: field_value}]';
    const run = await runAt(url, [withPhases(step(`id: s, task: get_products, validations: ${checks}`))]);
    expect(resultsOf(run)).toEqual(['s: pass']);
    expect(stepOf(run, 's').checks.slice(1)).toMatchObject([
      { result: 'not_applicable', message: 'no value for $context.nobody' },
      { result: 'not_applicable', message: 'no earlier step provided nobody' },
      { result: 'not_applicable', message: 'the check has no path' },
    ]);
  });

  it('a phase with a condition that nobody understands is skipped, and says so', async () => {
    const { url } = await startAgent({ answer: products });
    const run = await runAt(url, [
      withPhases("  - {id: p, skip_if: 'the moon is full', steps: [{id: s, task: get_products}]}\n"),
    ]);
    expect(stepOf(run, 's')).toMatchObject({
      skip_reason: 'not_applicable',
      skip_detail: 'this runner does not support the requirement skip_if: the moon is full',
    });
  });
});

describe('a storyboard that was made to be slow to read ends all the same', () => {
  const filled = (text: string) =>
    board('a').replace('task: get_products', `task: get_products, sample_request: {x: "${text}"}`);
  it.each([
    ['open braces and white space', filled(`{{${' '.repeat(400_000)}`)],
    ['open braces', filled('{{a '.repeat(100_000))],
    ['dots', filled('$context.a.b.c'.repeat(30_000))],
    ['brackets', filled(`$context.a${'[0]'.repeat(100_000)}[`)],
    ['white space in a condition', board('a').replace('{id: p,', `{id: p, skip_if: "a${' '.repeat(490)}x",`)],
  ])('%s', (_name, text) => {
    expect(readStoryboard(text).findings.every(({ severity }) => severity === 'warning')).toBe(true);
  });
});
