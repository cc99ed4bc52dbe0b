import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import type { Question } from '../../domain/authorisation-question.ts';
import { readCountry } from '../../domain/country.ts';
import { type PropertyIdentifier, SITE_TYPES } from '../../domain/declaration.ts';
import { DOMAIN_PROBLEMS, parseDomain } from '../../domain/domain-name.ts';
import { RegistryFailure } from '../failure.ts';

/** May this agent sell this, now? */
export interface LocalQuestion {
  /** Its URL, in any spelling. */
  readonly agent: string;
  /** The domain of the publisher; absent: every publisher that lists the identifier. */
  readonly publisher?: string;
  /** An identifier, or the property id of the publisher; absent: the whole inventory of the publisher. */
  readonly property?: { readonly id: string } | PropertyIdentifier;
  /** ISO 3166-1, two letters. */
  readonly country?: string;
  readonly placement?: string;
  readonly collection?: string;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Normalises a question. Throws the failures that the registry would answer. */
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

/** Programs without types may pass any value. */
function objectIn<T extends object>(value: T, what: string): T {
  if (typeof value === 'object' && value !== null) return value;
  throw new RegistryFailure('invalid_value', `${what} must be an object`);
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
