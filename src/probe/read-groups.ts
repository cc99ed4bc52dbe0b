import { elements, isObject, type JsonObject, member } from '../base/json.ts';
import type { FindingList } from '../calling/session.ts';
import type {
  Capabilities,
  CreativeCapabilities,
  OperationBasis,
  SignalsCapabilities,
  StandardOperations,
} from '../domain/capabilities.ts';
import { parseDomain } from '../domain/domain-name.ts';
import { TOOLS_OF_TYPE } from '../domain/infer-type.ts';
import type { Inventory } from '../domain/observation.ts';
import { distinctTexts, shortText } from '../domain/text.ts';

const MAX_CLAIMED_DOMAINS = 10_000;
const MAX_ENTRIES = 1_000;

type Tools = ReadonlySet<string>;

type SellerGroups = Required<Pick<Capabilities, 'standard_operations' | 'standard_operations_basis'>>;

/** Whether an operation is there, and by what. */
type Judged = readonly [can: boolean, basis: OperationBasis];

const NONE: Judged = [false, { basis: 'none' }];

/**
 * What a seller can do, for agents with any sales tool (specification, 2.2), and how that is known: docs/guides/find-agents.md
 * has the rule. Products have prices and may have forecasts, so `get_products` implies both.
 */
export function readStandardOperations(
  tools: Tools,
  answer: JsonObject,
  specialisms: readonly string[],
): SellerGroups | undefined {
  if (!TOOLS_OF_TYPE.sales.some((tool) => tools.has(tool))) return undefined;
  const by = (basis: 'tool' | 'implied', from: string): Judged =>
    tools.has(from) ? [true, { basis, from }] : NONE;
  const judged: Readonly<Record<keyof StandardOperations, Judged>> = {
    can_search_inventory: by('tool', 'get_products'),
    can_get_availability: by('implied', 'get_products'),
    can_reserve_inventory: tools.has('create_media_buy') ? reserving(specialisms) : NONE,
    can_get_pricing: by('implied', 'get_products'),
    can_create_order: by('tool', 'create_media_buy'),
    can_list_properties: tools.has('list_authorized_properties')
      ? by('tool', 'list_authorized_properties')
      : portfolioOf(answer),
  };
  const each = <T>(of: (one: Judged) => T) =>
    Object.fromEntries(Object.entries(judged).map(([name, one]) => [name, of(one)]));
  return {
    standard_operations: each(([can]) => can) as unknown as StandardOperations,
    standard_operations_basis: each(([, basis]) => basis) as SellerGroups['standard_operations_basis'],
  };
}

/** A buy of guaranteed delivery reserves inventory, and one of an auction does not; of others the buy may do either. */
function reserving(specialisms: readonly string[]): Judged {
  if (specialisms.includes('sales-guaranteed'))
    return [true, { basis: 'declared', from: 'sales-guaranteed' }];
  if (specialisms.includes('sales-non-guaranteed'))
    return [false, { basis: 'declared', from: 'sales-non-guaranteed' }];
  return [true, { basis: 'implied', from: 'create_media_buy' }];
}

function portfolioOf(answer: JsonObject): Judged {
  const portfolio = member(member(answer, 'media_buy'), 'portfolio');
  if (elements(member(portfolio, 'publisher_domains')).length === 0) return NONE;
  return [true, { basis: 'declared', from: 'media_buy.portfolio.publisher_domains' }];
}

/**
 * What a creative agent can do: for agents with a creative tool or section. `formats` is the answer of
 * `list_creative_formats`, which is asked only when the capabilities list none.
 */
export function readCreative(
  tools: Tools,
  answer: JsonObject,
  formats: unknown,
): CreativeCapabilities | undefined {
  const section = member(answer, 'creative');
  if (!isObject(section) && !TOOLS_OF_TYPE.creative.some((tool) => tools.has(tool))) return undefined;
  return {
    formats_supported: readFormats(answer, formats).slice(0, MAX_ENTRIES),
    can_generate: tools.has('build_creative'),
    can_validate: tools.has('validate_creative'),
    can_preview: tools.has('preview_creative'),
  };
}

/** What a signals agent can do: for agents with a signals tool or section. */
export function readSignals(tools: Tools, answer: JsonObject): SignalsCapabilities | undefined {
  const section = member(answer, 'signals');
  if (!isObject(section) && !TOOLS_OF_TYPE.signals.some((tool) => tools.has(tool))) return undefined;
  return {
    audience_types: distinctTexts(member(section, 'audience_types'), MAX_ENTRIES),
    can_match: tools.has('match_audience') || tools.has('sync_audiences'),
    can_activate: tools.has('activate_signal'),
    can_get_signals: tools.has('get_signals'),
  };
}

/**
 * The ids of all creative formats, each once: those that the capabilities name, else those of `list_creative_formats`.
 * Items are ids, format_id objects or whole formats (specification, 4.3).
 */
export function readFormats(answer: JsonObject, formats: unknown): readonly string[] {
  const declared = formatIds(member(member(answer, 'creative'), 'supported_formats'));
  return declared.length > 0 ? declared : formatIds(member(formats, 'formats'));
}

function formatIds(value: unknown): readonly string[] {
  return distinctTexts(elements(value).map(formatId), Number.POSITIVE_INFINITY);
}

function formatId(item: unknown): string | undefined {
  const id = member(item, 'format_id') ?? item;
  return shortText(member(id, 'id') ?? id, 256);
}

interface Stated {
  readonly specialisms: readonly string[];
  readonly supportedProtocols: readonly string[];
  /** The answer of `list_creative_formats`. */
  readonly formats: unknown;
}

const MAX_LABELS = 100;
const DELIVERY_TYPES = {
  'sales-guaranteed': 'guaranteed',
  'sales-non-guaranteed': 'non_guaranteed',
} as const;
const TRUSTED_MATCH = ['trusted_match', 'trusted-match', 'tmp'];

/**
 * What the agent says of its inventory. Delivery types follow from the specialisms of sellers; a format has its kind as
 * `format_kind` or `type`.
 */
export function readInventory(
  answer: JsonObject,
  { specialisms, supportedProtocols, formats }: Stated,
): Omit<Inventory, 'specialisms'> {
  const portfolio = member(member(answer, 'media_buy'), 'portfolio');
  const labels = (key: string) => distinctTexts(member(portfolio, key), MAX_LABELS, 64);
  const listed = [...elements(member(member(answer, 'creative'), 'supported_formats'))];
  const kinds = [...listed, ...elements(member(formats, 'formats'))].map(
    (format) => member(format, 'format_kind') ?? member(format, 'type'),
  );
  return {
    channels: labels('primary_channels'),
    markets: labels('primary_countries'),
    deliveryTypes: Object.entries(DELIVERY_TYPES).flatMap(([specialism, type]) =>
      specialisms.includes(specialism) ? [type] : [],
    ),
    formatKinds: distinctTexts(kinds, MAX_LABELS, 64),
    hasTmp:
      isObject(member(answer, 'trusted_match')) ||
      TRUSTED_MATCH.some((name) => supportedProtocols.includes(name)),
  };
}

/** The domains that an agent claims to sell, in normal form, each once, at most 10,000; others are findings. */
export function readDomains(value: unknown, pointer: string, findings: FindingList): readonly string[] {
  const domains = new Set<string>();
  const listed = elements(value);
  if (listed.length > MAX_CLAIMED_DOMAINS) {
    const message = `only the first ${MAX_CLAIMED_DOMAINS} of ${listed.length} publisher domains are read`;
    findings.add('warning', 'too_many_publisher_domains', pointer, message);
  }
  for (const [index, item] of listed.slice(0, MAX_CLAIMED_DOMAINS).entries()) {
    const parsed = typeof item === 'string' && item.length <= 512 ? parseDomain(item) : undefined;
    if (parsed?.ok) domains.add(parsed.domain);
    else
      findings.add('warning', 'publisher_domain_invalid', `${pointer}/${index}`, 'not a valid domain name');
  }
  return [...domains];
}
