import { defined } from '../base/json.ts';
import { withNearest } from '../base/near-names.ts';
import type { Answer, AuthoriseCode, PublisherFacts, Question } from './authorisation-question.ts';
import { authorise } from './authorise.ts';
import type { PropertySelection } from './authorise-selection.ts';

/** Names of a file that one which no property has is compared with: it takes a millisecond. */
const MOST_COMPARED = 1_000;
const MAX_SHOWN = 3;

/** They hold whatever is asked for. */
const OF_ALL: ReadonlySet<AuthoriseCode> = new Set<AuthoriseCode>([
  ...(['unknown_publisher', 'no_file', 'revoked', 'not_named'] as const),
]);

/**
 * Why an agent may not sell a selection that means no property: what keeps it from the whole inventory, or else that no
 * property has the tags and types. Pure.
 */
export function nothingMeant(
  question: Omit<Question, 'property'>,
  facts: PublisherFacts,
  { tags, types }: PropertySelection,
): Answer {
  const { publisher, file, properties } = facts;
  const whole = authorise(question, [facts]);
  if (whole.because.some(({ code }) => OF_ALL.has(code))) return whole;
  const wanted = [
    withKnown('tag', tags, () => properties.flatMap((property) => property.tags)),
    withKnown('type', types, () => properties.map(({ propertyType }) => propertyType)),
  ].filter((one) => one !== undefined);
  const rule = `the file lists no property with ${wanted.join(' and ')}`;
  const because = { publisher, ...defined({ file: file?.url }), code: 'no_such_property', rule } as const;
  return { authorized: false, because: [because] };
}

/** What is wanted, and the nearest that the file has to a single one that it has not. */
function withKnown(
  what: string,
  wanted: readonly string[] | undefined,
  known: () => readonly string[],
): string | undefined {
  const [first] = wanted ?? [];
  if (first === undefined || wanted === undefined) return undefined;
  const shown = wanted.slice(0, MAX_SHOWN).join(', ');
  if (wanted.length > 1) return `one of the ${what}s ${shown}${wanted.length > MAX_SHOWN ? ', …' : ''}`;
  const names = new Set(known());
  const sentence = `the ${what} ${first}`;
  return names.has(first) ? sentence : withNearest(sentence, first, [...names].slice(0, MOST_COMPARED));
}
