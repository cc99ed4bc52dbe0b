import type { NewVisit } from '../../src/domain/source.ts';
import { updateGenerations } from '../../src/index/generations/update-generations.ts';
import type { AgentIndex } from '../../src/ports/agent-index.ts';
import type { Records } from '../../src/ports/records.ts';
import { syntheticAgents } from '../synthetic-agents.ts';
import { batches } from './batches.ts';

const BATCH = 2_000;
const HOUR = 3_600_000;

/** Puts synthetic agents into a store as a crawl does: sources, a good probe for each, documents, and the index. */
export async function fillRegistry(records: Records, index: AgentIndex, count: number): Promise<void> {
  const now = Date.now();
  for (const batch of batches(syntheticAgents(count), BATCH)) {
    const visits = batch.map(({ agent }) => ({ kind: 'agent', key: agent, foundVia: 'bench' }) as const);
    await records.sources.add(visits, now);
    await probeAll(records, visits, now);
    const dirty = await records.agents.takeDirty(batch.length, now);
    const revisions = new Map(dirty.map(({ agent, revision }) => [agent, revision]));
    const stitched = batch.map(({ agent, document }) => ({
      agent,
      revision: revisions.get(agent) ?? 1,
      stitched: { ...(document && { document }) },
    }));
    await records.agents.saveStitched(stitched, now);
    await updateGenerations(records, index);
  }
}

async function probeAll({ sources }: Records, seeds: readonly NewVisit[], at: number): Promise<void> {
  const run = await sources.openRun({ fingerprint: seeds[0]?.key ?? '', seeds, now: at });
  const works = await sources.takeRun(run.id, 'agent', seeds.length, at, HOUR);
  const leases = works.flatMap((work) => work.sources.map(({ lease }) => lease));
  await Promise.all(
    leases.map((lease) =>
      sources.commitProbe({
        lease,
        outcome: 'indexed',
        at,
        nextVisitAt: at + HOUR,
        failures: 0,
        found: [],
        observation: {
          agent: lease.key,
          dialledUrl: lease.key,
          at,
          durationMs: 20,
          health: { online: true, responseTimeMs: 12, toolsCount: 6, resourcesCount: 0 },
          protocol: 'mcp',
          endpoint: lease.key,
          steps: [],
          findings: [],
        },
      }),
    ),
  );
}
