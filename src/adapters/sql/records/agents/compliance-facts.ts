import { present } from '../../../../base/present.ts';
import { isActive } from '../../../../domain/badge.ts';
import { type ComplianceFacts, NEVER_TESTED } from '../../../../domain/compliance.ts';
import type { Standing } from '../../../../domain/standing.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';

import { createStateReader } from '../runs/compliance-state.ts';

/** What a document shows of an agent's compliance: its settings, its latest run that counts, its active badges. */
export function createComplianceReader(store: SqlStore): (agent: string) => SqlTask<ComplianceFacts> {
  const state = createStateReader(store);
  return function* (agent) {
    const known = yield* state(agent);
    if (known === undefined) return NEVER_TESTED;
    const { settings, standing, badges } = known;
    const active = badges.filter(isActive).map(({ role, axes }) => ({ role, axes }));
    return { ...NEVER_TESTED, ...settings, ...tested(standing), badges: active };
  };
}

function tested({ status, streakDays, latest }: Standing): Partial<ComplianceFacts> {
  if (latest === null) return {};
  const { verdict } = latest;
  return {
    status,
    streakDays,
    tracks: verdict.tracks,
    trackDetails: verdict.track_details,
    lastCheckedAt: new Date(latest.at).toISOString(),
    ...present({
      headline: verdict.headline === '' ? null : verdict.headline,
      requestedComplianceTarget: latest.requestedTarget,
      protoVersion: latest.protoVersion,
    }),
  };
}
