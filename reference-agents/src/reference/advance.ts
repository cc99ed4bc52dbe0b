import { advanceAccounts } from './accounts/advance-accounts.ts';
import { agentNow, keepTime } from './agent-time.ts';
import { advanceCreatives } from './creatives/library.ts';
import type { ReferenceAgent } from './handler.ts';
import { forgetKeys } from './idempotency.ts';
import { advanceMediaBuys } from './media-buys/advance.ts';
import { advanceRights } from './rights/licences.ts';
import { advanceActivations } from './signals/activations.ts';

/** Makes what is due at `now` (epoch milliseconds), at most `limit` of a kind; says how many there were. */
type Advance = (agent: ReferenceAgent, now: number, limit: number) => number;

/** What time changes, whatever the type of the agent: one without such documents has none that are due. */
const ADVANCES: readonly Advance[] = [
  advanceAccounts,
  advanceCreatives,
  advanceMediaBuys,
  advanceActivations,
  advanceRights,
  (agent, now, limit) => forgetKeys({ agent, now }, limit),
];

/** So many of a kind in one go: what is more waits for the next, and nobody who calls waits for long. */
const AT_ONCE = 50;

/** Makes the changes that time has brought to an agent. `clockNow` is what the clock says, epoch milliseconds. */
export function advance(agent: ReferenceAgent, clockNow: number): void {
  const now = agentNow(agent.state, clockNow);
  keepTime(agent.state, now);
  for (const one of ADVANCES) one(agent, now, AT_ONCE);
}
