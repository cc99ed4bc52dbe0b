import { systemClock } from '../../src/compose/clock.ts';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { stitchAll } from '../../src/index/generations/keep-indexed.ts';

const MEMBER = 'owner';

/** Makes a store in which each agent is owned and comes due in its turn, evenly over a time (milliseconds) from `from` on. */
export async function fillOwned(
  path: string,
  agents: readonly string[],
  { from, overMs }: { readonly from: number; readonly overMs: number },
): Promise<void> {
  const store = await openStore(readConfig({ REGISTRY_STORE: `sqlite:${path}` }), { create: true });
  const { members, owners } = store.records;
  await members.import([{ slug: MEMBER, displayName: 'Owner', foundingMember: false }], from);
  await Promise.all(
    agents.map(async (agent, at) => {
      const now = from + Math.round((at * overMs) / agents.length);
      await members.register({ agent, url: agent, member: MEMBER }, now);
      const asked = { agent, member: MEMBER, token: `of ${agent}`, expiresAt: now + 60_000 };
      const { token } = await owners.challenge(asked, now);
      await owners.prove({ agent, member: MEMBER, token, via: 'dns' }, now);
    }),
  );
  await stitchAll({ ...store, clock: systemClock, rederive: deriveStored });
  await store.close();
}
