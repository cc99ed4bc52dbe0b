import type { GetProductsRequest, PricingOption } from '@agent-registry/surface/agent-kit';
import { findFormat } from '../creatives/formats.ts';
import { refuse, type TaskCall } from '../handler.ts';
import type { CatalogueProduct } from './catalogue-product.ts';

/** Hard limits, as they are kept with a proposal. An empty list limits nothing. */
export type Filters = NonNullable<GetProductsRequest['filters']>;

/** Refuses what no product could have: FORMAT_NOT_FOUND, VALIDATION_ERROR for what is no country code. */
export function checkFilters(call: TaskCall, filters: Filters): void {
  filters.format_ids?.forEach((format, at) => {
    findFormat(call, format, `/filters/format_ids/${at}`);
  });
  filters.countries?.forEach((code, at) => {
    if (/^[A-Za-z]{2}$/.test(code)) return;
    const pointer = `/filters/countries/${at}`;
    refuse(
      'VALIDATION_ERROR',
      `${pointer} is not a country code`,
      pointer,
      'use a two-letter ISO 3166-1 code, for example BE',
    );
  });
}

/**
 * The same limits with nothing else: filters take members that no schema names, and a list may say the same thing many
 * times. What is kept of them is bounded by what there is to choose from.
 */
export function plainFilters({
  channels,
  countries,
  delivery_type,
  format_ids,
  max_price,
}: Filters): Filters {
  const formats = new Map(format_ids?.map(({ agent_url, id }) => [id, { agent_url, id }]));
  return {
    ...(channels && { channels: [...new Set(channels.map((channel) => channel.toLowerCase()))] }),
    ...(countries && { countries: [...new Set(countries.map((code) => code.toUpperCase()))] }),
    ...(format_ids && { format_ids: [...formats.values()] }),
    ...(delivery_type !== undefined && { delivery_type }),
    ...(max_price !== undefined && { max_price }),
  };
}

/** The products within the limits, each with the pricing options that are within them. */
export function within(products: readonly CatalogueProduct[], filters: Filters): readonly CatalogueProduct[] {
  const channels = setOf(filters.channels?.map((channel) => channel.toLowerCase()));
  const countries = setOf(filters.countries?.map((code) => code.toUpperCase()));
  // All of them are formats of the sandbox's creative agents, which define the same ones: the id tells them apart.
  const formats = setOf(filters.format_ids?.map(({ id }) => id));
  const fits = (product: CatalogueProduct) =>
    (filters.delivery_type === undefined || product.delivery_type === filters.delivery_type) &&
    hasOne(product.channels, channels) &&
    hasOne(product.countries, countries) &&
    hasOne(
      product.format_ids.map(({ id }) => id),
      formats,
    );
  const { max_price: most } = filters;
  return withOptions(products.filter(fits), ({ price }) => most === undefined || price <= most);
}

/** The products with only those options that hold; without those that keep none. */
export function withOptions(
  products: readonly CatalogueProduct[],
  holds: (option: PricingOption) => boolean,
): readonly CatalogueProduct[] {
  return products.flatMap((product) => {
    const options = product.pricing_options.filter(holds);
    if (options.length === 0) return [];
    return options.length === product.pricing_options.length
      ? product
      : { ...product, pricing_options: options };
  });
}

function setOf(values: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return values === undefined || values.length === 0 ? undefined : new Set(values);
}

function hasOne(values: readonly string[], wanted: ReadonlySet<string> | undefined): boolean {
  return wanted === undefined || values.some((value) => wanted.has(value));
}
