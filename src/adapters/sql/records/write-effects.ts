import type { SqliteDatabase } from '../database.ts';
import type { AgentDelta } from './agent-delta.ts';
import type { BatchEffects } from './batch-effects.ts';
import { createFrontier } from './frontier.ts';
import { createKnownSources } from './known-sources.ts';
import { createAgentWriter } from './write-agents.ts';

/** Writes what a batch added up to; returns the visit (its place in the batch) behind each new agent. */
export type EffectsWriter = (effects: BatchEffects) => readonly number[];

/** Inside the caller's transaction. */
export function createEffectsWriter(database: SqliteDatabase): EffectsWriter {
  const known = createKnownSources(database);
  const frontier = createFrontier(database);
  const writeAgent = createAgentWriter(database);

  const agentIsNew = (delta: AgentDelta): boolean => {
    known.add({ kind: 'agent', key: delta.agent, url: delta.url, foundVia: delta.foundVia }, delta.at);
    return delta.dirty ? writeAgent(delta) : known.addAgent(delta.agent, delta.at);
  };
  return (effects) => {
    const credits: number[] = [];
    for (const delta of effects.agents.values()) if (agentIsNew(delta)) credits.push(delta.visit);
    for (const { visit, at } of effects.sources.values()) known.add(visit, at);
    for (const item of effects.items.values()) {
      if (!frontier.add(item)) continue;
      const delta = effects.run(item.run);
      delta[item.kind === 'domain' ? 'domains' : 'agents'] += 1;
      if (item.kind === 'agent') delta.found += 1;
    }
    for (const [run, delta] of effects.runs) frontier.count(run, delta);
    return credits;
  };
}
