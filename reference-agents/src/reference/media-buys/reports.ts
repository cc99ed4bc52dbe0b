import type { ReportingWebhook } from '@agent-registry/surface/agent-kit';
import { type ReferenceAgent, refuse } from '../handler.ts';
import { isoOf } from '../moments.ts';
import { postsTo } from '../posts-to.ts';
import { echoed } from '../tell.ts';
import type { BuyerScope } from './buyer-scope.ts';
import { deliveryIn, shownPeriod, shownReport } from './delivery-report.ts';
import { isFinal } from './life.ts';
import type { StoredMediaBuy, StoredReports } from './stored.ts';

/** What a seller of the sandbox can report. */
export const METRICS = ['impressions', 'clicks', 'spend', 'completion_rate'] as const;

/** The event of a report, by which the dialect knows it. */
export const REPORTED = 'media_buy.delivery_reported';

const AT = '/reporting_webhook';

/**
 * What the buyer asks for, from a moment on; reports that it had go on where they were. Refuses an address that no
 * webhook goes to, a metric that is not there, and all of it where webhooks tell of changes of status only: it is
 * never ignored.
 */
export function reportsFor(
  { reporting_frequency: frequency, requested_metrics: metrics = [], ...config }: ReportingWebhook,
  agent: ReferenceAgent,
  { from, earlier }: { readonly from: number; readonly earlier?: StoredReports | undefined },
): StoredReports {
  if (agent.facts.vocabulary !== 'adcp')
    refuse('UNSUPPORTED_FEATURE', 'report webhooks are not supported', AT, 'use get_media_buy_delivery');
  const known: readonly string[] = METRICS;
  for (const [index, name] of metrics.entries())
    if (!known.includes(name))
      refuse(
        'VALIDATION_ERROR',
        'the products do not report this metric',
        `${AT}/requested_metrics/${index}`,
        `known metrics: ${METRICS.join(', ')}`,
      );
  return {
    posts: postsTo(config, agent, AT),
    frequency,
    ...(metrics.length > 0 && { metrics }),
    from: earlier?.from ?? from,
    sequence: earlier?.sequence ?? 0,
  };
}

/** When the next report is due, in the buyer's business time; undefined when there is none. */
export function reportDueAt({ reports, status, statusSince, startsAt }: StoredMediaBuy): number | undefined {
  if (reports === undefined || reports.ended === true) return undefined;
  if (isFinal(status)) return statusSince;
  return periodEnd(reports.frequency, Math.max(reports.from, startsAt));
}

/**
 * The buy after the report that is due; it is on the way. After a silence one report says all that was missed, so
 * that a clock that leaps does not flood anybody. The last one says it is `final`.
 */
export function withDueReport(scope: BuyerScope, buy: StoredMediaBuy): StoredMediaBuy {
  const { reports } = buy;
  const due = reportDueAt(buy);
  if (reports === undefined || due === undefined || due > scope.now) return buy;
  const final = isFinal(buy.status);
  const to = final ? Math.max(due, reports.from) : lastEnd(reports.frequency, due, scope.now);
  const told: StoredReports = {
    ...reports,
    from: to,
    sequence: reports.sequence + 1,
    ...(final && { ended: true }),
  };
  const after = { ...buy, reports: told };
  const period = { from: reports.from, to };
  const report = deliveryIn(buy, period);
  const { url, authentication } = reports.posts;
  scope.agent.webhooks.add({
    url,
    ...(authentication !== undefined && { authentication }),
    payload: {
      event: REPORTED,
      idempotency_key: `${buy.mediaBuyId}.report.${told.sequence}`,
      ...echoed(reports.posts),
      occurred_at: isoOf(to),
      currency: buy.currency,
      reporting_period: shownPeriod(period, [report]),
      media_buys: [shownReport(report)],
      prices: Object.fromEntries(buy.packages.map(({ packageId, price }) => [packageId, price])),
      ...(reports.metrics !== undefined && { requested_metrics: reports.metrics }),
      notification_type: final ? 'final' : 'scheduled',
      sequence_number: told.sequence,
      next_expected_at: final ? undefined : isoOf(reportDueAt(after) ?? to),
    },
  });
  return after;
}

const HOUR_MS = 3_600_000;

/** The first end of a period after a moment. */
function periodEnd(frequency: StoredReports['frequency'], after: number): number {
  if (frequency === 'monthly') {
    const date = new Date(after);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  }
  const length = frequency === 'hourly' ? HOUR_MS : 24 * HOUR_MS;
  return (Math.floor(after / length) + 1) * length;
}

/** The last end of a period by now; `due` is one. */
function lastEnd(frequency: StoredReports['frequency'], due: number, now: number): number {
  if (frequency !== 'monthly')
    return periodEnd(frequency, now - (frequency === 'hourly' ? HOUR_MS : 24 * HOUR_MS));
  const date = new Date(now);
  return Math.max(due, Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
}
