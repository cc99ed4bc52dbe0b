import { deriveStored } from '../../../src/discovery/derive-facts.ts';
import { stitchAndIndex } from '../../../src/index/generations/stitch-and-index.ts';
import { NOW } from '../../contract/records-fixtures.ts';
import { publish } from '../../contract/records-steps.ts';
import { openRegistry } from './registry.ts';

export const agent = (n: number): string => `https://agent-${n}.example/mcp`;

/** A file that authorises these agents. */
export const names = (...numbers: readonly number[]): object => ({
  authorized_agents: numbers.map((n) => ({ url: agent(n), authorized_for: `offer ${n}` })),
});

/** A registry whose publishers change their files, one minute after the other. */
export async function openPublishing() {
  const registry = await openRegistry();
  registry.clock.value = NOW;
  const { records, index, clock } = registry;
  const say = async (publisher: string, file: object) => {
    clock.value += 60_000;
    await publish(records, publisher, file, clock.value);
    await stitchAndIndex({ records, index, clock, rederive: deriveStored });
  };
  return { registry, say };
}
