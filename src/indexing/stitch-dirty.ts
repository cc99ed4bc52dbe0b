import { setImmediate as othersTurn } from 'node:timers/promises';
import { stitchAgent } from '../domain/stitch.ts';
import type { StitchedAgent } from '../ports/agent-store.ts';
import type { Records } from '../ports/records.ts';

const BATCH = 500;

/**
 * Stitches every agent whose facts changed since it was last stitched, and those whose time has come. An agent that
 * changed a thousand times meanwhile is stitched once; one that changes again while this runs waits for the next call,
 * or the agents that a crawl names all the time would keep it busy. Returns how many documents differ from before.
 */
export async function stitchDirty(
  records: Records,
  now: () => number,
  signal?: AbortSignal,
): Promise<number> {
  let changed = 0;
  while (!signal?.aborted) {
    const dirty = await records.agents.takeDirty(BATCH, now());
    if (dirty.length === 0) break;
    const revisions = new Map(dirty.map((item) => [item.agent, item.revision]));
    const facts = await records.agents.facts(dirty.map((item) => item.agent));
    const stitched: StitchedAgent[] = facts.map((fact) => ({
      agent: fact.agent,
      revision: revisions.get(fact.agent) ?? 0,
      stitched: stitchAgent(fact, now()),
    }));
    changed += (await records.agents.saveStitched(stitched, now())).length;
    if (dirty.length < BATCH) break;
    await othersTurn();
  }
  return changed;
}
