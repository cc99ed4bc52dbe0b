import type { AcquireRightsResponse, PushNotificationConfig } from '@agent-registry/surface/agent-kit';
import { eachDue } from '../each-due.ts';
import type { ReferenceAgent, TaskCall } from '../handler.ts';
import { tell } from '../tell.ts';

/** A licence, or the request for one that its holder is still asked about. */
export interface StoredLicence {
  readonly acquisitionId: string;
  readonly rightsId: string;
  readonly status: 'acquired' | 'pending_approval';
  /** The brand that uses the right, by domain. */
  readonly brandDomain: string;
  /** Epoch milliseconds. */
  readonly startsAt: number;
  readonly endsAt: number;
  readonly terms: NonNullable<AcquireRightsResponse['terms']>;
  readonly usageToken: string;
  /** With pending_approval: when the holder says yes, epoch milliseconds. */
  readonly answeredAt?: number;
  readonly webhook?: PushNotificationConfig;
}

/** The collection of licences; each belongs to its caller. */
const LICENCES = 'licences';

/** How long the holder of a right thinks about it, milliseconds. */
export const ANSWER_MS = 10 * 60_000;

export function keepLicence(call: TaskCall, licence: StoredLicence): void {
  const { acquisitionId, rightsId, brandDomain, startsAt, endsAt } = licence;
  call.agent.state
    .collection<StoredLicence>(LICENCES, call.caller.id)
    .put(acquisitionId, licence, licence.answeredAt);
  periodsOf(call.agent, rightsId).put(acquisitionId, { brandDomain, startsAt, endsAt });
}

interface StoredPeriod {
  readonly brandDomain: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** Who has a right when: it belongs to the agent, as callers that do not see each other may want the same right. */
function periodsOf({ state }: Pick<ReferenceAgent, 'state'>, rightsId: string) {
  return state.collection<StoredPeriod>(`licensed_periods ${rightsId}`);
}

/** Whether another brand has, or waits for, the right in a part of this time. */
export function isTaken(
  agent: Pick<ReferenceAgent, 'state'>,
  rightsId: string,
  { brandDomain, startsAt, endsAt }: StoredPeriod,
): boolean {
  return periodsOf(agent, rightsId)
    .list()
    .some(
      ({ document: there }) =>
        there.brandDomain !== brandDomain && there.startsAt < endsAt && startsAt < there.endsAt,
    );
}

/** The licence as it goes over the wire; its token only once it is acquired. */
export function shownLicence(licence: StoredLicence): AcquireRightsResponse {
  const { rightsId, acquisitionId, status, terms, usageToken } = licence;
  const shown = { rights_id: rightsId, acquisition_id: acquisitionId, status, terms };
  if (status === 'acquired') return { ...shown, usage_token: usageToken };
  return { ...shown, reason: 'the holder of the right decides; a webhook delivers the decision' };
}

/**
 * Takes the answers of holders that are there at `now` (epoch milliseconds), at most `limit`, and tells those who
 * asked to be told, with the usage token. Gives how many there were.
 */
export function advanceRights(agent: ReferenceAgent, now: number, limit = 100): number {
  return eachDue<StoredLicence>(agent.state, LICENCES, { now, limit }, (due) => {
    const { answeredAt: _answered, ...rest } = due.document;
    const licence: StoredLicence = { ...rest, status: 'acquired' };
    agent.state.collection<StoredLicence>(LICENCES, due.owner).put(due.key, licence);
    tellAcquired(agent, licence, due.dueAt);
  });
}

function tellAcquired(agent: ReferenceAgent, licence: StoredLicence, at: number): void {
  const { webhook, acquisitionId } = licence;
  const payload = {
    event: 'rights.acquisition_changed',
    // The same for every attempt, and no other event's.
    idempotency_key: `${acquisitionId}-acquired`,
    previous_status: 'pending_approval',
    acquisition: shownLicence(licence),
  };
  tell(agent, webhook, { about: acquisitionId, at, payload });
}
