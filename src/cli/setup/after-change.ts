import type { TierTable } from '../../compliance/badges/conditions.ts';
import { decideChange } from '../../compliance/decide.ts';
import { systemClock } from '../../compose.ts';
import { deriveStored } from '../../discovery/derive-facts.ts';
import { stitchToTheEnd } from '../../indexing/keep-indexed.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';

type ComplianceRecords = Pick<Records, 'compliance' | 'owners'>;

const PAGE = 500;

/** Brings what changed into the documents and the index, so that the next search shows it. */
export function updateIndex({
  records,
  index,
}: {
  readonly records: Records;
  readonly index: AgentIndex;
}): Promise<void> {
  return stitchToTheEnd({ records, index, clock: systemClock, rederive: deriveStored });
}

/** What a change of an agent's settings or ownership does to its badges and to its next run. */
export async function reconsiderAgent(
  { compliance }: ComplianceRecords,
  agent: string,
  tiers: TierTable,
): Promise<void> {
  const now = systemClock.now();
  await compliance.reconsider(agent, decideChange({ now, tiers }), now);
}

/** The same for all agents of members whose tier or subscription may have changed. */
export async function reconsiderMembers(
  records: ComplianceRecords,
  members: readonly string[],
  tiers: TierTable,
): Promise<void> {
  for (const member of members) {
    for (let after: string | undefined; ; ) {
      const of = { member, limit: PAGE, ...(after !== undefined && { after }) };
      const page = await records.owners.registered(of);
      for (const { agent } of page) await reconsiderAgent(records, agent, tiers);
      if (page.length < PAGE) break;
      after = page.at(-1)?.agent;
    }
  }
}
