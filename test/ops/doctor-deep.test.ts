import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/compose/engines.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { derivedAnew } from '../../src/discovery/derived-anew.ts';
import { KEPT_BESIDE_FACTS, type SelfCheck } from '../../src/domain/self-check.ts';
import { compareSample } from '../../src/index/generations/compare-sample.ts';
import { indexLag, updateGenerations } from '../../src/index/generations/update-generations.ts';
import { runChecks } from '../../src/ops/doctor.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { stitchAll } from '../contract/records-documents.ts';
import { documentOf, NOW } from '../contract/records-fixtures.ts';
import { publish } from '../contract/records-steps.ts';

const AGENT = 'https://sales.nova.example/mcp';
const FILE = {
  properties: [
    {
      property_id: 'site',
      property_type: 'website',
      name: 'News',
      identifiers: [{ type: 'domain', value: 'news.example' }],
      tags: ['news'],
    },
  ],
  authorized_agents: [
    { url: AGENT, authorized_for: 'Display', authorization_type: 'property_ids', property_ids: ['site'] },
  ],
};

/** Keeps what a self-check found, as the command does. */
async function kept(config: Config, found: SelfCheck): Promise<void> {
  const { records, close } = await openStore(config, { create: false });
  await records.keepSelfCheck(found);
  expect(await records.selfCheck()).toEqual(found);
  await close();
}

/** A store with one agent that a file authorises, that was tested, stitched and indexed; then broken by these statements. */
async function selfCheck(...broken: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'deep-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'store.sqlite');
  const config: Config = { ...readConfig({}), store: `sqlite:${path}` };
  const store = await openStore(config, { create: true });
  await publish(store.records, 'news.example', FILE);
  await keepRun(store.records, NOW, {}, { agent: AGENT });
  await stitchAll(store.records, documentOf(AGENT), NOW);
  await updateGenerations(store.records, store.index);
  await store.close();
  const database = new DatabaseSync(path);
  for (const statement of broken)
    expect(Number(database.prepare(statement).run().changes)).toBeGreaterThan(0);
  database.close();
  const ticks = await runChecks({
    readConfig: () => config,
    openStore: (given) => openStore(given, { create: false }),
    indexLag,
    deep: { sample: 100, compareSample, derive: derivedAnew, keep: (found) => kept(config, found) },
  });
  return ticks.find(({ name }) => name === 'self-check');
}

/** A statement that breaks each kind. */
const BROKEN: Readonly<Record<(typeof KEPT_BESIDE_FACTS)[number], string>> = {
  sums: 'UPDATE agent SET publisher_count = publisher_count + 1',
  property_types: 'UPDATE agent_property_count SET n = n + 1',
  tags: "INSERT INTO agent_tag (agent, tag, n) SELECT agent, 'nobody said it', 1 FROM agent",
  edges: `UPDATE authorisation SET limits = '{"countries":["DE"]}'`,
  publisher_agents: 'UPDATE declaration SET agents = agents + 1',
  health_days: "INSERT INTO probe_day (day, agent, health, probes) SELECT 20000, agent, 2, x'' FROM agent",
  standing: 'DELETE FROM compliance_run',
  document: "UPDATE document SET value = replace(value, 'sales', 'other')",
  generation: 'UPDATE document SET version = version + 1',
};

describe('the self-check', () => {
  it('finds nothing where everything follows from the facts', async () => {
    expect(await selfCheck()).toEqual({
      name: 'self-check',
      ok: true,
      detail: '1 agents and 1 publishers recomputed, no differences',
      differences: 0,
    });
  });

  it.each(KEPT_BESIDE_FACTS)('names what was broken: %s', async (kind) => {
    const check = await selfCheck(BROKEN[kind]);
    expect(check).toMatchObject({ ok: false, differences: 1 });
    expect(check?.detail).toContain(`1 differences (${kind}): ${kind} of `);
  });

  it('counts all, of facts too: an edge that is gone changes every sum that it was in', async () => {
    const check = await selfCheck('DELETE FROM authorisation');
    expect(check?.detail).toContain('(sums, property_types, tags');
  });
});
