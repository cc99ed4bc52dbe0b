import type { Collection, LogEventRequest, LogEventResponse } from '@agent-registry/surface/agent-kit';
import { findAccount } from '../accounts/find-account.ts';
import { handler, type TaskCall } from '../handler.ts';
import { businessNow } from '../test-controller/business-clock.ts';
import { faultOfEvent, forgottenAt, momentOfEvent } from './event-rules.ts';

/** An event as it is kept, so that a repetition is known for what it is. */
interface StoredEvent {
  readonly type: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** What it was worth, as the buyer said. */
  readonly value?: { readonly amount: number; readonly currency: string };
}

type Event = LogEventRequest['events'][number];

const EVENTS = 'events';

export const logEvent = handler('log_event', {
  description: 'Stores conversion events, each event once',
  callers: 'known',
  run: (request, call) => {
    if (request.account !== undefined) findAccount(call, request.account);
    const now = businessNow(call.agent.state, call.caller.id, call.now);
    forgetOld(call, request.events.length);
    const kept = call.agent.state.collection<StoredEvent>(EVENTS, call.caller.id);
    return tallyOf(
      request,
      request.events.map((event) => taken(kept, request, event, { now, call })),
    );
  },
});

type Outcome =
  | { readonly kind: 'counted' | 'tested' | 'repeated' }
  | {
      readonly kind: 'failed';
      readonly event_id: string;
      readonly code: string;
      readonly message: string;
    };

function taken(
  kept: Collection<StoredEvent>,
  { event_source_id: source, test }: LogEventRequest,
  event: Event,
  { now, call }: { readonly now: number; readonly call: TaskCall },
): Outcome {
  const key = JSON.stringify([source, event.event_id]);
  if (kept.get(key) !== undefined) return { kind: 'repeated' };
  const fault = faultOfEvent(event, now);
  if (fault !== undefined) return { kind: 'failed', event_id: event.event_id, ...fault };
  if (test === true) return { kind: 'tested' };
  // Kept until such an event would be too old anyway, by the agent's own clock.
  kept.put(key, storedEvent(event), Math.max(call.now, forgottenAt(event) - (now - call.now)));
  return { kind: 'counted' };
}

function storedEvent(event: Event): StoredEvent {
  const { value, currency } = event.custom_data ?? {};
  return {
    type: event.event_type,
    at: momentOfEvent(event),
    ...(value !== undefined && currency !== undefined && { value: { amount: value, currency } }),
  };
}

function tallyOf(request: LogEventRequest, outcomes: readonly Outcome[]): LogEventResponse {
  const count = (kind: Outcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind).length;
  const failures = outcomes.flatMap((outcome) => {
    if (outcome.kind !== 'failed') return [];
    const { kind: _kind, ...failure } = outcome;
    return [failure];
  });
  return {
    events_received: request.events.length,
    events_processed: count('counted'),
    duplicates: count('repeated'),
    ...(failures.length > 0 && { partial_failures: failures }),
  };
}

/** Each call forgets more than it adds, so that what is kept stays bounded by what is recent. */
function forgetOld({ agent, now }: TaskCall, added: number): void {
  for (const { owner, key } of agent.state.due<StoredEvent>(EVENTS, now, 2 * added)) {
    agent.state.collection<StoredEvent>(EVENTS, owner).delete(key);
  }
}
