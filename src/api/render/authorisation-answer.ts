import { defined } from '../../base/present.ts';
import type { Answer, Because, Question } from '../../domain/authorisation-question.ts';
import type { CollectionSelector } from '../../domain/declaration.ts';

/** The answer to "may this agent sell this?", with what was asked. Times are RFC 3339. */
export function authorisationAnswer(question: Question, answer: Answer) {
  const { agent, publisher, property, country, placement, collection, at } = question;
  const asked = property === undefined || 'type' in property ? { property } : { property_id: property.id };
  return {
    agent_url: agent,
    ...defined({ publisher_domain: publisher, ...asked, country, placement, collection }),
    at: instant(at),
    authorized: answer.authorized,
    because: answer.because.map(reason),
    until: answer.until === undefined ? null : instant(answer.until),
    stale: answer.stale === true,
  };
}

export type AuthorisationAnswer = ReturnType<typeof authorisationAnswer>;

function reason({ publisher, file, entry, code, rule, within, terms }: Because) {
  const limits = within && {
    ...defined({ countries: within.countries, placement_ids: within.placementIds }),
    ...defined({
      placement_tags: within.placementTags,
      collections: within.collections?.map(collectionSelector),
    }),
  };
  return {
    ...defined({ publisher_domain: publisher, file, entry }),
    code,
    rule,
    ...(limits && { within: limits }),
    ...defined({ exclusive: terms?.exclusive, delegation_type: terms?.delegationType }),
  };
}

/** As files write it; without ids, all collections of the publisher. */
export function collectionSelector({ publisherDomain, collectionIds }: CollectionSelector) {
  return { publisher_domain: publisherDomain, ...defined({ collection_ids: collectionIds }) };
}

/** A file may name a year that no RFC 3339 time has. */
function instant(at: number): string | null {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : null;
}
