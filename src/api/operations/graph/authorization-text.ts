import { defined } from '../../../base/json.ts';
import { stableUuid, stableUuidOf } from '../../../base/stable-uuid.ts';
import type { AuthorisationLimits } from '../../../domain/declaration.ts';
import type { LiveEntry } from '../../../ports/graph.ts';
import { timeText } from './reading.ts';

/**
 * An entry with the wire names and its limits, so that a client does not read a part as the whole. It is written as JSON
 * directly because the feed and the snapshot have millions of entries; each text of a stranger goes through `JSON.stringify`.
 */
export function authorizationText(entry: LiveEntry): string {
  return `${authorizationMembers(entry)}}`;
}

/** The same without the brace that ends it: more members may follow. */
export function authorizationMembers(entry: LiveEntry): string {
  const { isWhole, slug, text } = saidBy(entry);
  const [agent, publisher] = [JSON.stringify(entry.agent), JSON.stringify(entry.publisher)];
  const id = stableUuidOf(`[${agent},${publisher},"${entry.id}"]`);
  const rid = isWhole ? 'null' : `"${propertyRid(entry, slug)}"`;
  return (
    `{"id":"${id}","agent_url":${agent},"agent_url_canonical":${agent},"publisher_domain":${publisher}` +
    `,"publisher_wide":${isWhole},"property_rid":${rid}${text}`
  );
}

/** The part of an entry that does not depend on its agent and publisher, and the property that it names. */
interface Said {
  readonly entry: LiveEntry;
  readonly isWhole: boolean;
  /** Of the one property that it names. */
  readonly slug: string | undefined;
  readonly text: string;
}

/** Entries of one file say one of a few things; the newest first. */
const lately: Said[] = [];
const MAX_LATELY = 8;

function saidBy(entry: LiveEntry): Said {
  for (const one of lately) if (saysTheSame(one.entry, entry)) return one;
  if (lately.length === MAX_LATELY) lately.pop();
  const said = written(entry);
  lately.unshift(said);
  return said;
}

/** The store gives entries that say the same the same objects. */
function saysTheSame(a: LiveEntry, b: LiveEntry): boolean {
  return (
    a.covers === b.covers &&
    a.limits === b.limits &&
    a.signingKeys === b.signingKeys &&
    a.seenFrom === b.seenFrom &&
    a.scope === b.scope &&
    a.authorizedFor === b.authorizedFor &&
    a.hasLimits === b.hasLimits &&
    a.pinsKeys === b.pinsKeys
  );
}

function written(entry: LiveEntry): Said {
  const { covers, limits, hasLimits } = entry;
  const [ids, tags] = [covers?.ids, covers?.tags].map((names) => names?.trim().split('\n'));
  const [slug] = ids?.length === 1 && tags === undefined ? ids : [];
  const seenFrom = `"${timeText(entry.seenFrom)}"`;
  const until = limits?.effectiveUntil;
  const members =
    `,"property_id_slug":${orNull(slug)}` +
    `,"authorization_type":${JSON.stringify(entry.scope)},"authorized_for":${orNull(entry.authorizedFor)}` +
    ',"evidence":"adagents_json","disputed":false,"created_by":null' +
    `,"created_at":${seenFrom},"updated_at":${seenFrom}` +
    `,"expires_at":${until === undefined ? null : `"${timeText(until)}"`}` +
    `,"signing_keys":${orNull(entry.signingKeys)},"override_applied":false,"override_reason":null`;
  const more = JSON.stringify({
    ...(ids && { property_ids: ids }),
    ...(tags && { property_tags: tags }),
    ...(limits && limitMembers(limits)),
    ...truncations(entry),
  });
  const text = more === '{}' ? members : `${members},${more.slice(1, -1)}`;
  return { entry, isWhole: covers?.all !== undefined && !narrows(hasLimits, limits), slug, text };
}

function orNull(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

/** The same for all entries of a publisher that name one property, which come one after the other. */
function propertyRid({ agent, publisher, id }: LiveEntry, slug: string | undefined): string {
  if (slug === undefined) return stableUuid(publisher, agent, String(id));
  if (lastRid.publisher !== publisher || lastRid.slug !== slug)
    lastRid = { publisher, slug, rid: stableUuid(publisher, `#${slug}`) };
  return lastRid.rid;
}

let lastRid = { publisher: '', slug: '', rid: '' };

function limitMembers(limits: AuthorisationLimits): object {
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

/** What is too long to be shown: it is there, and narrows. */
function truncations({ covers, limits, hasLimits, signingKeys, pinsKeys }: LiveEntry): object {
  return {
    ...(covers === undefined && { properties_truncated: true }),
    ...(hasLimits && limits === undefined && { limits_truncated: true }),
    ...(pinsKeys && signingKeys === undefined && { signing_keys_truncated: true }),
  };
}

/** What it sells is bounded by more than a time. */
function narrows(hasLimits: boolean, limits: AuthorisationLimits | undefined): boolean {
  if (!hasLimits) return false;
  if (limits === undefined) return true;
  const { countries, collections, placementIds, placementTags } = limits;
  return [countries, collections, placementIds, placementTags].some((limit) => limit !== undefined);
}
