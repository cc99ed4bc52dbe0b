import { isObject, type JsonObject } from '@agent-registry/surface/agent-kit';
import { vendorDomain } from '../agents/agent.ts';
import { METRICS } from '../reference/media-buys/reports.ts';
import { objects, type Talk, type TaskDialect, withItems, without } from './wire.ts';

/** What every seller of the sandbox reports. */
const REPORTING = {
  available_reporting_frequencies: ['hourly', 'daily', 'monthly'],
  expected_delay_minutes: 0,
  timezone: 'UTC',
  supports_webhooks: true,
  available_metrics: METRICS,
  date_range_support: 'date_range',
} as const;

export const productDialect: Readonly<Record<string, TaskDialect>> = {
  get_products: {
    // Without a brief everything is listed, which is what `wholesale` asks for.
    request: (request) =>
      request.buying_mode === 'wholesale' ? without(request, 'buying_mode', 'brief') : request,
    answer: (answer, _request, talk) =>
      withItems(
        withItems(answer, 'products', (one) => publicProduct(one, talk)),
        'refinement_applied',
        (one) => without(one, 'note'),
      ),
  },
};

function publicProduct(product: JsonObject, { agent }: Talk): JsonObject {
  const domains = Array.isArray(product.publisher_domains) ? product.publisher_domains : [];
  const sites = domains.length > 0 ? domains : [vendorDomain(agent.spec)];
  const [first] = objects(product.pricing_options);
  return {
    description: product.name,
    delivery_type: 'non_guaranteed',
    ...product,
    publisher_properties: sites.map((domain: unknown) => ({
      publisher_domain: domain,
      selection_type: 'all',
    })),
    reporting_capabilities: REPORTING,
    ...(isObject(product.forecast) && { forecast: publicForecast(product.forecast, first?.currency) }),
  };
}

function publicForecast(forecast: JsonObject, currency: unknown): JsonObject {
  const ranges = Object.entries(forecast).flatMap(([name, range]) =>
    isObject(range) && typeof range.min === 'number' && typeof range.max === 'number'
      ? [[name, { low: range.min, high: range.max }] as const]
      : [],
  );
  return {
    ...forecast,
    points: [{ metrics: Object.fromEntries(ranges) }],
    method: 'estimate',
    currency: currency ?? 'EUR',
  };
}
