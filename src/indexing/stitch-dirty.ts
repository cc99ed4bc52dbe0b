import { setImmediate as othersTurn } from 'node:timers/promises';
import type { DeclaredFacts } from '../domain/declared-facts.ts';
import { stitchAgent } from '../domain/stitch.ts';
import type { DirtyAgent, StitchedAgent } from '../ports/agent-store.ts';
import type { Records } from '../ports/records.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { StoredDeclaration } from '../ports/visit-commits.ts';
import { type OnPutOff, tracedBatch, withoutBad } from './batches.ts';
import type { GoOn } from './work-alone.ts';

const DERIVED_AT_ONCE = 100;
/** How long one that cannot be derived is left alone; a visit that finds another version of it comes sooner. */
const REDERIVE_AGAIN_MS = 24 * 3_600_000;
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

/**
 * Derives the facts of stored declarations anew where a date in them has come (`effective_from`, `effective_until`):
 * a visit with no request to anybody. One that fails is told and put off, and keeps the others from nothing.
 */
export async function deriveDue(
  records: Records,
  derive: (declaration: StoredDeclaration, now: number) => DeclaredFacts,
  now: () => number,
  goOn: GoOn = () => true,
  onPutOff: OnPutOff = () => {},
): Promise<void> {
  const deriveAll = async (declarations: readonly StoredDeclaration[]) => {
    for (const declaration of declarations)
      await records.sources.commitRederivation(declaration, derive(declaration, now()), now());
    return declarations.length;
  };
  const putOff = async (declaration: StoredDeclaration, error: unknown) => {
    const until = now() + REDERIVE_AGAIN_MS;
    await records.sources.putOffRederivation(declaration, until);
    onPutOff({ kind: 'declaration', key: declaration.key, until, error });
  };
  while (goOn()) {
    const due = await records.sources.dueRederivations(now(), DERIVED_AT_ONCE);
    if (due.length === 0) return;
    for (const declaration of due) await withoutBad([declaration], deriveAll, putOff);
    await othersTurn(); // requests and signals are not to wait for a long backlog
  }
}
