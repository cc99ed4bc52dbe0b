import type { Activation, PushNotificationConfig } from '@agent-registry/surface/agent-kit';
import { eachDue } from '../each-due.ts';
import type { ReferenceAgent, TaskCall } from '../handler.ts';
import { tell } from '../tell.ts';
import type { KnownDestination } from './destinations.ts';

/** A segment of one caller at one destination. */
export interface StoredActivation {
  readonly segmentId: string;
  readonly destination: KnownDestination;
  readonly status: 'pending' | 'active' | 'inactive';
  /** What names the segment there. */
  readonly activationKey: string;
  /** When it is, or was, active, epoch milliseconds. */
  readonly activeFrom: number;
  readonly pricingOptionId: string;
  readonly accountId?: string;
  /** Where it is told that it became active. */
  readonly webhook?: PushNotificationConfig;
}

/** The collection of activations; each belongs to its caller. */
const ACTIVATIONS = 'activations';

export function activationsOf({ agent, caller }: Pick<TaskCall, 'agent' | 'caller'>) {
  return agent.state.collection<StoredActivation>(ACTIVATIONS, caller.id);
}

export function activationKeyOf(segmentId: string, { type, name, account = '' }: KnownDestination): string {
  return JSON.stringify([segmentId, type, name, account]);
}

/** Keeps it, and when its time comes. */
export function keepActivation(call: TaskCall, activation: StoredActivation): void {
  const due = activation.status === 'pending' ? activation.activeFrom : undefined;
  activationsOf(call).put(activationKeyOf(activation.segmentId, activation.destination), activation, due);
}

/** How long an activation takes, whole minutes: an agent is quick, a platform takes as long as its name is. */
export function minutesFor({ type, name }: KnownDestination): number {
  return type === 'agent' ? 5 : 10 + name.length;
}

/** The activation as it stands at a moment. */
export function activationAt(activation: StoredActivation, now: number): StoredActivation {
  const ready = activation.status === 'pending' && now >= activation.activeFrom;
  return ready ? { ...activation, status: 'active' } : activation;
}

/** How it goes over the wire (core/activation.json). */
export function shownActivation(activation: StoredActivation, now: number): Activation {
  const { status, activationKey, activeFrom } = activationAt(activation, now);
  const place = shownDestination(activation.destination);
  if (status === 'inactive') return { ...place, status };
  if (status === 'active') {
    return {
      ...place,
      status,
      activation_key: activationKey,
      activated_at: new Date(activeFrom).toISOString(),
    };
  }
  return { ...place, status, estimated_minutes: Math.ceil((activeFrom - now) / 60_000) };
}

/** A destination at which nothing of the caller is yet. */
export function availableAt(destination: KnownDestination): Activation {
  return {
    ...shownDestination(destination),
    status: 'available',
    estimated_minutes: minutesFor(destination),
  };
}

/** A destination as it goes over the wire. */
export function shownDestination({
  type,
  name,
  account,
}: KnownDestination): Pick<Activation, 'type' | 'platform' | 'agent_url' | 'account'> {
  const own = account === undefined ? {} : { account };
  return type === 'agent' ? { type, agent_url: name, ...own } : { type, platform: name, ...own };
}

/**
 * Makes the activations active whose time has come at `now` (epoch milliseconds), at most `limit`, and tells those who
 * asked. Nobody has to call it for get_signals to be right: it shows every activation as it stands. Gives how many
 * there were.
 */
export function advanceActivations(agent: ReferenceAgent, now: number, limit = 100): number {
  return eachDue<StoredActivation>(agent.state, ACTIVATIONS, { now, limit }, (due) => {
    const { owner, key, document, dueAt } = due;
    agent.state.collection<StoredActivation>(ACTIVATIONS, owner).put(key, activationAt(document, now));
    tellActive(agent, document, dueAt);
  });
}

function tellActive(agent: ReferenceAgent, activation: StoredActivation, at: number): void {
  const { webhook, segmentId, activationKey } = activation;
  const payload = {
    event: 'signal.activation_changed',
    // The same for every attempt, and no other event's.
    idempotency_key: `${activationKey}-${at}`,
    previous_status: 'pending',
    signal_agent_segment_id: segmentId,
    activation: shownActivation(activation, at),
  };
  tell(agent, webhook, { about: activationKey, at, payload });
}
