import { liveFacts } from '../../../discovery/may-sell.ts';
import type { PublisherFacts } from '../../../domain/authorisation-question.ts';
import { authoriseSelection, type Effort, MAX_EFFORT } from '../../../domain/authorise-selection.ts';
import type { ProductQuestion } from './product-question.ts';
import type { GraphParts } from './reading.ts';

/** Properties that are read for one question. */
const MAX_PROPERTIES = 20_000;
/** To read a character takes as long as to compare so many. */
const READ_EFFORT = 10;

/** What is asked of every property. */
export function baseOf({ agent, country }: ProductQuestion, at: number) {
  return { agent, at, ...(country !== undefined && { country }) };
}

/** What each selector means, and whether the agent may sell it; one after the other, within one effort. */
export async function* selected({ records }: GraphParts, question: ProductQuestion, now: number) {
  const effort: Effort = { left: MAX_EFFORT };
  let room = MAX_PROPERTIES;
  for (const selector of question.selectors) {
    const { publisher } = selector;
    const base = { ...baseOf(question, now), publisher };
    const isCut = effort.left < 0 || room <= 0;
    const [live] = isCut ? [] : await liveFacts(records.authorisations, base, now);
    const properties = live === undefined ? [] : await records.graph.properties(publisher, room);
    room -= properties.length;
    const facts: PublisherFacts = { ...(live ?? nothingOf(publisher)), properties };
    effort.left -= READ_EFFORT * charsOf(facts);
    const items = isCut ? [] : authoriseSelection(base, facts, selector, effort);
    yield { selector, found: { items, isCut: effort.left < 0 || room <= 0, facts } };
  }
}

function nothingOf(publisher: string): PublisherFacts {
  return { publisher, hasCatalogue: false, properties: [], entries: [] };
}

function charsOf({ entries }: PublisherFacts): number {
  return entries.reduce(
    (sum, { covers }) => sum + (covers?.ids?.length ?? 0) + (covers?.tags?.length ?? 0),
    0,
  );
}
