import { setImmediate as othersTurn } from 'node:timers/promises';
import { stitchAgent } from '../domain/stitch.ts';
import type { DirtyAgent, StitchedAgent } from '../ports/agent-store.ts';
import type { Records } from '../ports/records.ts';
import type { Tracing } from '../ports/tracing.ts';
import { type OnPutOff, withoutBad } from './one-by-one.ts';
import { tracedBatch } from './traced-batch.ts';
import type { GoOn } from './work-alone.ts';

const BATCH = 500;
/** How long an agent that cannot be stitched is left alone, unless its facts change. */
const PUT_OFF_MS = 3_600_000;

/**
 * Stitches every agent whose facts changed since it was last stitched, and those whose time has come. An agent that
 * changed a thousand times meanwhile is stitched once; one that changes again while this runs waits for the next call,
 * or the agents that a crawl names all the time would keep it busy. One that fails is told and put
 * off, and keeps the others from nothing. Returns how many documents differ from before.
 */
export async function stitchDirty(
  records: Records,
  now: () => number,
  goOn: GoOn = () => true,
  tracing?: Tracing,
  onPutOff: OnPutOff = () => {},
): Promise<number> {
  const stitch = (agents: readonly DirtyAgent[]) => stitchBatch(records, agents, now);
  const putOff = async (dirty: DirtyAgent, error: unknown) => {
    const until = now() + PUT_OFF_MS;
    await records.agents.putOff(dirty, until);
    onPutOff({ kind: 'agent', key: dirty.agent, until, error });
  };
  let changed = 0;
  while (goOn()) {
    const dirty = await records.agents.takeDirty(BATCH, now());
    if (dirty.length === 0) break;
    const traces = dirty.map((item) => item.trace);
    const attributes = { 'agent_registry.agents': dirty.length };
    changed += await tracedBatch(tracing, { name: 'stitch', traces, attributes }, () =>
      withoutBad(dirty, stitch, putOff),
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
