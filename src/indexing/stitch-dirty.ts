import { setImmediate as othersTurn } from 'node:timers/promises';
import { stitchAgent } from '../domain/stitch.ts';
import type { DirtyAgent, StitchedAgent } from '../ports/agent-store.ts';
import type { Records } from '../ports/records.ts';
import type { Tracing } from '../ports/tracing.ts';
import { tracedBatch } from './traced-batch.ts';
import type { GoOn } from './work-alone.ts';

const BATCH = 500;

/**
 * Stitches every agent whose facts changed since it was last stitched, and those whose time has come. An agent that
 * changed a thousand times meanwhile is stitched once; one that changes again while this runs waits for the next call,
 * or the agents that a crawl names all the time would keep it busy. Returns how many documents differ from before.
 */
export async function stitchDirty(
  records: Records,
  now: () => number,
  goOn: GoOn = () => true,
  tracing?: Tracing,
): Promise<number> {
  let changed = 0;
  while (goOn()) {
    const dirty = await records.agents.takeDirty(BATCH, now());
    if (dirty.length === 0) break;
    const traces = dirty.map((item) => item.trace);
    const attributes = { 'agent_registry.agents': dirty.length };
    changed += await tracedBatch(tracing, { name: 'stitch', traces, attributes }, () =>
      stitchBatch(records, dirty, now),
    );
    if (dirty.length < BATCH) break;
    await othersTurn();
  }
  return changed;
}

async function stitchBatch(
  records: Records,
  dirty: readonly DirtyAgent[],
  now: () => number,
): Promise<number> {
  const asked = new Map(dirty.map((item) => [item.agent, item]));
  const facts = await records.agents.facts([...asked.keys()]);
  const stitched: StitchedAgent[] = facts.map((fact) => ({
    agent: fact.agent,
    revision: 0,
    ...asked.get(fact.agent),
    stitched: stitchAgent(fact, now()),
  }));
  return (await records.agents.saveStitched(stitched, now())).length;
}
