import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import type { Question } from '../../domain/authorisation-question.ts';
import { readCountry } from '../../domain/country.ts';
import { type PropertyIdentifier, SITE_TYPES } from '../../domain/declaration.ts';
import { DOMAIN_PROBLEMS, parseDomain } from '../../domain/domain-name.ts';
import { RegistryFailure } from '../failure.ts';

/** May this agent sell this, now? */
export interface LocalQuestion {
  /** Any spelling of its address. */
  readonly agent: string;
  /** A domain; absent: whoever has the identifier. */
  readonly publisher?: string;
  /** By an identifier, or by its id at the publisher; absent: the whole inventory of the publisher. */
  readonly property?: { readonly id: string } | PropertyIdentifier;
  /** ISO 3166-1, two letters. */
  readonly country?: string;
  readonly placement?: string;
  readonly collection?: string;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Brings a question into the form of the registry. Throws the failures that it would answer. */
export function readLocalQuestion(
  { agent, publisher, property, country, placement, collection }: LocalQuestion,
  now: number,
): Question {
  const question: Writable<Question> = { agent: agentIn(agent), at: now };
  if (publisher !== undefined) question.publisher = domainIn(publisher);
  if (property) question.property = 'id' in property ? { id: property.id } : identifierIn(property);
  if (country !== undefined) question.country = countryIn(country);
  if (placement !== undefined) question.placement = placement;
  if (collection !== undefined) question.collection = collection;
  return question;
}

function agentIn(text: string): string {
  const parsed = parseAgentUrl(text);
  if (parsed.ok) return parsed.url;
  throw new RegistryFailure('bad_agent_url', AGENT_URL_PROBLEMS[parsed.problem]);
}

function countryIn(text: string): string {
  const read = readCountry(text);
  if (read.ok) return read.country;
  throw new RegistryFailure('invalid_value', read.problem);
}

function domainIn(text: string): string {
  const parsed = parseDomain(text);
  if (parsed.ok) return parsed.domain;
  throw new RegistryFailure('invalid_value', DOMAIN_PROBLEMS[parsed.problem]);
}

function identifierIn({ type, value }: PropertyIdentifier): PropertyIdentifier {
  if (!SITE_TYPES.has(type)) return { type, value };
  return { type, value: value.startsWith('*.') ? `*.${domainIn(value.slice(2))}` : domainIn(value) };
}
