import { withinBytes } from '../../base/json-bytes.ts';
import type { AgentDocument } from '../../domain/agent-document.ts';
import { LABEL_NAMES, type LabelName } from '../../domain/agent-search.ts';
import { joinedWords, wordsOf } from '../../domain/text.ts';
import { type Labels, labelsOf } from './index-fields.ts';
import { joinedToken } from './search-words.ts';

/** The searched texts of an agent, with their weights. */
export const TEXT_FIELDS = {
  name: 8,
  /** Words of the other fields that are written as one: all of the name, elsewhere those with a sign between them. */
  joined: 5,
  metrics: 5,
  accreditations: 5,
  specialisms: 4,
  domains: 3,
  tools: 2,
  tags: 2,
  description: 1,
} as const;
export type TextField = keyof typeof TEXT_FIELDS;
export const TEXT_NAMES = Object.keys(TEXT_FIELDS) as readonly TextField[];

/** An agent as the index stores it for answers. */
export interface SearchCard extends Record<LabelName, readonly string[]> {
  readonly name: string;
  readonly type: string;
  readonly protocol: string | null;
  readonly description?: string;
  readonly property_count: number;
  readonly publisher_count: number;
  readonly has_tmp: boolean;
  readonly category_taxonomy: string | null;
  readonly verified_roles: readonly string[];
  readonly compliance_status: string;
  readonly metrics: readonly string[];
  readonly accreditations: readonly string[];
  readonly tools: readonly string[];
}

/** The parts of a document that both engines store for the search. */
export interface SearchDocument {
  /** The words of each of TEXT_FIELDS. */
  readonly texts: Readonly<Record<TextField, readonly string[]>>;
  readonly card: SearchCard;
}

/** Limits of words and characters of a text, and of publishers whose names are searched. */
const MAX_WORDS = 400;
const MAX_CHARACTERS = 4_000;
const MAX_DOMAINS_AS_WORDS = 100;
/** Bytes of each list of a card, and of its description. */
const LIST_BYTES = 1_024;
const DESCRIPTION_LENGTH = 500;
const TAXONOMY = 'iab_content_1.0';

export function searchDocument(document: AgentDocument): SearchDocument {
  const labels = labelsOf(document);
  return { texts: textsOf(document, labels), card: cardOf(document, labels) };
}

function textsOf(
  { url, base, properties, metricIds, accreditations, capabilities }: AgentDocument,
  { specialisms, tags }: Labels,
): SearchDocument['texts'] {
  const publishers = properties?.publisher_domains.slice(0, MAX_DOMAINS_AS_WORDS) ?? [];
  const texts: Record<Exclude<TextField, 'joined'>, readonly string[]> = {
    name: [base.name],
    metrics: metricIds,
    accreditations,
    specialisms: [...specialisms, base.type],
    domains: [new URL(url).hostname, ...publishers],
    tools: capabilities?.tools.map(({ name }) => name) ?? [],
    tags,
    description: base.description === undefined ? [] : [base.description],
  };
  const { name, domains, ...others } = texts;
  const runs = [...domains.flatMap((domain) => domain.split('.')), ...Object.values(others).flat()];
  const words = Object.entries(texts).map(([field, values]) => [field, firstWords(values, wordsOf)]);
  const joined = firstWords([...name.map(nameWords), ...runs.flatMap(runsOf)], joinedTokens);
  return { ...Object.fromEntries(words), joined };
}

/** Words of a name, and of a run of words with a sign between them, that are joined. */
const MAX_JOINED_WORDS = 16;

function nameWords(name: string): readonly string[] {
  return wordsOf(name).slice(0, MAX_JOINED_WORDS);
}

/** The words of each part of a text between white space that has several: `17000-15W`. */
function runsOf(text: string): readonly (readonly string[])[] {
  return text
    .slice(0, MAX_CHARACTERS)
    .split(/\s+/)
    .map(nameWords)
    .filter((words) => words.length > 1);
}

function joinedTokens(words: readonly string[]): readonly string[] {
  return joinedWords(words).map(joinedToken);
}

function firstWords<Value>(
  values: readonly Value[],
  wordsIn: (value: Value) => readonly string[],
): readonly string[] {
  const words: string[] = [];
  let characters = 0;
  for (const value of values) {
    for (const word of wordsIn(value)) {
      characters += word.length + 1;
      if (words.length >= MAX_WORDS || characters > MAX_CHARACTERS) return words;
      words.push(word);
    }
  }
  return words;
}

/** The fields of an agent for answers. */
export function cardOf(document: AgentDocument, labels: Labels = labelsOf(document)): SearchCard {
  const { base, properties, capabilities, compliance } = document;
  const shown = LABEL_NAMES.map((name) => [name, withinBytes(labels[name], LIST_BYTES)]);
  return {
    name: base.name,
    type: document.type,
    protocol: base.protocol,
    ...(base.description !== undefined && {
      description: base.description.slice(0, DESCRIPTION_LENGTH).toWellFormed(),
    }),
    ...(Object.fromEntries(shown) as Labels),
    property_count: properties?.stats.property_count ?? 0,
    publisher_count: properties?.stats.publisher_count ?? 0,
    has_tmp: document.inventory?.hasTmp ?? false,
    category_taxonomy: labels.categories.length > 0 ? TAXONOMY : null,
    verified_roles: [...new Set(document.badges.map(({ role }) => role))].sort(),
    compliance_status: compliance.status,
    metrics: withinBytes(document.metricIds, LIST_BYTES),
    accreditations: withinBytes(document.accreditations, LIST_BYTES),
    tools: withinBytes(capabilities?.tools.map(({ name }) => name) ?? [], LIST_BYTES),
  };
}

/**
 * Factors of an agent's relevance: agents that are online and trustworthy rank higher. The index applies the first two; the
 * others change with time and are applied to its results.
 */
export const RANKING = {
  verification: { badge: 1.2, none: 1 },
  status: { passing: 1.1, degraded: 0.95, failing: 0.8, unknown: 1, opted_out: 1 },
  health: { online: 1, unknown: 0.8, offline: 0.5 },
  freshness: { fresh: 1, stale: 0.85 },
} as const;

/** The factor of a card. */
export function lastingFactor({ verified_roles, compliance_status }: SearchCard): number {
  const { verification, status } = RANKING;
  return (
    (verified_roles.length > 0 ? verification.badge : verification.none) *
    (status[compliance_status as keyof typeof status] ?? 1)
  );
}
