import type { TierTable } from '../../compliance/badges/conditions.ts';
import { decideChange } from '../../compliance/decide.ts';
import { deriveStored } from '../../discovery/derive-facts.ts';
import { engineFault } from '../../errors.ts';
import { stitchAll } from '../../index/generations/keep-indexed.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { note } from '../output/print.ts';
import { visible } from '../output/visible.ts';

type ComplianceRecords = Pick<Records, 'compliance' | 'owners' | 'clock'>;

const PAGE = 500;

/** How long a command waits for another process that keeps the list, milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Does what follows from a change that is kept already. Whatever an engine does now is told on stderr, and is no failure
 * of the command.
 */
export async function followUp(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const fault = engineFault(error);
    if (fault === undefined) throw error;
    listFollows(fault.message, fault.hint);
  }
}

/** Brings what changed into the documents and the index, so that the next search shows it; first what `follow` does. */
export function updateIndex(
  { records, index }: { readonly records: Records; readonly index: AgentIndex },
  follow: () => Promise<void> = async () => {},
): Promise<void> {
  return followUp(async () => {
    await follow();
    const indexer = { records, index, clock: records.clock, rederive: deriveStored };
    if (!(await stitchAll(indexer, PATIENCE_MS))) listFollows('another process is updating the index');
  });
}

function listFollows(reason: string, hint?: string): void {
  note(`the change is stored; the list will be updated later: ${visible(reason)}`);
  if (hint !== undefined) note(`  hint: ${visible(hint)}`);
}

/** What a change of an agent's settings or ownership does to its badges and to its next run. */
export async function reconsiderAgent(
  { compliance, clock }: ComplianceRecords,
  agent: string,
  tiers: TierTable,
): Promise<void> {
  const now = clock.now();
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
      for (const { agent } of page.filter(({ isPending }) => !isPending))
        await reconsiderAgent(records, agent, tiers);
      if (page.length < PAGE) break;
      after = page.at(-1)?.agent;
    }
  }
}
