import type { AdagentsDeclaration, AuthorisationEntry, Property } from '../domain/declaration.ts';
import type { Authorisation } from '../domain/declared-facts.ts';
import { MAX_RECORD_ARRAY } from '../domain/list-bounds.ts';
import { type Audience, coveredProperties } from './covered-properties.ts';
import { defined } from './defined.ts';
import { namesPublisher, ownProperties, propertyKey } from './own-properties.ts';

export interface AuthorisationsOfFile {
  /** In force now. */
  readonly authorisations: readonly Authorisation[];
  /** Entries that speak of the domain, in force or not. */
  readonly concerned: readonly AuthorisationEntry[];
  /** Moments at which an entry or a revocation begins or ends to count. */
  readonly changesAt: readonly (number | undefined)[];
}

/**
 * The edges from one publisher to the agents that it authorises, one for each entry that is in force at `now`.
 * A domain under `revoked_publisher_domains` gets none, whatever selects it. A property counts once for each
 * agent, however many entries name it.
 */
export function deriveAuthorisations(audience: Audience & { readonly now: number }): AuthorisationsOfFile {
  const { declaration, domain, now } = audience;
  const revocations = declaration.revokedPublisherDomains.filter((revoked) =>
    namesPublisher(revoked.publisherDomain, domain),
  );
  if (revocations.some(({ revokedAt = -Infinity }) => revokedAt <= now)) {
    return { authorisations: [], concerned: [], changesAt: [] };
  }
  const own = ownProperties(declaration.properties, audience);
  const authorisations: Authorisation[] = [];
  const concerned: AuthorisationEntry[] = [];
  const counted = new Map<string, Set<string>>();
  for (const entry of declaration.entries) {
    const properties = coveredProperties(entry, own, audience);
    if (properties === undefined) continue;
    concerned.push(entry);
    if (isInForce(entry, now)) authorisations.push(authorisationOf(entry, properties, audience, counted));
  }
  return {
    authorisations,
    concerned,
    changesAt: [...revocations.map(({ revokedAt }) => revokedAt), ...boundaries(concerned)],
  };
}

/** From `effective_from` up to, but not including, `effective_until`. */
function isInForce({ limits }: AuthorisationEntry, now: number): boolean {
  return (limits.effectiveFrom ?? -Infinity) <= now && now < (limits.effectiveUntil ?? Infinity);
}

function boundaries(entries: AdagentsDeclaration['entries']): (number | undefined)[] {
  return entries.flatMap(({ limits }) => [limits.effectiveFrom, limits.effectiveUntil]);
}

function authorisationOf(
  entry: AuthorisationEntry,
  properties: readonly Property[],
  { domain, via }: Audience,
  counted: Map<string, Set<string>>,
): Authorisation {
  const seen = counted.get(entry.agent) ?? new Set<string>();
  counted.set(entry.agent, seen);
  const tags = [...new Set(properties.flatMap((property) => property.tags))]
    .sort()
    .slice(0, MAX_RECORD_ARRAY);
  return {
    publisher: domain,
    agent: entry.agent,
    entry: entry.pointer,
    declaredUrl: entry.url,
    via,
    scope: entry.scope.type,
    countByType: countNew(properties, seen),
    tags,
    ...defined({ authorizedFor: entry.authorizedFor }),
  };
}

function countNew(properties: readonly Property[], seen: Set<string>): Record<string, number> {
  const counts = new Map<string, number>();
  for (const property of properties) {
    const key = propertyKey(property);
    if (seen.has(key)) continue;
    seen.add(key);
    counts.set(property.propertyType, (counts.get(property.propertyType) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
