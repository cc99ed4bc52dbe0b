import { expect } from 'vitest';
import type { ServerConfig } from '../../../src/api/server-options.ts';
import type { FinishedRun } from '../../../src/compliance/run-result.ts';
import { of } from '../../compliance/support/badge-story.ts';
import { keepRun } from '../../contract/compliance-fixtures.ts';
import { bareDocument } from './documents.ts';
import { openRegistry, PROBED_AT, type TestRegistry } from './registry.ts';

export const AGENT = 'https://a.example/mcp';
export const BASE = `/api/registry/agents/${encodeURIComponent(AGENT)}/compliance`;
export const SELLER = of({ 'sales-guaranteed': 'pass' });
export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** An agent of nova, who can earn badges, with the keys of its owner and of a stranger. */
export async function tested(...runs: readonly Partial<FinishedRun>[]) {
  return testedWith({}, ...runs);
}

/** The same of a registry with this configuration. */
export async function testedWith(config: Partial<ServerConfig>, ...runs: readonly Partial<FinishedRun>[]) {
  return testedIn(await openRegistry([bareDocument(AGENT)], config), runs);
}

/** The same in a registry that knows the agent. */
export async function testedIn(registry: TestRegistry, runs: readonly Partial<FinishedRun>[] = []) {
  await registry.addOwner(AGENT, 'nova');
  const owner = bearer((await registry.addKey('nova')).key);
  const stranger = bearer((await registry.addKey('other')).key);
  const member = { slug: 'nova', displayName: 'nova', foundingMember: false };
  await registry.records.members.import(
    [{ ...member, tier: 'builder', subscriptionStatus: 'active' }],
    PROBED_AT,
  );
  for (const [n, run] of runs.entries())
    expect(await keepRun(registry.records, PROBED_AT + n * 3_600_000, run, { agent: AGENT })).toBe('saved');
  return { ...registry, owner, stranger };
}

export async function optOut({ records }: Pick<TestRegistry, 'records'>) {
  const change = { agent: AGENT, change: { optedOut: true }, actor: { kind: 'operator' } } as const;
  await records.owners.changeSettings(change, PROBED_AT);
}
