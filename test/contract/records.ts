import { afterEach, beforeEach, describe } from 'vitest';
import { describeAccesses } from './records-accesses.ts';
import { describeAgentStore } from './records-agents.ts';
import { describeAskedRuns } from './records-asked-runs.ts';
import { describeAudit } from './records-audit.ts';
import { describeAuthorise } from './records-authorise.ts';
import { describeClaims } from './records-claims.ts';
import { describeClock } from './records-clock.ts';
import { describeCompliance } from './records-compliance.ts';
import { describeComplianceHistory } from './records-compliance-history.ts';
import { describeCredentials } from './records-credentials.ts';
import { describeDocuments } from './records-documents.ts';
import { describeDue } from './records-due.ts';
import { describeDurability } from './records-durability.ts';
import { describeEdges } from './records-edges.ts';
import { describeEndedLeases } from './records-ended-leases.ts';
import type { RecordsHarness, RecordsWorld } from './records-fixtures.ts';
import { describeGraph } from './records-graph.ts';
import { describeKeys } from './records-keys.ts';
import { describeMembers } from './records-members.ts';
import { describeModel } from './records-model.ts';
import { describeOwners } from './records-owners.ts';
import { describeProofAges } from './records-proof-ages.ts';
import { describePutOff } from './records-put-off.ts';
import { describeReconsider } from './records-reconsider.ts';
import { describeRunLeases } from './records-run-leases.ts';
import { describeRunSchedule } from './records-run-schedule.ts';
import { describeRuns } from './records-runs.ts';
import { describeSettings } from './records-settings.ts';
import { describeSharing } from './records-sharing.ts';
import { describeVisits } from './records-visits.ts';
import { describeWork } from './records-work.ts';

/** The contract of the port `Records`, run on every adapter. `start` makes a fresh, empty store. */
export function describeRecords(name: string, start: () => Promise<RecordsHarness>): void {
  describe(`records on ${name}`, () => {
    let world: RecordsWorld;
    beforeEach(async () => {
      const harness = await start();
      world = { harness, records: await harness.open() };
    });
    afterEach(async () => {
      await world.records.close();
      await world.harness.stop();
    });
    const now = () => world;
    describeWork(now);
    describeDue(now);
    describeRuns(now);
    describeVisits(now);
    describeEdges(now);
    describeAuthorise(now);
    describeGraph(now);
    describeAgentStore(now);
    describeDocuments(now);
    describeMembers(now);
    describeKeys(now);
    describeAudit(now);
    describeProofAges(now);
    describeOwners(now);
    describeClaims(now);
    describeAccesses(now);
    describeSettings(now);
    describeCompliance(now);
    describeComplianceHistory(now);
    describeRunSchedule(now);
    describeReconsider(now);
    describeRunLeases(now);
    describeEndedLeases(now);
    describeAskedRuns(now);
    describeCredentials(now);
    describePutOff(now);
    describeDurability(now);
    describeSharing(now);
    describeClock(now);
    describeModel(now);
  });
}
