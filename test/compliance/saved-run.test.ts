import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRequestBudget } from '../../src/compliance/conversation/conversation.ts';
import { replayAgent } from '../../src/compliance/run/run-agent.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { answered, bundleOf, runAt, startAgent, withPhases } from './support/runs.ts';

const board = withPhases(`  - id: p
    steps:
      - id: a
        task: create_media_buy
        sample_request: {context: {ref: "$generate:uuid_v4#x", at: "{{now}}"}}
        validations: [{check: field_value, path: context.ref, value: "$generate:uuid_v4#x"}, {check: field_value, path: context.at, value: "{{now}}"}]
      - {id: b, task: get_products, validations: [{check: field_present, path: products}]}
`);
const again = {
  clock: { now: () => Date.now() },
  consent: 'operator',
  trigger: null,
  target: '3.0',
  version: '3.0.0',
} as const;

async function saved(): Promise<{
  readonly folder: string;
  readonly run: Awaited<ReturnType<typeof runAt>>;
}> {
  const { url } = await startAgent({
    answer: (_task, { context }) => answered({ media_buy_id: 'mb-1', context }),
  });
  const folder = join(tempFolder(), 'run');
  return { folder, run: await runAt(url, [board], { save: folder, auth: 'secret-token-of-ours' }) };
}

describe('a saved run', () => {
  it('comes to the same when its answers are judged elsewhere, a year later, with no network', async () => {
    const { folder, run } = await saved();
    const copied = join(tempFolder(), 'brought');
    renameSync(folder, copied);
    const clock = { now: () => Date.now() + 365 * 86_400_000 };
    const replayed = await replayAgent({ ...again, clock, bundle: bundleOf(board) }, copied);
    const judged = ({ steps, storyboards, made, totals, agent }: typeof replayed) => ({
      steps,
      storyboards,
      made,
      totals,
      agent,
    });
    expect(judged(replayed)).toEqual(judged(run));
    expect(replayed).toMatchObject({ run_id: run.run_id, outcome: 'complete', requests: 0 });
    expect(run.totals.steps).toMatchObject({ passed: 1, failed: 1 });
  });

  it('can be judged by changed checks', async () => {
    const { folder } = await saved();
    const other = withPhases('  - {id: p, steps: [{id: b, task: get_products}]}\n');
    expect(await replayAgent({ ...again, bundle: bundleOf(other) }, folder)).toMatchObject({
      totals: { steps: { passed: 1 } },
    });
  });

  it('says what it was judged by then and is not now: bundle, schemas or runner', async () => {
    const { folder } = await saved();
    const bundle = bundleOf(board);
    const told = async (now: typeof bundle) =>
      (await replayAgent({ ...again, bundle: now }, folder)).notices.filter(
        ({ code }) => code === 'judged_by_others',
      );
    expect(await told(bundle)).toEqual([]);
    expect(await told({ ...bundle, digest: 'sha256:1' })).toMatchObject([
      { severity: 'warning', message: expect.stringMatching(/different bundle, so .*: bundle sha256:0$/) },
    ]);
    const file = join(folder, 'run.json');
    const run = JSON.parse(readFileSync(file, 'utf8'));
    const judged_by = { ...run.judged_by, runner: 'sha256:2', schemas: 'sha256:3' };
    writeFileSync(file, JSON.stringify({ ...run, judged_by }));
    expect(await told(bundle)).toMatchObject([
      {
        message: expect.stringMatching(
          /different schemas and runner, so .*: schemas sha256:3, runner sha256:2$/,
        ),
      },
    ]);
  });

  it('is inconclusive where it has no answer', async () => {
    const { folder } = await saved();
    const other = withPhases('  - {id: p, steps: [{id: new, task: get_products}]}\n');
    expect(await replayAgent({ ...again, bundle: bundleOf(other) }, folder)).toMatchObject({
      outcome: 'inconclusive',
      inconclusive: { reason: 'own_fault' },
    });
  });

  it('holds no credential, and is for its owner’s eyes', async () => {
    const { folder } = await saved();
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    );
    expect(files.length).toBe(4);
    for (const file of files)
      expect(readFileSync(join(folder, file), 'utf8')).not.toContain('secret-token-of-ours');
  });

  it('is refused when it is none, or damaged', async () => {
    const { folder } = await saved();
    const options = { ...again, bundle: bundleOf(board) };
    await expect(replayAgent(options, tempFolder())).rejects.toMatchObject({ code: 'input_invalid' });
    writeFileSync(join(folder, 'exchanges', '0001.json'), '{"key": 7}');
    await expect(replayAgent(options, folder)).rejects.toMatchObject({ code: 'input_invalid' });
    rmSync(join(folder, 'run.json'));
    await expect(replayAgent(options, folder)).rejects.toMatchObject({ code: 'input_invalid' });
  });

  it('is not written over another one', async () => {
    const { folder } = await saved();
    const { url } = await startAgent({});
    await expect(runAt(url, [board], { save: folder })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('the requests for one agent', () => {
  it('are bounded for each call and for the run', async () => {
    const budget = createRequestBudget(30);
    const fetch = budget.around(async () => new Response());
    budget.beginStep();
    for (let n = 0; n < 20; n += 1) await fetch('http://127.0.0.1/');
    await expect(fetch('http://127.0.0.1/')).rejects.toThrow('one call needed more than 20 requests');
    expect(budget.spent).toBe(false);
    budget.beginStep();
    for (let n = 0; n < 10; n += 1) await fetch('http://127.0.0.1/');
    await expect(fetch('http://127.0.0.1/')).rejects.toThrow('its limit of 30 requests');
    expect([budget.spent, budget.used]).toEqual([true, 30]);
  });
});
