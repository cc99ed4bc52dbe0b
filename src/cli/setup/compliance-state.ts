import { shellWord } from '../../domain/shell-word.ts';
import { RegistryError } from '../../errors.ts';
import type { Records } from '../../ports/records.ts';
import type { ComplianceState } from '../../records/runs/compliance-state.ts';

/** An agent's results, as its owner sees them; `not_found` for an agent never heard of, and for one that is opted out. */
export async function complianceOf(
  { compliance }: Pick<Records, 'compliance'>,
  agent: string,
): Promise<{ readonly agent: string; readonly state: ComplianceState; readonly isOwner: true }> {
  const state = await compliance.state(agent);
  if (state === undefined) throw neverHeardOf(agent);
  if (state.settings.optedOut)
    throw new RegistryError(
      'not_found',
      `the owner of ${agent} has opted out of tests, so earlier results are hidden`,
      {
        hint: `the owner can opt in again: agent-registry agents settings ${shellWord(agent)} --opt-in`,
      },
    );
  return { agent, state, isOwner: true };
}

export function neverHeardOf(agent: string): RegistryError {
  return new RegistryError('not_found', `unknown agent ${agent}`, {
    hint: 'register it first: agent-registry agents register URL --member SLUG',
  });
}
