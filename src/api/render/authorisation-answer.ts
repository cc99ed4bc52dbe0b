import { defined } from '../../base/json.ts';
import { jsonBytes, withinBytes } from '../../base/json-bytes.ts';
import type { Answer, Because, CoveredByEntry, Question } from '../../domain/authorisation-question.ts';
import type { CollectionSelector } from '../../domain/declaration.ts';
import { AUTHORISATION_HINTS } from './authorisation-hints.ts';

/** Of the limits of all reasons: a file may name placements for megabytes. */
const LIMITS_BYTES = 128 * 1024;
const MAX_RULE = 1_000;

/** The answer to "may this agent sell this?", with its question. Times are RFC 3339. */
export function authorisationAnswer(question: Question, answer: Answer, room = LIMITS_BYTES) {
  const { agent, publisher, property, country, placement, collection, at } = question;
  const fitting = createFitting(room);
  const asked = property === undefined || 'type' in property ? { property } : { property_id: property.id };
  return {
    agent_url: agent,
    ...defined({ publisher_domain: publisher, ...asked, country, placement, collection }),
    at: instant(at),
    authorized: answer.authorized,
    because: answer.because.map((because) => reason(because, fitting)),
    until: answer.until === undefined ? null : instant(answer.until),
    stale: answer.stale === true,
  };
}

export type AuthorisationAnswer = ReturnType<typeof authorisationAnswer>;

/** The publisher whose file decides: that of the first reason, which can differ from the requested one. */
export function publisherOf({ publisher_domain: asked, because }: AuthorisationAnswer): string | undefined {
  return because.find(({ publisher_domain: one }) => one)?.publisher_domain ?? asked;
}

/** The first items of a list for which there is room: a truncated limit never allows more. */
type Fitting = <T>(list: readonly T[] | undefined) => readonly T[] | undefined;

function createFitting(room: number): Fitting {
  let left = room;
  return (list) => {
    const shown = list && withinBytes(list, left);
    left -= shown === undefined ? 0 : jsonBytes(shown);
    return shown;
  };
}

function reason(because: Because, fitting: Fitting) {
  const { publisher, file, entry, code, rule, within, terms, covers, nearest } = because;
  const limits = within && limitsShown(within, fitting);
  return {
    ...defined({ publisher_domain: publisher, file, entry }),
    code,
    rule: rule.slice(0, MAX_RULE).toWellFormed(),
    ...(code !== 'authorized' && { hint: AUTHORISATION_HINTS[code] }),
    ...(limits && { within: limits }),
    ...(covers && { covers: coversShown(covers, fitting) }),
    ...(nearest && { nearest: fitting(nearest) ?? [] }),
    ...defined({ exclusive: terms?.exclusive, delegation_type: terms?.delegationType }),
  };
}

function coversShown({ all, propertyIds, propertyTags, ...limits }: CoveredByEntry, fitting: Fitting) {
  return {
    ...defined({ all, property_ids: fitting(propertyIds), property_tags: fitting(propertyTags) }),
    ...limitsShown(limits, fitting),
  };
}

function limitsShown(within: NonNullable<Because['within']>, fitting: Fitting) {
  const lists = {
    countries: within.countries,
    placement_ids: within.placementIds,
    placement_tags: within.placementTags,
    collections: within.collections?.map(collectionSelector),
  };
  const shown = {
    countries: fitting(lists.countries),
    placement_ids: fitting(lists.placement_ids),
    placement_tags: fitting(lists.placement_tags),
    collections: fitting(lists.collections),
  };
  const isCut = Object.entries(shown).some(
    ([name, list]) => list?.length !== lists[name as keyof typeof lists]?.length,
  );
  return { ...defined(shown), ...(isCut && { truncated: true }) };
}

/** As files write it; without ids, all collections of the publisher. */
export function collectionSelector({ publisherDomain, collectionIds }: CollectionSelector) {
  return { publisher_domain: publisherDomain, ...defined({ collection_ids: collectionIds }) };
}

/** A file may contain a year that RFC 3339 cannot express. */
function instant(at: number): string | null {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : null;
}
