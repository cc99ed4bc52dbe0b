import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { applyBundleChange } from '../../src/compliance/bundles/apply-change.ts';
import type { LocalBundle } from '../../src/compliance/bundles/library.ts';
import { decideChange, decideImport } from '../../src/compliance/decide.ts';
import { NOTHING_RECORDED } from '../../src/domain/judged-run.ts';
import { runNowWait } from '../../src/domain/standing.ts';
import type { RunWait } from '../../src/records/runs/run-schedule.ts';
import { inGroup, OPEN, storyboard } from '../compliance/support/runs.ts';
import { legacyRun } from '../contract/compliance-fixtures.ts';
import type { LightAgent } from './support/light-agents.ts';
import { openRunWorld, type RunWorld, testBundles, urlOf } from './support/run-world.ts';

const HOST = 'agent.seller.example';
const URL_OF_AGENT = urlOf(HOST);
const ACTOR = { kind: 'operator' } as const;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** One storyboard named after the specialism `sales-guaranteed`, which passes when products have this member. */
function bundle(version: string, member: string): Omit<LocalBundle, 'wholeDigest'> {
  const board = storyboard(`
id: sales_guaranteed
title: Guaranteed sales
track: products
phases:
  - id: only
    title: Only
    steps:
      - id: products
        title: Products
        task: get_products
        sample_request: { brief: kayaks, buying_mode: brief }
        validations:
          - check: field_present
            path: products[0].${member}
            description: products have ${member}
`);
  const line = version.split('.').slice(0, 2).join('.');
  const group = { kind: 'specialism', specialism: 'sales_guaranteed' } as const;
  return { ...inGroup(group, board), version, line, vocabulary: 'proto', isEmbedded: version === '3.0.0' };
}

const LOCAL = [bundle('3.0.0', 'name'), bundle('3.0.9', 'price'), bundle('3.1.2', 'name')];

function agent(...versions: readonly string[]): LightAgent {
  return {
    capabilities: {
      ...OPEN,
      proto: { ...OPEN.proto, supported_versions: versions },
      proto_version: versions.at(-1),
      specialisms: ['sales-guaranteed'],
    },
    answer: (task) => (task === 'get_products' ? { products: [{ product_id: 'p1', name: 'Kayaks' }] } : {}),
  };
}

/** A registry whose member `acme` owns the agent, with these installed bundles in use. */
async function registry(light: LightAgent, ...versions: readonly string[]) {
  const world = await openRunWorld({ [HOST]: light });
  const { records } = world.store;
  await world.own(HOST);
  const member = { slug: 'acme', displayName: 'Acme', foundingMember: false };
  await records.members.import(
    [{ ...member, tier: 'builder', subscriptionStatus: 'active' }],
    world.clock.value,
  );
  for (const version of versions) {
    await install(world, version);
    await records.bundles.setStage(version, 'default', ACTOR, world.clock.value);
  }
  const bundles = testBundles(LOCAL, records.bundles);
  /** Tests the agent again, half a day later. */
  const beat = async (over: Parameters<RunWorld['beat']>[0] = {}) => {
    world.clock.value += DAY / 2;
    await world.beat({ bundles, ...over });
  };
  /** Tests what is due now. */
  const test = () => world.beat({ bundles });
  const use = async (version: string, stage: 'default' | 'preview' | 'off') => {
    await records.bundles.setStage(version, stage, ACTOR, world.clock.value);
    return applyBundleChange(records, { now: world.clock.value, fallback: '3.0' });
  };
  /** What the agent is shown with. */
  const shown = async () => {
    const state = await records.compliance.state(URL_OF_AGENT);
    const { status, latest } = state?.standing ?? {};
    const badges = state?.badges.map(({ role, line, graceSince, revokedAt }) => {
      const now = revokedAt !== null ? 'revoked' : graceSince !== null ? 'grace' : 'active';
      return `${role} ${line} ${now}`;
    });
    return { status, target: latest?.requestedTarget, version: latest?.protoVersion, badges };
  };
  const notices = async () =>
    (await records.compliance.state(URL_OF_AGENT))?.standing.latest?.verdict.notices;
  return { ...world, records, beat, test, use, shown, notices };
}

async function install({ store, clock }: RunWorld, version: string): Promise<void> {
  const line = version.split('.').slice(0, 2).join('.');
  const bundle = { version, line, vocabulary: 'proto', digest: 'sha256:0', aliases: [] } as const;
  await store.records.bundles.add(bundle, ACTOR, clock.value);
}

describe('the bundles that an agent is tested with', () => {
  it('are those of the lines that it declares: its status follows the newest, and each line has its badge', async () => {
    const { beat, shown, records } = await registry(agent('3.0', '3.1'), '3.1.2');
    await beat();
    expect(await shown()).toEqual({
      ...{ status: 'passing', target: '3.1', version: '3.1.2' },
      badges: ['media-buy 3.0 active', 'media-buy 3.1 active'],
    });
    const runs = await records.compliance.lastRuns(URL_OF_AGENT, { limit: 10 });
    expect(runs.map((run) => [run.proto_version, run.role]).toSorted()).toEqual([
      ['3.0.0', 'line'],
      ['3.1.2', undefined],
    ]);
  });

  it('say in the verdict where none is of a version that the agent declares', async () => {
    const { beat, shown, notices } = await registry(agent('3.1'));
    await beat();
    expect(await shown()).toMatchObject({ status: 'passing', target: '3.0', version: '3.0.0' });
    expect(await notices()).toContainEqual({
      code: 'version_not_declared',
      severity: 'warning',
      message: 'the agent declares 3.1; no bundle of this version is in use; tested with 3.0.0',
    });
  });

  it('are what its owner asks for', async () => {
    const { beat, shown, records, clock } = await registry(agent('3.0', '3.1'), '3.1.2');
    const change = { complianceTarget: '3.0' };
    await records.owners.changeSettings({ agent: URL_OF_AGENT, change, actor: ACTOR }, clock.value);
    await beat();
    expect(await shown()).toMatchObject({ target: '3.0', version: '3.0.0' });
  });

  it('are those in use where its owner asks for one in preview, which is tested as well and decides nothing', async () => {
    const world = await registry(agent('3.0'));
    const { beat, shown, notices, records, clock } = world;
    await install(world, '3.0.9');
    const change = { complianceTarget: '3.0.9' };
    await records.owners.changeSettings({ agent: URL_OF_AGENT, change, actor: ACTOR }, clock.value);
    await beat();
    expect(await shown()).toMatchObject({ status: 'passing', version: '3.0.0' });
    expect(await notices()).toContainEqual({
      code: 'version_not_declared',
      severity: 'warning',
      message: 'the target 3.0.9 is not in use; tested with 3.0.0',
    });
    expect((await records.compliance.bundleStandings(URL_OF_AGENT))['3.0.9']?.status).toBe('failing');
    expect((await records.compliance.state(URL_OF_AGENT))?.due).toBeGreaterThan(clock.value);
  });

  it('are waited for where this machine does not have them: the run is ours to repeat, and the standing stays', async () => {
    const { beat, shown, records, outcomes } = await registry(agent('3.0'));
    await beat();
    const before = await shown();
    const missing = {
      version: '3.0.8',
      line: '3.0',
      vocabulary: 'proto',
      digest: 'sha256:1',
      aliases: [],
    } as const;
    await records.bundles.add(missing, ACTOR, 0);
    await records.bundles.setStage('3.0.8', 'default', ACTOR, 0);
    await beat();
    expect(await outcomes(HOST)).toEqual(['own_fault', 'complete']);
    expect(await shown()).toEqual(before);
  });
});

describe('a bundle that is replaced while an agent is tested with it', () => {
  /** An agent during whose tests something happens once. */
  async function during(happens: (world: Awaited<ReturnType<typeof registry>>) => Promise<unknown>) {
    let todo: (() => Promise<unknown>) | undefined;
    const onCall = async (what: string) => {
      if (what !== 'get_products') return;
      const now = todo;
      todo = undefined;
      await now?.();
    };
    const world = await registry({ ...agent('3.0'), onCall });
    await world.beat();
    await install(world, '3.0.9');
    await world.beat();
    todo = () => happens(world);
    return world;
  }

  it('does not decide any more: the status follows the new one', async () => {
    const { beat, shown } = await during(({ use }) => use('3.0.9', 'default'));
    await beat();
    expect(await shown()).toMatchObject({ status: 'failing', version: '3.0.9' });
  });

  it('and removed gives no verdict: the run is ours to repeat, and the standing stays', async () => {
    const world = await during(async ({ use, records, clock }) => {
      await use('3.0.9', 'off');
      await records.bundles.remove('3.0.9', ACTOR, clock.value);
    });
    const { beat, use, shown, records } = world;
    await use('3.0.9', 'default');
    await beat();
    expect(await shown()).toMatchObject({ status: 'passing', version: '3.0.0' });
    expect(Object.keys(await records.compliance.bundleStandings(URL_OF_AGENT))).toEqual(['3.0.0']);
    const runs = await records.compliance.lastRuns(URL_OF_AGENT, { limit: 2, includeHidden: true });
    expect(runs.find((run) => run.proto_version === '3.0.9')?.inconclusive).toEqual({
      reason: 'own_fault',
      detail: 'bundle 3.0.9 was removed from the registry',
    });
  });
});

describe('a run that is requested with another bundle', () => {
  async function requested(world: Awaited<ReturnType<typeof registry>>, target: string) {
    const { records, clock } = world;
    const wanted = { agent: URL_OF_AGENT, runId: randomUUID(), trigger: 'owner_test', actor: ACTOR } as const;
    const wait: RunWait = ({ standing }) => runNowWait(standing, clock.value);
    return records.runs.request({ ...wanted, target }, wait, clock.value);
  }

  it('earns no badge of a line that the agent does not declare', async () => {
    const world = await registry(agent('3.1'), '3.1.2');
    await world.beat();
    world.clock.value += HOUR;
    expect(await requested(world, '3.0')).toMatchObject({ ok: true });
    await world.test();
    const runs = await world.records.compliance.lastRuns(URL_OF_AGENT, { limit: 9, includeHidden: true });
    expect(runs.map((run) => [run.proto_version, run.role])).toContainEqual(['3.0.0', 'preview']);
    expect((await world.shown()).badges).toEqual(['media-buy 3.1 active']);
  });

  it('is followed by the cooldown, and leaves the next scheduled test where it was', async () => {
    const world = await registry(agent('3.0'));
    const { records, clock, test } = world;
    await world.beat();
    await install(world, '3.0.9');
    const due = async () => (await records.compliance.state(URL_OF_AGENT))?.due;
    const before = await due();
    clock.value += HOUR;
    await requested(world, '3.0.9');
    await test();
    expect(await requested(world, '3.0.9')).toMatchObject({ ok: false, reason: 'cooldown' });
    await records.compliance.reconsider(URL_OF_AGENT, decideChange({ now: clock.value }), clock.value);
    expect(await due()).toBe(before);
    expect(await world.shown()).toMatchObject({ status: 'passing', version: '3.0.0' });
  });
});

describe('an import of runs', () => {
  it('leaves the status with the bundle that decides', async () => {
    const world = await registry(agent('3.0'));
    const { records, clock, use, shown } = world;
    await world.beat();
    await install(world, '3.0.9');
    await world.beat();
    await use('3.0.9', 'default');
    const failing = await shown();
    const long = clock.value - 300 * DAY;
    await records.compliance.importRuns(
      URL_OF_AGENT,
      [legacyRun(long, { verdict: { ...NOTHING_RECORDED, status: 'failing' } })],
      decideImport({ now: clock.value }),
      clock.value,
    );
    expect(await shown()).toEqual(failing);
  });
});

describe('a new bundle', () => {
  it('in preview is run, and changes nothing', async () => {
    const world = await registry(agent('3.0'));
    await world.beat();
    const before = await world.shown();
    await install(world, '3.0.9');
    await world.beat();
    expect(await world.shown()).toEqual(before);
    const publicRuns = await world.records.compliance.lastRuns(URL_OF_AGENT, { limit: 10 });
    expect(publicRuns.map((run) => run.proto_version)).toEqual(['3.0.0', '3.0.0']);
    const standings = await world.records.compliance.bundleStandings(URL_OF_AGENT);
    expect(Object.entries(standings).map(([version, { status }]) => [version, status])).toEqual([
      ['3.0.0', 'passing'],
      ['3.0.9', 'failing'],
    ]);
  });

  it('in preview that cannot be run keeps no verdict from being stored', async () => {
    const world = await registry(agent('3.0'));
    await install(world, '3.0.9');
    const broken = { ...bundle('3.0.9', 'name'), storyboards: undefined } as unknown as LocalBundle;
    await world.beat({ bundles: testBundles([bundle('3.0.0', 'name'), broken], world.records.bundles) });
    expect(await world.shown()).toMatchObject({ status: 'passing', version: '3.0.0' });
  });

  it('decides once it is the default, and a badge that it fails stays for the grace period', async () => {
    const world = await registry(agent('3.0'));
    const { beat, use, shown } = world;
    await beat();
    await install(world, '3.0.9');
    await beat();
    expect(await use('3.0.9', 'default')).toEqual({ switched: 1, changed: 1 });
    expect(await shown()).toMatchObject({
      status: 'failing',
      version: '3.0.9',
      badges: ['media-buy 3.0 active'],
    });
    await beat();
    expect(await shown()).toMatchObject({ status: 'failing', badges: ['media-buy 3.0 grace'] });
    for (let days = 0; days < 3; days += 0.5) await beat();
    expect(await shown()).toMatchObject({ badges: ['media-buy 3.0 revoked'] });
  });

  it('does not make an agent pass that was unreachable in its latest run', async () => {
    const light = agent('3.0', '3.1');
    const { beat, use, shown } = await registry(light, '3.1.2');
    await beat();
    light.unanswered = ['initialize'];
    await beat();
    await beat();
    const failing = { status: 'failing', version: '3.1.2' };
    expect(await shown()).toMatchObject(failing);
    expect(await use('3.1.2', 'default')).toEqual({ switched: 0, changed: 0 });
    expect(await shown()).toMatchObject(failing);
    expect(await use('3.1.2', 'off')).toEqual({ switched: 0, changed: 0 });
    expect(await shown()).toMatchObject(failing);
    light.unanswered = [];
    await beat();
    expect(await shown()).toMatchObject({ status: 'passing', version: '3.0.0' });
  });

  it('gives way to the one before, with which the agent stands as it did', async () => {
    const world = await registry(agent('3.0'));
    const { beat, use, shown } = world;
    await beat();
    const before = await shown();
    await install(world, '3.0.9');
    await beat();
    await use('3.0.9', 'default');
    await beat();
    expect(await use('3.0.9', 'off')).toEqual({ switched: 1, changed: 1 });
    expect(await shown()).toMatchObject({ status: before.status, version: '3.0.0' });
    await beat();
    expect(await shown()).toEqual(before);
  });

  it('of a line that ends takes the badge of that line after its grace period', async () => {
    const { beat, use, shown } = await registry(agent('3.0', '3.1'), '3.1.2');
    await beat();
    await use('3.1.2', 'off');
    await beat();
    expect((await shown()).badges).toEqual(['media-buy 3.0 active', 'media-buy 3.1 grace']);
    await use('3.1.2', 'default');
    await beat();
    expect((await shown()).badges).toEqual(['media-buy 3.0 active', 'media-buy 3.1 active']);
  });
});
