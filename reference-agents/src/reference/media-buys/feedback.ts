import type { Period, ProvidePerformanceFeedbackRequest } from '@agent-registry/surface/agent-kit';
import { handler, refuse } from '../handler.ts';
import { CLOCK_TOLERANCE_MS, readMoment } from '../moments.ts';
import { scopeOf } from './buyer-scope.ts';
import { findBuy, keepChanged } from './keep-buy.ts';
import { isFinal } from './life.ts';
import type { StoredMediaBuy, StoredPackage } from './stored.ts';
import { noSuchPackage } from './update-packages.ts';

/** However good or bad a package is said to be, its pacing stays between these. */
const LEAST_PACE = 0.1;
const MOST_PACE = 3;

export const providePerformanceFeedback = handler('provide_performance_feedback', {
  description: 'Accepts performance measurements of a buyer and adjusts the pacing of the packages',
  callers: 'known',
  run: (request, call) => {
    const scope = scopeOf(call);
    const buy = findBuy(scope, request.media_buy_id, '/media_buy_id');
    checkPeriod(request.measurement_period, buy, scope.now);
    const meant = meantPackages(request, buy);
    const feedbackId = call.newId('fb');
    const stored = { ...request, at: scope.now };
    scope.agent.state.collection('performance_feedback', scope.owner).put(feedbackId, stored);
    // What has ended is not paced any more, and one creative of several does not speak for its package.
    if (isFinal(buy.status) || request.creative_id !== undefined) {
      return { accepted: true, feedback_id: feedbackId, packages: [] };
    }
    const after = keepChanged(scope, buy, repaced(buy, meant, request.performance_index));
    return { accepted: true, feedback_id: feedbackId, packages: newPaces(buy, after) };
  },
});

/** The period lies within what has been, and meets the flight. */
function checkPeriod(period: Period, buy: StoredMediaBuy, now: number): void {
  const start = readMoment(period.start, '/measurement_period/start');
  const end = readMoment(period.end, '/measurement_period/end');
  if (end <= start) wrongPeriod('the period must end after it starts', '/measurement_period/end');
  if (end > now + CLOCK_TOLERANCE_MS) wrongPeriod('the period is not over yet', '/measurement_period/end');
  if (buy.status === 'pending_creatives' || buy.status === 'pending_start' || buy.status === 'rejected') {
    refuse('INVALID_STATE', 'the media buy has no delivery to measure', '/media_buy_id');
  }
  if (end <= buy.startsAt || start >= buy.endsAt) {
    wrongPeriod('the media buy did not run in this period', '/measurement_period');
  }
}

function wrongPeriod(message: string, pointer: string): never {
  refuse('VALIDATION_ERROR', message, pointer);
}

/** The ids of the packages that the feedback is about. */
function meantPackages(request: ProvidePerformanceFeedbackRequest, buy: StoredMediaBuy): ReadonlySet<string> {
  const { package_id: packageId, creative_id: creativeId } = request;
  const parts = buy.packages.filter((part) => packageId === undefined || part.packageId === packageId);
  if (parts.length === 0) noSuchPackage('/package_id');
  const shows = (part: StoredPackage) => part.assignments.some((one) => one.creativeId === creativeId);
  if (creativeId !== undefined && !parts.some(shows)) {
    refuse('CREATIVE_NOT_FOUND', 'the creative is not assigned to this package', '/creative_id');
  }
  return new Set(parts.filter(({ canceled }) => !canceled).map((part) => part.packageId));
}

function repaced(buy: StoredMediaBuy, meant: ReadonlySet<string>, index: number): StoredMediaBuy {
  const packages = buy.packages.map((part) =>
    meant.has(part.packageId) ? { ...part, pace: paceAfter(part.pace, index) } : part,
  );
  return { ...buy, packages };
}

/** Good news on good news adds up: the index is taken on top of the pace that it was measured at. */
function paceAfter(pace: number, index: number): number {
  return Math.round(Math.min(MOST_PACE, Math.max(LEAST_PACE, pace * index)) * 1_000) / 1_000;
}

function newPaces(before: StoredMediaBuy, after: StoredMediaBuy) {
  return after.packages
    .filter((part, index) => part.pace !== before.packages[index]?.pace)
    .map((part) => ({ package_id: part.packageId, pacing_index: part.pace }));
}
