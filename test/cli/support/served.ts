import { expect } from 'vitest';
import { openStore } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { begin } from './cli.ts';

/** Lets a member prove to own an agent, without the web; `store` is the flag with its address. */
export async function prove(store: readonly string[], agent: string, member: string): Promise<void> {
  const { records, close } = await openStore(readConfig({ REGISTRY_STORE: store[1] }), { create: false });
  const now = Date.now();
  const wanted = { agent, member, token: 'token', expiresAt: now + 60_000 };
  const { token } = await records.owners.challenge(wanted, now);
  expect(await records.owners.prove({ agent, member, token, via: 'file' }, now)).toBe('proven');
  await close();
}

type Entry = Readonly<Record<string, unknown>>;

export interface Served {
  readonly compliance: Entry & { readonly verified_badges: readonly { readonly badge_url: string }[] };
  readonly list: { readonly agents: readonly Entry[] };
  /** The first badge of the agent; empty when it has none. */
  readonly picture: string;
}

/** What a server over this store says of an agent, and of all in its list. */
export async function served(store: readonly string[], compliancePath: string): Promise<Served> {
  const serving = begin('serve', '--port', '0', '--log-level', 'warn', ...store);
  try {
    const [origin = ''] = (await serving.until('stdout', /listening on \S+/)).match(/http:\/\/[\d.:]+/) ?? [];
    const get = async (path: string) => (await fetch(origin + path)).json();
    const compliance = (await get(compliancePath)) as Served['compliance'];
    const list = (await get('/api/registry/agents?compliance=true')) as Served['list'];
    const [badge] = compliance.verified_badges;
    const picture = badge === undefined ? '' : await (await fetch(origin + badge.badge_url)).text();
    return { compliance, list, picture };
  } finally {
    await serving.stop();
  }
}
