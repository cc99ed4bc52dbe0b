import {
  type ActivateSignalRequest,
  type Activation,
  type Destination,
  type Money,
  type PricingOption,
  type Problem,
  type PushNotificationConfig,
  problem,
} from '@agent-registry/surface/agent-kit';
import { findAccount, onlyAccount } from '../accounts/find-account.ts';
import { hundredths } from '../amounts.ts';
import { approvalIn, approvalMissing } from '../governance/approvals.ts';
import { spendApproval } from '../governance/spend-approval.ts';
import { type Approval, handler, type TaskCall } from '../handler.ts';
import { knownTarget } from '../posts-to.ts';
import {
  activationAt,
  activationKeyOf,
  activationsOf,
  keepActivation,
  minutesFor,
  type StoredActivation,
  shownActivation,
  shownDestination,
} from './activations.ts';
import { type KnownDestination, knownDestination } from './destinations.ts';
import { findSegment, segmentPrice } from './find-segment.ts';
import type { Segment } from './segment-table.ts';

/** Activations of one caller. */
const MAX_ACTIVATIONS = 5_000;
/** The smallest amount that is one, in the main unit. */
const LEAST = 0.01;

/**
 * activate_signal: makes a segment usable at destinations, or stops that. A destination that is not known fails by
 * itself; what is active already stays as it is. Refuses SIGNAL_NOT_FOUND, PRICING_OPTION_NOT_FOUND, INVALID_REQUEST
 * for a paid segment without an account where the caller has not exactly one active, what `findAccount` refuses, APPROVAL_REQUIRED under a plan, and
 * APPROVAL_INVALID for an approval that does not cover what begins.
 */
export const activateSignal = handler('activate_signal', {
  description: 'Activates a segment on platforms and agents',
  callers: 'known',
  prepare: (request, call) => approvalIn('activate_signal', request, call),
  run: (request, call, approval: Approval | undefined) => {
    const segment = findSegment(call, request.signal_agent_segment_id, '/signal_agent_segment_id');
    const at = (change: Change) =>
      request.destinations.map((destination, index) => {
        const known = knownDestination(segment, destination, `/destinations/${index}`);
        return 'code' in known ? failed(destination, known) : change(segment, known, destination);
      });
    const activations =
      request.action === 'deactivate'
        ? at(deactivation(call))
        : activated(segment, request, call, approval, at);
    return { signal_agent_segment_id: segment.id, activations };
  },
});

type Change = (segment: Segment, known: KnownDestination, destination: Destination) => Activation;

function deactivation(call: TaskCall): Change {
  return (segment, known) => {
    const there = activationsOf(call).get(activationKeyOf(segment.id, known));
    if (there === undefined) return { ...shownDestination(known), status: 'inactive' };
    const stopped: StoredActivation = { ...there, status: 'inactive' };
    keepActivation(call, stopped);
    return shownActivation(stopped, call.now);
  };
}

interface Terms {
  readonly pricingOptionId: string;
  readonly accountId?: string;
  readonly webhook?: PushNotificationConfig;
}

function activated(
  segment: Segment,
  request: ActivateSignalRequest,
  call: TaskCall,
  approval: Approval | undefined,
  at: (change: Change) => readonly Activation[],
): readonly Activation[] {
  const terms = termsOf(segment, request, call);
  if (approval === undefined && request.plan_id !== undefined) approvalMissing();
  let begun = 0;
  const activations = at(activation(terms, call, () => (begun += 1)));
  // What changes nothing uses no approval up, and what changes several things uses one.
  const price = segmentPrice(segment, request.pricing_option_id, '/pricing_option_id');
  if (approval !== undefined && begun > 0) spendApproval(call, approval, costOf(price, begun));
  return activations;
}

/** The first month at each new destination; what is paid by use has no end, and needs an approval of any amount. */
function costOf({ model, price, currency }: PricingOption, begun: number): Money {
  if (price === 0) return { amount: 0, currency };
  const amount = model === 'flat_monthly' ? (hundredths(price) * begun) / 100 : LEAST;
  return { amount, currency };
}

function activation(terms: Terms, call: TaskCall, onBegun: () => void): Change {
  return (segment, known, destination) => {
    const there = activationsOf(call).get(activationKeyOf(segment.id, known));
    if (there !== undefined && there.status !== 'inactive') return shownActivation(there, call.now);
    if (there === undefined && activationsOf(call).count() >= MAX_ACTIVATIONS)
      return failed(destination, full());
    onBegun();
    const begun = begunActivation(segment, known, terms, call);
    keepActivation(call, begun);
    return shownActivation(activationAt(begun, call.now), call.now);
  };
}

function begunActivation(
  segment: Segment,
  destination: KnownDestination,
  terms: Terms,
  call: TaskCall,
): StoredActivation {
  return {
    ...terms,
    segmentId: segment.id,
    destination,
    status: 'pending',
    activationKey: call.newId(segment.id),
    activeFrom: call.now + minutesFor(destination) * 60_000,
  };
}

function termsOf(segment: Segment, request: ActivateSignalRequest, call: TaskCall): Terms {
  const { account, pricing_option_id: asked, push_notification_config: posts } = request;
  const { price, pricing_option_id: pricingOptionId = '' } = segmentPrice(
    segment,
    asked,
    '/pricing_option_id',
  );
  const paid = price > 0 ? onlyAccount : () => undefined;
  const found = account === undefined ? paid(call) : findAccount(call, account);
  const target = knownTarget(posts, found, call);
  return {
    pricingOptionId,
    ...(found !== undefined && { accountId: found.accountId }),
    ...(target !== undefined && { webhook: target.config }),
  };
}

function failed({ type, platform, agent_url, account }: Destination, error: Problem): Activation {
  return {
    type,
    ...(platform !== undefined && { platform }),
    ...(agent_url !== undefined && { agent_url }),
    ...(account !== undefined && { account }),
    status: 'failed',
    errors: [error],
  };
}

function full(): Problem {
  const pointer = '/destinations';
  return problem('INVALID_STATE', `a caller can have at most ${MAX_ACTIVATIONS} activations`, {
    pointer,
  });
}
