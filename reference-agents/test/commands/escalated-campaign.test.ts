import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openAgentStates } from '../../../src/compose/agent-stores.ts';
import { begin, run, tempFolder } from '../../../test/cli/support/cli.ts';
import { follows } from '../../../test/cli/support/schemas.ts';
import { CAMPAIGN_AGENTS } from '../../src/buying/campaigns.ts';
import type { KeptStep } from '../../src/buying/walk.ts';

/** A sandbox, and the commands that look into its state. */
async function world() {
  const file = join(tempFolder(), 'state.sqlite');
  const state = ['--state', `sqlite:${file}`];
  const sandbox = begin('sandbox', '--port', '0', '--json', ...state);
  onTestFinished(async () => void (await sandbox.stop()));
  const { connect_to } = JSON.parse(await sandbox.until('stdout', /\n}\n$/)) as { connect_to: string[] };
  const campaign = (...args: readonly string[]) =>
    run('campaign', ...args, ...state, '--connect-to', connect_to[0] ?? '');
  const approvals = (...args: readonly string[]) => run('approvals', ...args, ...state);
  return { file, campaign, approvals };
}

it('waits when it needs a human, goes on when it is approved, and buys once', async () => {
  const { file, campaign, approvals } = await world();
  const terms = ['--budget', '4000', '--max-amount', '1000', '--protocol', 'a2a', '--id', 'spring-1'];
  const first = await campaign(...terms);
  expect([first.code, first.stderr]).toEqual([1, expect.stringContaining('(waiting)')]);
  expect(first.stdout).not.toContain('media_buy ');

  const { checks } = follows<{ checks: { check_id: string; cost: object }[] }>(
    (await approvals('list', '--json')).stdout,
    'cli/approvals.json',
  );
  expect(checks).toMatchObject([{ cost: { amount: 4_000, currency: 'EUR' } }]);
  expect((await approvals('approve', checks[0]?.check_id ?? '', '--as', 'ada')).code).toBe(0);

  const second = await campaign('--json');
  expect(second).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('resuming spring-1 over a2a'),
  });
  const walked = follows<{ steps: KeptStep[]; media_buy_id: string }>(second.stdout, 'cli/campaign.json');
  const log = walked.steps.find(({ name }) => name === 'audit_log')?.response as {
    entries: { action: string }[];
  };
  expect(log.entries.map(({ action }) => action)).toEqual([
    'submit_plan',
    'escalate',
    'human_approve',
    'approve',
  ]);
  const states = openAgentStates(file);
  onTestFinished(() => states.close());
  const buys = states.of(CAMPAIGN_AGENTS.sales).collection('media_buys', CAMPAIGN_AGENTS.buyer);
  expect(buys.list().map(({ key }) => key)).toEqual([walked.media_buy_id]);
}, 60_000);

it('goes on with the newest on the terms on which it was begun, and names the others', async () => {
  const { campaign } = await world();
  const little = ['--max-amount', '1'];
  for (const id of ['one', 'two']) expect((await campaign('--id', id, ...little)).code).toBe(1);
  const going = await campaign();
  expect(going.stderr).toContain('resuming two over mcp');
  expect(going.stderr).toContain('other unfinished campaigns: one;');
  for (const [flag, value, had] of [
    ['--protocol', 'a2a', 'mcp'],
    ['--budget', '77', '5000'],
    ['--max-amount', '77', '1'],
  ] as const) {
    const refused = await campaign(flag, value);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`two was started with ${flag} ${had}`),
    ]);
  }
}, 60_000);

it('takes no id that is none, and no state that the sandbox does not see', async () => {
  for (const id of ['a/b', '', 'x'.repeat(65), 'a b'])
    expect((await run('campaign', '--id', id)).code, JSON.stringify(id)).toBe(2);
  const memory = await run('campaign', '--state', 'sqlite::memory:');
  expect([memory.code, memory.stderr]).toEqual([2, expect.stringContaining('the same --state sqlite:PATH')]);
});
