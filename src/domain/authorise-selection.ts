import type { Answer, PublisherFacts, Question } from './authorisation-question.ts';
import { authorise } from './authorise.ts';
import type { PropertyIdentifier } from './declaration.ts';
import type { ListedProperty } from './declared-facts.ts';

/** Which of a publisher's properties; without any member, its whole inventory. */
export interface PropertySelection {
  readonly ids?: readonly string[];
  readonly tags?: readonly string[];
  readonly types?: readonly string[];
}

/** One thing that a selection means. */
export interface SelectedProperty {
  /** A property's id, or else an identifier of it, or the publisher for an inventory that nobody listed. */
  readonly name: string;
  /** As it is listed; none for an inventory, and for an id that nobody listed. */
  readonly properties: readonly ListedProperty[];
  readonly answer: Answer;
}

interface Item {
  readonly name: string;
  readonly properties: readonly ListedProperty[];
  /** It is authorised when one of them is. */
  readonly asked: readonly Asked[];
}

/** A question, and the properties that it may mean. */
interface Asked {
  readonly property?: NonNullable<Question['property']>;
  readonly properties: readonly ListedProperty[];
}

/** What one request may still compare, characters; entries of one file can name as many as the file is long. */
export interface Effort {
  left: number;
}

/** About a tenth of a second. */
export const MAX_EFFORT = 200_000_000;
/** For each entry of an answer, beside its names. */
const ENTRY_EFFORT = 1_000;

/**
 * What an agent may sell of a selection: `authorise` for each property. When no effort is left (below 0), the rest was not
 * asked. Pure, but for `effort`.
 */
export function authoriseSelection(
  question: Omit<Question, 'property'>,
  facts: PublisherFacts,
  selection: PropertySelection,
  effort: Effort,
): readonly SelectedProperty[] {
  const items: SelectedProperty[] = [];
  for (const { asked, name, properties } of itemsOf(facts, selection)) {
    const answers: Answer[] = [];
    for (const { property, properties: meant } of asked) {
      effort.left -= effortOf(facts, meant);
      if (effort.left < 0) return items;
      const one = { ...question, ...(property && { property }) };
      answers.push(authorise(one, [{ ...facts, properties: meant }]));
      if (answers.at(-1)?.authorized) break;
    }
    const [answer] = answers.toReversed();
    if (answer !== undefined) items.push({ name, properties, answer });
  }
  return items;
}

/**
 * The identifiers of what is authorised that a buyer may take as such: each is asked for by itself, since a file may list
 * the site of a stranger. An inventory that nobody listed is the publisher's own site.
 */
export function identifiersOf(
  question: Omit<Question, 'property'>,
  facts: PublisherFacts,
  { properties }: SelectedProperty,
  effort: Effort,
): readonly PropertyIdentifier[] {
  const own = { property: { type: 'domain', value: facts.publisher }, properties };
  const named = properties.length === 0 ? [own] : properties.flatMap(byIdentifier);
  return named.flatMap(({ property, properties: meant }) => {
    effort.left -= effortOf(facts, meant);
    if (effort.left < 0) return [];
    return authorise({ ...question, property }, [{ ...facts, properties: meant }]).authorized
      ? [property]
      : [];
  });
}

/** The property once for each of its identifiers, with that alone: a file may list 100,000 of one property. */
function byIdentifier(listed: ListedProperty) {
  return listed.identifiers.map((property) => ({
    property,
    properties: [{ ...listed, identifiers: [property] }],
  }));
}

function itemsOf(facts: PublisherFacts, selection: PropertySelection): readonly Item[] {
  const { publisher, hasCatalogue, properties } = facts;
  const { ids, tags, types } = selection;
  const wanted = tags && new Set(tags);
  const meant = types && new Set(types);
  const isMeant = (property: ListedProperty): boolean =>
    (wanted === undefined || property.tags.some((tag) => wanted.has(tag))) &&
    (meant?.has(property.propertyType) ?? true);
  const byId = Map.groupBy(properties.filter(isMeant), ({ propertyId }) => propertyId);
  if (ids !== undefined)
    return [...new Set(ids)].map((id) => {
      const listed = byId.get(id) ?? [];
      return { name: id, properties: listed, asked: [{ property: { id }, properties: listed }] };
    });
  if (!hasCatalogue)
    return (tags ?? types) ? [] : [{ name: publisher, properties: [], asked: [{ properties: [] }] }];
  const items: Item[] = [];
  for (const [id, same] of byId) {
    const listed = same.filter(({ entry }) => entry === undefined);
    if (id !== undefined && listed.length > 0)
      items.push({ name: id, properties: listed, asked: [{ property: { id }, properties: listed }] });
    if (id !== undefined) continue;
    for (const one of listed) {
      const { identifiers } = one;
      const asked = identifiers.length > 0 ? byIdentifier(one) : [{ properties: [] }];
      items.push({ name: identifiers[0]?.value ?? publisher, properties: [one], asked });
    }
  }
  return items;
}

/** Ids are looked for once, and tags once for each tag of the properties. */
function effortOf({ entries }: PublisherFacts, properties: readonly ListedProperty[]): number {
  const tags = properties.reduce((sum, property) => sum + property.tags.length, 0);
  let effort = ENTRY_EFFORT;
  for (const { covers } of entries)
    effort +=
      ENTRY_EFFORT + properties.length * (covers?.ids?.length ?? 0) + tags * (covers?.tags?.length ?? 0);
  return effort;
}
