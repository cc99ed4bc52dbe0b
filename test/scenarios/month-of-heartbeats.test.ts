import { describe, expect, it } from 'vitest';
import { PROTOCOL_TASKS, taskNamed } from '../../src/protocol/tasks.ts';
import { OPEN } from '../compliance/support/runs.ts';
import type { LightAgent } from '../pipelines/support/light-agents.ts';
import { openRunWorld, type RunWorld, urlOf, withOurBundle } from '../pipelines/support/run-world.ts';

const DAY = 24 * 3_600_000;

/** Offers what can be bought, so that there is much that could be changed. */
const TOOLS = [
  'get_proto_capabilities',
  'get_products',
  'create_media_buy',
  'update_media_buy',
  'sync_accounts',
  'sync_creatives',
  'sync_audiences',
  'provide_performance_feedback',
  'activate_signal',
];
const IN_SANDBOX: LightAgent = { tools: TOOLS };
const FOR_REAL: LightAgent = { tools: TOOLS, capabilities: { ...OPEN, account: { sandbox: false } } };

const AGENTS = {
  'sandbox.example': IN_SANDBOX,
  'real.example': FOR_REAL,
  'discovered.example': IN_SANDBOX,
  'unproven.example': IN_SANDBOX,
  'optedout.example': IN_SANDBOX,
  'paused.example': IN_SANDBOX,
  'development.example': IN_SANDBOX,
  'leaves.example': IN_SANDBOX,
};
type Host = keyof typeof AGENTS;
const OWNED: readonly Host[] = [
  'sandbox.example',
  'real.example',
  'optedout.example',
  'paused.example',
  'development.example',
  'leaves.example',
];

function decide({ store, clock }: RunWorld, host: Host, change: object): Promise<unknown> {
  const actor = { kind: 'operator' } as const;
  return store.records.owners.changeSettings({ agent: urlOf(host), change, actor }, clock.value);
}

async function openMonth(): Promise<RunWorld> {
  const world = await openRunWorld(AGENTS);
  const { sources, members } = world.store.records;
  const now = world.clock.value;
  await world.own(...OWNED);
  const discovered = { kind: 'agent', key: urlOf('discovered.example'), foundVia: 'operator' } as const;
  await sources.add([{ ...discovered, url: discovered.key }], now);
  const unproven = urlOf('unproven.example');
  await members.register({ agent: unproven, url: unproven, member: 'acme' }, now);
  for (const host of OWNED) await decide(world, host, { checkIntervalHours: 24 });
  await decide(world, 'optedout.example', { optedOut: true });
  await decide(world, 'paused.example', { monitoringPaused: true });
  await decide(world, 'development.example', { lifecycleStage: 'development' });
  return world;
}

/** Something that the agent offers, or that the protocol has, and that changes something. */
function isChange(what: string): boolean {
  const task = taskNamed(what);
  return task === undefined ? TOOLS.includes(what) : PROTOCOL_TASKS[task].mutating;
}

describe('a month of heartbeats', () => {
  it('changes nothing at agents whose owners have not agreed, and does not even call those that nobody owns', async () => {
    const world = await openMonth();
    const context = await withOurBundle(world.context());
    const began = world.clock.value;
    const heardBy = (host: Host) => world.heard.filter((one) => one.host === host).map(({ what }) => what);
    let heardByLeaver = 0;
    for (let passed = 0; passed < 30 * DAY; passed += DAY) {
      world.clock.value = began + passed;
      if (passed === 10 * DAY) {
        expect(await world.outcomes('leaves.example')).toHaveLength(10);
        heardByLeaver = heardBy('leaves.example').length;
        await decide(world, 'leaves.example', { optedOut: true });
      }
      await world.beat(context);
    }

    const untouched = AGENT_HOSTS.filter((host) => heardBy(host).length === 0);
    expect(untouched).toEqual([
      'discovered.example',
      'unproven.example',
      'optedout.example',
      'paused.example',
      'development.example',
    ]);
    // it declares no sandbox: it is asked, and nothing is changed
    expect(heardBy('real.example').length).toBeGreaterThan(100);
    expect(heardBy('real.example').filter(isChange)).toEqual([]);
    // and so that this says something: where a sandbox is declared, much is
    expect(heardBy('sandbox.example').filter(isChange).length).toBeGreaterThan(50);

    expect(await world.outcomes('sandbox.example')).toHaveLength(30);
    expect(await world.outcomes('real.example')).toHaveLength(30);
    expect(heardBy('leaves.example')).toHaveLength(heardByLeaver);
    expect(await world.outcomes('leaves.example')).toEqual([]); // whoever has opted out has no results
    await decide(world, 'leaves.example', { optedOut: false });
    expect(await world.outcomes('leaves.example')).toHaveLength(10);
  }, 60_000);
});

const AGENT_HOSTS = Object.keys(AGENTS) as Host[];
