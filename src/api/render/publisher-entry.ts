import { defined } from '../../base/json.ts';
import type { AuthorisationLimits } from '../../domain/declaration.ts';
import type { Coverage } from '../../domain/declared-facts.ts';
import type { LiveEntry } from '../../records/agents/entries.ts';
import { collectionSelector } from './authorisation-answer.ts';

/** One entry of a publisher's file, with its coverage and limits. Times are RFC 3339. */
export function publisherEntry(entry: LiveEntry, line?: number) {
  const { agent, authorizedFor, scope, via, sells, seenFrom, covers, limits, hasLimits, pinsKeys } = entry;
  return {
    ...{ agent_url: agent, entry: entry.entry },
    ...defined({ line, authorized_for: authorizedFor }),
    ...{ authorization_type: scope, source: via, sells },
    covers: covers === undefined ? null : coverage(covers),
    limits: limits === undefined ? (hasLimits ? null : {}) : limitsOf(limits),
    pins_keys: pinsKeys,
    since: new Date(seenFrom).toISOString(),
  };
}

function coverage({ all, ids, tags, selected, inline, signals }: Coverage) {
  const names = (text: string | undefined) => text?.trim().split('\n');
  return defined({
    all,
    property_ids: names(ids),
    property_tags: names(tags),
    signals: names(signals),
    ...{ inline, selected },
  });
}

function limitsOf({ effectiveFrom, effectiveUntil, collections, ...limits }: AuthorisationLimits) {
  return defined({
    countries: limits.countries,
    placement_ids: limits.placementIds,
    placement_tags: limits.placementTags,
    collections: collections?.map(collectionSelector),
    delegation_type: limits.delegationType,
    exclusive: limits.exclusive,
    effective_from: effectiveFrom === undefined ? undefined : new Date(effectiveFrom).toISOString(),
    effective_until: effectiveUntil === undefined ? undefined : new Date(effectiveUntil).toISOString(),
  });
}
