import { present } from '../../base/json.ts';
import type { TierTable } from '../../compliance/badges/conditions.ts';
import type { DomainSettings } from '../../compose/network.ts';
import { DOMAIN_PROBLEMS, isPublicSuffix, parseDomain, registrableDomain } from '../../domain/domain-name.ts';
import { invalidFile, parseChecked } from '../input/checked-file.ts';

interface DomainEntry {
  readonly gap_ms?: number;
  readonly requests_per_second?: number;
  readonly connections?: number;
  readonly probes_per_hour?: number;
  readonly max_agents?: number;
  readonly max_domains?: number;
  readonly max_bytes?: number;
  readonly max_entries?: number;
  readonly max_properties?: number;
  readonly max_tags?: number;
  readonly max_named_domains?: number;
  readonly max_values?: number;
}

/** Reads the file that REGISTRY_DOMAINS names. Throws `input_invalid` with every place that is wrong. */
export function parseDomainSettings(text: string, file: string): DomainSettings {
  const checked = { file, what: 'domain settings file', schema: 'config/domains.json' };
  const entries = parseChecked<Readonly<Record<string, DomainEntry>>>(text, checked);
  const strange = Object.keys(entries).flatMap(faultOfName);
  if (strange.length > 0) throw invalidFile(checked, strange);
  return new Map(
    Object.entries(entries).map(([domain, entry]) => [
      domain,
      {
        rate: present({
          gapMs: entry.gap_ms,
          requestsPerSecond: entry.requests_per_second,
          connections: entry.connections,
        }),
        bounds: present({
          maxAgents: entry.max_agents,
          maxDomains: entry.max_domains,
          maxBytes: entry.max_bytes,
          maxEntries: entry.max_entries,
          maxProperties: entry.max_properties,
          maxTags: entry.max_tags,
          maxNamedDomains: entry.max_named_domains,
          maxValues: entry.max_values,
        }),
        ...present({ probesPerHour: entry.probes_per_hour }),
      },
    ]),
  );
}

/** Settings under an invalid name would silently have no effect. */
function faultOfName(name: string): string[] {
  const parsed = parseDomain(name);
  if (!parsed.ok) return [`'${name}' is not a domain name: ${DOMAIN_PROBLEMS[parsed.problem]}`];
  if (isPublicSuffix(parsed.domain))
    return [`'${name}' is a public suffix; use a registrable domain below it`];
  const registrable = registrableDomain(parsed.domain);
  return registrable === name ? [] : [`'${name}' is not a registrable domain; use ${registrable}`];
}

interface TiersFile {
  readonly tiers: readonly {
    readonly tier: string;
    readonly label: string;
    readonly grants_badges: boolean;
  }[];
  readonly subscription_statuses: readonly string[];
}

/** Reads the file that REGISTRY_TIERS names. Throws `input_invalid` with every place that is wrong. */
export function parseTiers(text: string, file: string): TierTable {
  const checked = { file, what: 'tiers file', schema: 'config/tiers.json' };
  const { tiers, subscription_statuses } = parseChecked<TiersFile>(text, checked);
  const names = tiers.map(({ tier }) => tier);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [`/tiers/${index}/tier: duplicate tier '${name}'`],
  );
  if (twice.length > 0) throw invalidFile(checked, twice);
  const entries = tiers.map(({ tier, label, grants_badges: apiAccess }) => [tier, { label, apiAccess }]);
  return { tiers: Object.fromEntries(entries), subscriptions: subscription_statuses };
}
