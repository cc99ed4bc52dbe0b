import type { Records } from '../../ports/records.ts';
import { type DecideOptions, decideBundle } from '../decide.ts';
import { bundlesOfAgent } from './of-agent.ts';

/** Agents read at once. */
const PAGE = 500;

interface ChangeOptions extends DecideOptions {
  /** REGISTRY_COMPLIANCE_TARGET. */
  readonly fallback: string;
}

/** What a change of the bundles in use did. */
export interface AppliedChange {
  /** Agents whose status follows from another bundle now. */
  readonly switched: number;
  /** Those of them with another status. */
  readonly changed: number;
}

/**
 * Gives every agent the standing of its latest run with the bundle that now decides its status. Call it after each change
 * of a stage. Agents that were not tested with that bundle yet, or cannot be reached, keep their standing until their next
 * test. No badge ends.
 */
export async function applyBundleChange(
  { agents, bundles, compliance }: Pick<Records, 'agents' | 'bundles' | 'compliance'>,
  { fallback, ...options }: ChangeOptions,
): Promise<AppliedChange> {
  const installed = await bundles.list();
  const sources = { agents, bundles: { list: async () => installed } };
  let [switched, changed] = [0, 0];
  for (let after = ''; ; ) {
    const page = await compliance.standings(after, PAGE);
    for (const { agent, standing } of page) {
      const { latest, status } = standing;
      const state = latest === null ? undefined : await compliance.state(agent);
      if (latest === null || state === undefined) continue;
      const { main } = (await bundlesOfAgent(sources, agent, state, fallback)).plan;
      if (main.version === latest.protoVersion) continue;
      await compliance.reconsider(agent, decideBundle(main.version, options), options.now);
      const now = (await compliance.state(agent))?.standing;
      if (now?.latest?.protoVersion === main.version) switched += 1;
      if (now !== undefined && now.status !== status) changed += 1;
    }
    const last = page.at(-1);
    if (last === undefined) return { switched, changed };
    after = last.agent;
  }
}
