import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import {
  type Answer,
  MAX_PUBLISHERS,
  type PublisherFacts,
  QUESTION_BOUNDS,
  type Question,
} from '../../domain/authorisation-question.ts';
import { authorise } from '../../domain/authorise.ts';
import { readCountry } from '../../domain/country.ts';
import { type PropertyIdentifier, SITE_TYPES } from '../../domain/declaration.ts';
import {
  DOMAIN_PROBLEMS,
  identifiersOfSite,
  parseDomain,
  publishersNamed,
  sitesAbove,
} from '../../domain/domain-name.ts';
import { RegistryFailure } from '../failure.ts';
import {
  type CopiedEntry,
  type CopiedProperty,
  type CopiedPublisher,
  type Copy,
  propertyKey,
} from './copy.ts';

/** May this agent sell this, now? */
export interface LocalQuestion {
  /** URL of the agent, in any spelling. */
  readonly agent: string;
  /** Domain of the publisher. Default: every publisher that lists the identifier. */
  readonly publisher?: string;
  /** An identifier, or the property id of the publisher. Default: the whole inventory of the publisher. */
  readonly property?: { readonly id: string } | PropertyIdentifier;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  readonly placement?: string;
  readonly collection?: string;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Normalises a question. Throws the failures that the registry would answer; programs without types may pass any value. */
export function readLocalQuestion(asked: LocalQuestion, now: number): Question {
  const { agent, publisher, property, country, placement, collection } = objectIn(asked, 'the question');
  const question: Writable<Question> = { agent: agentIn(agent), at: now };
  if (publisher !== undefined) question.publisher = domainIn(publisher);
  if (property !== undefined) question.property = propertyIn(property);
  if (country !== undefined) question.country = countryIn(country);
  if (placement !== undefined) question.placement = textIn(placement, 'placement');
  if (collection !== undefined) question.collection = textIn(collection, 'collection');
  return question;
}

function objectIn<T extends object>(value: T, name: string): T {
  if (typeof value === 'object' && value !== null) return value;
  throw new RegistryFailure('invalid_value', `${name} must be an object`);
}

function textIn(value: string, name: string): string {
  if (typeof value === 'string') return value;
  throw new RegistryFailure('invalid_value', `${name} must be a string`);
}

function agentIn(text: string): string {
  const parsed = parseAgentUrl(textIn(text, 'agent'));
  if (parsed.ok) return parsed.url;
  throw new RegistryFailure('bad_agent_url', AGENT_URL_PROBLEMS[parsed.problem]);
}

function countryIn(text: string): string {
  const read = readCountry(textIn(text, 'country'));
  if (read.ok) return read.country;
  throw new RegistryFailure('invalid_value', read.problem);
}

function domainIn(text: string): string {
  const parsed = parseDomain(textIn(text, 'publisher'));
  if (parsed.ok) return parsed.domain;
  throw new RegistryFailure('invalid_value', DOMAIN_PROBLEMS[parsed.problem]);
}

function propertyIn(asked: NonNullable<LocalQuestion['property']>): NonNullable<Question['property']> {
  const property = objectIn(asked, 'property');
  return 'id' in property ? { id: textIn(property.id, 'property.id') } : identifierIn(property);
}

function identifierIn(asked: PropertyIdentifier): PropertyIdentifier {
  const [type, value] = [textIn(asked.type, 'property.type'), textIn(asked.value, 'property.value')];
  if (!SITE_TYPES.has(type)) return { type, value };
  return { type, value: value.startsWith('*.') ? `*.${domainIn(value.slice(2))}` : domainIn(value) };
}

/** Answers with the rule of the registry, from the same publishers and within the same bounds. */
export function answerFrom(copy: Copy, question: Question): Answer {
  const keys = propertyKeysOf(question);
  const candidates: Candidate[] = [];
  for (const domain of publishersOf(copy, question)) {
    const publisher = copy.publisher(domain);
    if (publisher === undefined) continue;
    const entries = publisher.entriesOf(question.agent);
    const properties = keys.flatMap((key) => publisher.propertiesNamed(key));
    const bytes = [...entries, ...properties].reduce((sum, item) => sum + item.bytes, 0);
    candidates.push({ publisher, entries, properties, bytes });
  }
  const withRoom = withinBounds(candidates);
  return authorise(
    question,
    candidates.map((candidate) => factsOf(candidate, withRoom.has(candidate))),
  );
}

/** A publisher that may answer a question, with its entries for the agent and its properties of that name. */
interface Candidate {
  readonly publisher: CopiedPublisher;
  readonly entries: readonly CopiedEntry[];
  readonly properties: readonly CopiedProperty[];
  readonly bytes: number;
}

function publishersOf(copy: Copy, { publisher, property }: Question): readonly string[] {
  if (publisher !== undefined) return publishersNamed(publisher);
  if (property === undefined || !('type' in property)) return [];
  if (SITE_TYPES.has(property.type)) return sitesAbove(property.value);
  return copy.publishersListing(property, MAX_PUBLISHERS + 1).toSorted();
}

/** Keys of the names by which a publisher may list the property, in the order in which the registry reads them. */
function propertyKeysOf({ property }: Question): readonly string[] {
  if (property === undefined) return [];
  if ('id' in property || property.type !== 'domain') return [propertyKey(property)];
  return identifiersOfSite(property.value)
    .toSorted()
    .map((value) => propertyKey({ type: 'domain', value }));
}

/** The smallest publishers, up to the bound of one question. */
function withinBounds(candidates: readonly Candidate[]): ReadonlySet<Candidate> {
  const withRoom = new Set<Candidate>();
  let used = 0;
  for (const candidate of candidates.toSorted((a, b) => a.bytes - b.bytes)) {
    used += candidate.bytes;
    if (used <= QUESTION_BOUNDS.bytes) withRoom.add(candidate);
  }
  return withRoom;
}

/** Without room, coverage is left out: the entries authorise nothing, and are treated as denials. */
function factsOf({ publisher, entries, properties }: Candidate, hasRoom: boolean): PublisherFacts {
  const counted = entries.slice(0, QUESTION_BOUNDS.entries);
  return {
    publisher: publisher.domain,
    file: { url: publisher.url, stale: publisher.stale },
    hasCatalogue: publisher.hasCatalogue,
    properties: hasRoom ? properties.slice(0, QUESTION_BOUNDS.properties) : [],
    entries: hasRoom ? counted : counted.map(({ entry }) => ({ entry })),
  };
}
