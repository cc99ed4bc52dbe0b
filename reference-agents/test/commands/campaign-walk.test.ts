import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openAgentStates } from '../../../src/compose/agent-stores.ts';
import { systemClock } from '../../../src/compose/clock.ts';
import { composeFetcher } from '../../../src/compose/network.ts';
import { readConfig } from '../../../src/config.ts';
import type { Protocol } from '../../../src/domain/agent-type.ts';
import { openInbox } from '../../../src/webhooks/inbox.ts';
import { run, start, tempFolder } from '../../../test/cli/support/cli.ts';
import { follows } from '../../../test/cli/support/schemas.ts';
import { runCampaign } from '../../src/buying/campaign.ts';
import { CAMPAIGN_AGENTS, openCampaignParts } from '../../src/buying/campaigns.ts';
import type { CampaignOutcome } from '../../src/buying/plan.ts';
import type { KeptStep } from '../../src/buying/walk.ts';
import { startSandbox } from '../../src/start-sandbox.ts';

/** A day's walk: who the brand is, the plan, the account, the offer, the creative, the approval, the purchase, what came of it. */
const STEPS = [
  ['sandbox_clock', 'comply_test_controller'],
  ['brand_identity', 'get_brand_identity'],
  ['governance_plan', 'sync_plans'],
  ['account', 'sync_accounts'],
  ['brief', 'get_products'],
  ['refine', 'get_products'],
  ['creative', 'build_creative'],
  ['creative_refined', 'build_creative'],
  ['creative_synced', 'sync_creatives'],
  ['approval', 'check_governance'],
  ['media_buy', 'create_media_buy'],
  ['webhook', 'media_buy.status_changed'],
  ['first_day', 'comply_test_controller'],
  ['events', 'log_event'],
  ['delivery', 'get_media_buy_delivery'],
  ['feedback', 'provide_performance_feedback'],
  ['second_day', 'comply_test_controller'],
  ['delivery_again', 'get_media_buy_delivery'],
  ['audit_log', 'get_plan_audit_logs'],
] as const;

const WEB = { seed: 5, publishers: 20, managed: 5 } as const;
const SANDBOX_AND_COMMAND = fileURLToPath(new URL('../support/sandbox-and-command.ts', import.meta.url));

interface Walked {
  readonly outcome: CampaignOutcome;
  readonly steps: readonly KeptStep[];
}

async function walkCampaign(protocol: Protocol, file: string): Promise<Walked> {
  const sandbox = await startSandbox({ ...WEB, state: file });
  const fetcher = composeFetcher(readConfig({}), { connectTo: sandbox.connectTo }, systemClock);
  const states = openAgentStates(file);
  onTestFinished(async () => {
    await fetcher.close();
    await sandbox.close();
    states.close();
  });
  const ground = { states, fetcher, clock: systemClock };
  const { plan, parts } = await openCampaignParts(ground, { protocol, seed: 5 });
  const outcome = await runCampaign(plan, parts);
  return { outcome, steps: parts.walk.steps() };
}

it.each<Protocol>(['mcp', 'a2a'])(
  'one campaign goes through the whole protocol over %s',
  async (protocol) => {
    const file = join(tempFolder(), 'state.sqlite');
    const { outcome, steps } = await walkCampaign(protocol, file);
    expect(steps.map(({ name, task }) => [name, task])).toEqual(STEPS);
    const answer = (name: string) => steps.find((step) => step.name === name)?.response;

    expect(answer('account')).toMatchObject({ accounts: [{ status: 'active' }] });
    expect(answer('creative_refined')).toMatchObject({ iteration: 2 });
    expect(answer('approval')).toMatchObject({
      decision: 'approved',
      governance_approval: expect.any(String),
    });
    expect(answer('webhook')).toMatchObject({
      keyid: expect.any(String),
      payload: { previous_status: 'pending_start', status: 'active' },
    });
    const [first, again] = [answer('delivery'), answer('delivery_again')] as { impressions: number }[];
    expect(first?.impressions).toBeGreaterThan(0);
    expect(again?.impressions).toBeGreaterThan(first?.impressions ?? 0);
    const feedback = answer('feedback') as { packages: { pacing_index: number }[] };
    expect(feedback.packages[0]?.pacing_index).toBeGreaterThan(1);
    expect(outcome).toMatchObject({ intact: true });

    const states = openAgentStates(file);
    onTestFinished(() => states.close());
    const statuses = openInbox(states.of(CAMPAIGN_AGENTS.buyer))
      .list()
      .map(({ payload, outOfOrder }) => [payload.sequence, payload.status, outOfOrder]);
    expect(statuses.at(-1)).toEqual([statuses.length, 'active', false]);
  },
  60_000,
);

it('is taken up again after kill -9 of the buyer and of all agents, as often as it takes, and buys once', async () => {
  const file = join(tempFolder(), 'state.sqlite');
  const words = ['campaign', '--seed', '5', '--state', `sqlite:${file}`];
  let kills = 0;
  for (const after of ['account', 'approval', 'media_buy', 'second_day']) {
    // one process has the buyer and all agents; the next one is on another port
    const { child, until, ended } = start([file, ...words], { script: SANDBOX_AND_COMMAND });
    await until('stdout', new RegExp(`^${after} `, 'm'));
    child.kill('SIGKILL');
    kills += 1;
    await ended;
  }
  const sandbox = await startSandbox({ ...WEB, state: file });
  const { code, stdout, stderr } = await run(...words, '--connect-to', sandbox.connectTo[0] ?? '', '--json');
  await sandbox.close();
  expect([code, stderr]).toEqual([0, expect.stringContaining('resuming')]);
  const walked = follows<{ steps: KeptStep[]; media_buy_id: string }>(stdout, 'cli/campaign.json');
  // One that is bought after its start runs at once, and nothing has to be told.
  const taken = walked.steps.map(({ name }) => name).filter((name) => name !== 'webhook');
  expect(taken).toEqual(STEPS.map(([name]) => name).filter((name) => name !== 'webhook'));
  expect(kills).toBe(4);

  const states = openAgentStates(file);
  onTestFinished(() => states.close());
  const buys = states.of(CAMPAIGN_AGENTS.sales).collection('media_buys', CAMPAIGN_AGENTS.buyer);
  expect(buys.list().map(({ key }) => key)).toEqual([walked.media_buy_id]);
  const numbers = openInbox(states.of(CAMPAIGN_AGENTS.buyer))
    .list()
    .map(({ payload }) => payload.sequence);
  expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
}, 120_000);
