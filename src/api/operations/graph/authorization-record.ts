import { defined } from '../../../base/json.ts';
import { stableUuid } from '../../../base/stable-uuid.ts';
import type { AuthorisationLimits } from '../../../domain/declaration.ts';
import type { LiveEntry } from '../../../records/agents/entries.ts';
import { timeText } from './reading.ts';

/** An entry in the names of the wire, with its limits, so that a client does not take a part for the whole. */
export function authorizationRecord(entry: LiveEntry): object {
  const { agent, publisher, covers, limits, hasLimits } = entry;
  const ids = covers?.ids?.trim().split('\n');
  const tags = covers?.tags?.trim().split('\n');
  const slug = ids?.length === 1 && tags === undefined ? ids[0] : undefined;
  const isWhole = covers?.all !== undefined && !narrows(hasLimits, limits);
  const seenFrom = timeText(entry.seenFrom);
  const until = limits?.effectiveUntil;
  return {
    id: stableUuid(agent, publisher, String(entry.id)),
    agent_url: agent,
    agent_url_canonical: agent,
    publisher_domain: publisher,
    publisher_wide: isWhole,
    property_rid: isWhole ? null : propertyRid(entry, slug),
    property_id_slug: slug ?? null,
    authorization_type: entry.scope,
    authorized_for: entry.authorizedFor ?? null,
    evidence: 'adagents_json',
    disputed: false,
    created_by: null,
    created_at: seenFrom,
    updated_at: seenFrom,
    expires_at: until === undefined ? null : timeText(until),
    signing_keys: entry.signingKeys ?? null,
    override_applied: false,
    override_reason: null,
    ...(ids && { property_ids: ids }),
    ...(tags && { property_tags: tags }),
    ...(limits && limitFields(limits)),
    ...truncations(entry),
  };
}

/** The same for all entries of a publisher that name one property. */
function propertyRid({ agent, publisher, id }: LiveEntry, slug: string | undefined): string {
  return slug === undefined ? stableUuid(publisher, agent, String(id)) : stableUuid(publisher, `#${slug}`);
}

function limitFields(limits: AuthorisationLimits): object {
  const { effectiveFrom: from, effectiveUntil: until } = limits;
  return {
    ...defined({ countries: limits.countries }),
    ...defined({ placement_ids: limits.placementIds, placement_tags: limits.placementTags }),
    ...defined({ delegation_type: limits.delegationType, exclusive: limits.exclusive }),
    ...(limits.collections && { collections: limits.collections.map(collectionItem) }),
    ...(from !== undefined && { effective_from: timeText(from) }),
    ...(until !== undefined && { effective_until: timeText(until) }),
  };
}

type Collection = NonNullable<AuthorisationLimits['collections']>[number];

function collectionItem({ publisherDomain, collectionIds }: Collection): object {
  return { publisher_domain: publisherDomain, ...defined({ collection_ids: collectionIds }) };
}

/** Marks what an entry has but is too long to show. */
function truncations({ covers, limits, hasLimits, signingKeys, pinsKeys }: LiveEntry): object {
  return {
    ...(covers === undefined && { properties_truncated: true }),
    ...(hasLimits && limits === undefined && { limits_truncated: true }),
    ...(pinsKeys && signingKeys === undefined && { signing_keys_truncated: true }),
  };
}

/** Whether its limits restrict more than the time. */
function narrows(hasLimits: boolean, limits: AuthorisationLimits | undefined): boolean {
  if (!hasLimits) return false;
  if (limits === undefined) return true;
  const { countries, collections, placementIds, placementTags } = limits;
  return [countries, collections, placementIds, placementTags].some((limit) => limit !== undefined);
}
