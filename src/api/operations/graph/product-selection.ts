import { yieldToEventLoop } from '../../../base/event-loop.ts';
import { defined } from '../../../base/json.ts';
import { withinBytes } from '../../../base/json-bytes.ts';
import { publisherFactsAt, publisherReasons } from '../../../discovery/may-sell.ts';
import type { PublisherFacts, Question } from '../../../domain/authorisation-question.ts';
import {
  authoriseSelection,
  type Effort,
  MAX_EFFORT,
  type PropertySelection,
  type SelectedProperty,
} from '../../../domain/authorise-selection.ts';
import type { ProductQuestion } from './product-question.ts';
import type { GraphParts } from './reading.ts';

/** Properties that are read for one question. */
const MAX_PROPERTIES = 20_000;
/** Ids that are shown of one publisher. */
const MAX_IDS_BYTES = 16 * 1024;
/** Of one publisher, as many as of its entries. */
export const MAX_PROPERTY_BYTES = 4 * 1024 * 1024;
/** To read a byte takes as long as to compare so many characters. */
export const READ_EFFORT = 10;
/** Publishers of one question whose declarations are read for the reasons of a no, as many as for a single property. */
const MAX_REASONED = 5;

/** What is asked of every property. */
export function baseOf({ agent, country, at }: ProductQuestion, now: number) {
  return { agent, at: at ?? now, ...(country !== undefined && { country }) };
}

/** What each selector means, and whether the agent may sell it; one after the other, within one effort. */
export async function* selected(parts: GraphParts, question: ProductQuestion, now: number) {
  const effort: Effort = { left: MAX_EFFORT };
  let count = MAX_PROPERTIES;
  for (const selector of question.selectors) {
    const { publisher } = selector;
    const base = { ...baseOf(question, now), publisher };
    const { isCut, ...facts } = await factsFor(parts, base, now, { count, effort, ids: selector.ids });
    count -= facts.properties.length;
    const items = effort.left < 0 ? [] : authoriseSelection(base, facts, selector, effort);
    yield { selector, found: { items, isCut: isCut || effort.left < 0, facts } };
  }
}

interface Found {
  readonly items: readonly SelectedProperty[];
  readonly isCut: boolean;
  readonly facts: PublisherFacts;
}

/**
 * What was found with the reasons of each no, for one publisher of a question after the other: the rows have what counts now,
 * and why anything else does not, the declaration says. A no stays a no.
 */
export function createReasons({ records }: GraphParts, now: number) {
  let left = MAX_REASONED;
  return async (
    question: Question & { readonly publisher: string },
    selection: PropertySelection,
    found: Found,
  ): Promise<Found> => {
    const isYes = found.items.length > 0 && found.items.every(({ answer }) => answer.authorized);
    if (isYes || question.at !== now || found.facts.isUnknown || left === 0) return found;
    left -= 1;
    const facts = await publisherReasons(records.authorisations, question);
    if (facts === undefined) return found;
    const told = authoriseSelection(question, facts, selection, { left: MAX_EFFORT / MAX_REASONED });
    const reasons = new Map(told.map(({ name, answer }) => [name, answer]));
    const items = found.items.map((item) => {
      const reason = item.answer.authorized ? undefined : reasons.get(item.name);
      return reason === undefined || reason.authorized ? item : { ...item, answer: reason };
    });
    return { ...found, items, facts: { ...facts, properties: found.facts.properties } };
  };
}

interface Room {
  readonly count: number;
  readonly effort: Effort;
  /** Only properties with these ids are meant. */
  readonly ids?: readonly string[] | undefined;
}

/** The publisher with its properties, as many as there is room for; what is read is taken off the effort. */
async function factsFor(
  { records }: GraphParts,
  question: Question & { readonly publisher: string },
  now: number,
  { count, effort, ids }: Room,
): Promise<PublisherFacts & { readonly isCut: boolean }> {
  const { publisher } = question;
  const nothing = { publisher, hasCatalogue: false, properties: [], entries: [] };
  const bytesLeft = () => Math.min(MAX_PROPERTY_BYTES, Math.floor(effort.left / READ_EFFORT));
  if (count <= 0 || bytesLeft() <= 0) return { ...nothing, isCut: true };
  const known = await publisherFactsAt(records.authorisations, question, now, bytesLeft());
  if (known === undefined) return { ...nothing, isUnknown: true, isCut: false };
  const { bytes, isCut = false, ...facts } = known;
  effort.left -= READ_EFFORT * bytes;
  if (question.at !== now) {
    const properties = facts.properties.slice(0, count);
    return { ...facts, properties, isCut: isCut || properties.length < facts.properties.length };
  }
  const room = { count, bytes: Math.max(0, bytesLeft()), ...defined({ ids }) };
  const listed = await records.graph.properties(facts.publisher, room);
  effort.left -= READ_EFFORT * listed.bytes;
  return { ...facts, properties: listed.properties, isCut: listed.isCut };
}

/** The ids of the properties that the agent may sell now, publisher by publisher; `later`: the page has read enough. */
export function createSoldIds(parts: GraphParts, agent: string) {
  const effort = { left: MAX_EFFORT };
  const at = parts.clock.now();
  let [count, isFirst] = [MAX_PROPERTIES, true];
  return async (publisher: string): Promise<object | 'later'> => {
    await yieldToEventLoop();
    const question = { agent, publisher, at };
    const { isCut, ...facts } = await factsFor(parts, question, at, { count, effort });
    count -= facts.properties.length;
    const items = authoriseSelection(question, facts, {}, effort);
    const isWhole = !isCut && effort.left >= 0;
    if (!isWhole && !isFirst) return 'later';
    isFirst = false;
    const sold = items.filter(({ answer }) => answer.authorized);
    const ids = sold.flatMap(({ properties: [first] }) => first?.propertyId ?? []);
    const shown = withinBytes(ids, MAX_IDS_BYTES);
    const isShort = !isWhole || shown.length < ids.length;
    return { property_ids: shown, ...(isShort && { property_ids_truncated: true }) };
  };
}
