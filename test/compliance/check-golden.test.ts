import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { CheckFlags } from '../../src/cli/commands/check/flags.ts';
import { printReport } from '../../src/cli/commands/check/report.ts';
import { replayAgent } from '../../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { verdictOf } from '../../src/compliance/verdict/verdict.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { follows } from '../cli/support/schemas.ts';
import { says } from './support/check.ts';
import { bundleOf, storyboard } from './support/runs.ts';

const URL = 'https://sales.agents.example/mcp';
const BOARDS = [
  storyboard(`id: products
title: Products for a brief
track: products
phases:
  - id: brief
    steps:
      - id: coffee
        title: A brief is answered
        task: get_products
        sample_request: {buying_mode: brief, brief: coffee}
        context_outputs: [{path: "products[0].product_id", name: product_id}]
        validations:
          - {check: field_value, path: "products[*].delivery_type", value: guaranteed, description: All are guaranteed}
          - {check: no_such_check}
`),
  storyboard(`id: media_buy
title: A media buy
track: media_buy
phases:
  - id: order
    steps:
      - {id: buy, title: An order is taken, task: create_media_buy, stateful: true}
`),
];
const FLAGS: CheckFlags = {
  only: [],
  track: [],
  as: 'https://desk.example/agent',
  brand: 'tidewater-kayaks.example',
  timeout: 30,
  deadline: 600,
  progress: 'none',
  webhookPort: 0,
  connectTo: [],
  authEnv: 'TOKEN',
  keys: './keys',
};

/** A run that was saved by hand, so that nothing in it differs from one time to the next. */
function savedByHand(): string {
  const folder = tempFolder();
  mkdirSync(join(folder, 'exchanges'));
  const agent = {
    protocol: 'mcp',
    endpoint: URL,
    name: 'Test Agent',
    supported_protocols: ['media_buy'],
    specialisms: ['sales-guaranteed'],
    supported_versions: ['3.0'],
    sandbox: false,
    test_controller: false,
    tools_count: 2,
  };
  const head = {
    agent_url: URL,
    run_id: '0b1c2d3e-0000-4000-8000-000000000001',
    seed: 'seed',
    started_at: 0,
    test_kit: {},
  };
  const tools = ['get_products', 'create_media_buy'];
  const run = { format: 1, ...head, has_credential: true, can_sign: false, agent, capabilities: {}, tools };
  const answer = says({
    products: [{ product_id: 'p-1', delivery_type: 'guaranteed' }, { product_id: 'p-2' }],
  });
  const exchange = {
    key: 'products/brief/coffee',
    task: 'get_products',
    request: {},
    name: 'get_products',
    answer,
  };
  writeFileSync(join(folder, 'run.json'), JSON.stringify(run));
  writeFileSync(join(folder, 'exchanges', '0001.json'), JSON.stringify(exchange));
  return folder;
}

function printed(run: ComplianceRun, flags: CheckFlags): string {
  const chunks: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => chunks.push(String(chunk)) > 0);
  printReport({ run, verdict: verdictOf(run), flags });
  spy.mockRestore();
  return chunks.join('');
}

describe('the golden sample of a compliance run', () => {
  it('is printed as JSON and for people', async () => {
    const clock = { now: () => Date.parse('2026-05-01T10:00:00Z') };
    const options = { bundle: bundleOf(...BOARDS), clock, target: '3.0', version: '3.0.0' };
    const replayed = await replayAgent({ ...options, consent: 'operator', trigger: 'manual' }, savedByHand());
    const run = { ...replayed, runner_digest: 'sha256:1' }; // another one with each change of the code
    const json = printed(run, { ...FLAGS, json: true });
    follows(json, 'cli/check.json');
    await expect(json).toMatchFileSnapshot('../golden/cli-check.json');
    const short = printed(run, FLAGS);
    expect(short.split('\n').filter((line) => line.length > 80)).toEqual([]);
    await expect(short).toMatchFileSnapshot('../golden/cli-check.txt');
    await expect(printed(run, { ...FLAGS, format: 'junit' })).toMatchFileSnapshot('../golden/cli-check.xml');
    await expect(printed(run, { ...FLAGS, format: 'markdown' })).toMatchFileSnapshot(
      '../golden/cli-check.md',
    );
    await expect(printed(run, { ...FLAGS, verbose: true })).toMatchFileSnapshot(
      '../golden/cli-check-verbose.txt',
    );
  });
});
