import { type VisitContext, visitAgent } from 'agent-registry/registry';

const LEASE_MS = 600_000;

/** Probes the agents that are due, at most 100, and gives their number. No domain is visited. */
export async function probeDue(context: VisitContext): Promise<number> {
  const { records, clock } = context;
  const works = await records.sources.takeDue('agent', 100, clock.now(), LEASE_MS);
  for (const work of works) await visitAgent(work, context);
  return works.length;
}
