import { openSqliteIndex } from '../../src/index/embedded/sqlite-index.ts';
import type { AgentIndex } from '../../src/ports/agent-index.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { syntheticAgents } from '../synthetic-agents.ts';
import { batches } from './batches.ts';
import { withStoreAt } from './scratch.ts';

const BATCH = 2_000;

/** Runs `work` with an embedded index of synthetic agents; a store that is kept is filled once. */
export async function withFilledIndex(
  { agents, store }: { readonly agents: number; readonly store: string | undefined },
  work: (index: AgentIndex) => Promise<void>,
): Promise<void> {
  await withStoreAt(store, async (path) => {
    const records = await openSqliteRecords({ path });
    const index = await openSqliteIndex(records.store, { clock: records.clock });
    const [live] = await index.generations.list();
    if (live === undefined || ![0, agents].includes(live.documents ?? -1))
      throw new Error(`the store has ${live?.documents} agents and not ${agents}`);
    const begun = performance.now();
    if (live.documents === 0)
      for (const batch of batches(syntheticAgents(agents), BATCH))
        await index.generations.write(live.id, batch);
    console.log(`filled in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
    await work(index);
    await records.close();
  });
}
