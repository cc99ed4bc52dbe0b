import type {
  AcquireRightsRequest,
  AcquireRightsResponse,
  Money,
  Period,
  PricingOption,
} from '@agent-registry/surface/agent-kit';
import { hundredths } from '../amounts.ts';
import { approvalIn, useApproval } from '../governance/approvals.ts';
import { type Approval, handler, refuse, type TaskCall } from '../handler.ts';
import { CLOCK_TOLERANCE_MS, readMoment } from '../moments.ts';
import { knownTarget } from '../posts-to.ts';
import { findRight, rightPrice, whyRefused } from './find-right.ts';
import { ANSWER_MS, isTaken, keepLicence, type StoredLicence, shownLicence } from './licences.ts';
import type { SandboxRight } from './right-table.ts';

const DAY = 86_400_000;
/** What a month is counted as when a right is paid by the month, days. */
const MONTH_DAYS = 30;
const MAX_IMPRESSIONS = 1_000_000_000_000;
/** Of a licence whose request names no period, days. */
const DEFAULT_DAYS = 30;

/**
 * acquire_rights: licenses a right for a brand, uses, countries and a period. What cannot be had is answered as
 * rejected with the reason; some holders are asked first (pending_approval). Refuses REFERENCE_NOT_FOUND,
 * PRICING_OPTION_NOT_FOUND, FLIGHT_INVALID, FLIGHT_IN_PAST, INVALID_REQUEST for a price by the thousand without
 * impressions, and APPROVAL_REQUIRED under a plan.
 */
export const acquireRights = handler('acquire_rights', {
  description: 'Licenses rights to faces, voices and works',
  callers: 'known',
  prepare: (request, call) => approvalIn('acquire_rights', request, call),
  run: (request, call, approval: Approval | undefined) => {
    const right = findRight(call, request.rights_id, '/rights_id');
    const option = rightPrice(right, request.pricing_option_id, '/pricing_option_id');
    const period = periodOf(request, call.now);
    const price = priceOf(option, request, period);
    const reason = reasonAgainst(right, request, period, call);
    if (reason !== undefined) return { rights_id: right.id, status: 'rejected', reason };
    useApproval(call, approval, request.plan_id !== undefined, price);
    return licensed(right, request, call, { period, price });
  },
});

interface Span {
  readonly startsAt: number;
  readonly endsAt: number;
}

function periodOf({ campaign }: AcquireRightsRequest, now: number): Span {
  const asked = campaign?.period;
  if (asked === undefined) return { startsAt: now, endsAt: now + DEFAULT_DAYS * DAY };
  const pointer = '/campaign/period';
  const startsAt = readMoment(asked.start, `${pointer}/start`);
  const span = { startsAt, endsAt: readMoment(asked.end, `${pointer}/end`) };
  if (span.endsAt <= span.startsAt)
    refuse('FLIGHT_INVALID', 'the period ends before it starts', `${pointer}/end`);
  if (span.startsAt < now - CLOCK_TOLERANCE_MS)
    refuse('FLIGHT_IN_PAST', 'the period starts in the past', `${pointer}/start`);
  return span;
}

/** For each month begun, or for each thousand impressions; exact to a hundredth. */
function priceOf(
  { model, price, currency }: PricingOption,
  { campaign }: AcquireRightsRequest,
  span: Span,
): Money {
  if (model === 'flat_monthly') {
    const months = Math.ceil((span.endsAt - span.startsAt) / (MONTH_DAYS * DAY));
    return { amount: (hundredths(price) * months) / 100, currency };
  }
  const { impressions } = campaign ?? {};
  if (impressions === undefined) {
    const ask = 'send the maximum number of impressions, or use the monthly price';
    return refuse(
      'INVALID_REQUEST',
      'a price per thousand requires impressions',
      '/campaign/impressions',
      ask,
    );
  }
  if (impressions > MAX_IMPRESSIONS) {
    refuse('VALIDATION_ERROR', `impressions must be at most ${MAX_IMPRESSIONS}`, '/campaign/impressions');
  }
  return { amount: Math.ceil((hundredths(price) * impressions) / 1_000) / 100, currency };
}

function reasonAgainst(
  right: SandboxRight,
  { brand, campaign }: AcquireRightsRequest,
  span: Span,
  call: TaskCall,
): string | undefined {
  const brandDomain = brand.domain.toLowerCase();
  const never = whyRefused(right, { brandDomain, uses: campaign?.uses, countries: campaign?.countries });
  if (never !== undefined) return never;
  if (span.endsAt - span.startsAt > right.maxDays * DAY)
    return `the right can be licensed for at most ${right.maxDays} days`;
  const taken = right.exclusive && isTaken(call.agent, right.id, { brandDomain, ...span });
  return taken ? 'another brand has licensed the right for part of this period' : undefined;
}

interface Deal {
  readonly period: Span;
  readonly price: Money;
}

function licensed(
  right: SandboxRight,
  { brand, campaign, push_notification_config: posts }: AcquireRightsRequest,
  call: TaskCall,
  { period, price }: Deal,
): AcquireRightsResponse {
  const target = knownTarget(posts, undefined, call);
  const licence: StoredLicence = {
    acquisitionId: call.newId('licence'),
    rightsId: right.id,
    status: right.asked ? 'pending_approval' : 'acquired',
    brandDomain: brand.domain.toLowerCase(),
    ...period,
    terms: {
      uses: campaign?.uses ?? right.uses,
      countries: campaign?.countries?.map((country) => country.toUpperCase()) ?? right.countries,
      period: shownPeriod(period),
      price,
      ...(campaign?.impressions !== undefined && { impressions: campaign.impressions }),
    },
    usageToken: call.newId('use'),
    ...(right.asked && { answeredAt: call.now + ANSWER_MS }),
    ...(target !== undefined && { webhook: target.config }),
  };
  keepLicence(call, licence);
  return shownLicence(licence);
}

function shownPeriod({ startsAt, endsAt }: Span): Period {
  return { start: new Date(startsAt).toISOString(), end: new Date(endsAt).toISOString() };
}
