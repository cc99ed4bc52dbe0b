import type { AgentDocument } from '../../domain/agent-document.ts';
import { FACET_PARAMETERS } from '../../domain/agent-search.ts';
import { lastingFactor, searchDocument, TEXT_FIELDS, TEXT_NAMES } from '../query/search-document.ts';
import { joinedToken, SHORTEST_BEGINNING } from '../query/search-words.ts';
import { exactTerm, type QueryClause } from './query.ts';

/** Longer values of a facet are not counted. */
const MAX_FACET = 256;
/** Of a word that begins with the one that is searched for. */
const COMPLETION_SHARE = 0.4;
const MAX_COMPLETIONS = 7;

/** All words of a document: what corrections are taken from. */
export const ALL_TEXTS = 'texts.all';

const KEYWORD = { type: 'keyword', doc_values: false };
const TEXT = { type: 'text', analyzer: 'whitespace', index_options: 'freqs' };

/** All but `joined`, whose tokens are found as a whole and are no correction of a word. */
const WORD_FIELDS = TEXT_NAMES.filter((field) => field !== 'joined');

/** The fields of a search, and those of them that no answer needs. */
export const SEARCH_FIELDS = {
  marks: KEYWORD,
  texts: {
    properties: {
      ...Object.fromEntries(WORD_FIELDS.map((field) => [field, { ...TEXT, copy_to: ALL_TEXTS }])),
      joined: TEXT,
      all: { ...TEXT, norms: false },
    },
  },
  facets: { properties: Object.fromEntries(FACET_PARAMETERS.map((name) => [name, { type: 'keyword' }])) },
  factor: { type: 'float', index: false },
  property_count: { type: 'integer' },
  publisher_count: { type: 'integer', index: false },
  name: { type: 'keyword', index: false },
  card: { type: 'object', enabled: false },
} as const;
export const UNSHOWN_FIELDS = [
  'marks',
  'texts',
  'facets',
  'factor',
  'property_count',
  'publisher_count',
  'name',
];

/** What the search looks at in a document: the other side of `findBody`. */
export function searchFields(document: AgentDocument): object {
  const { texts, marks, facets, card } = searchDocument(document);
  const counted: Record<string, string[]> = {};
  for (const [parameter, value] of facets) {
    if (value.length > MAX_FACET) continue;
    counted[parameter] ??= [];
    counted[parameter].push(value.toWellFormed());
  }
  return {
    marks: marks.map(exactTerm),
    texts: Object.fromEntries(TEXT_NAMES.map((field) => [field, texts[field].join(' ')])),
    facets: counted,
    factor: lastingFactor(card),
    property_count: card.property_count,
    publisher_count: card.publisher_count,
    name: card.name.toLowerCase().slice(0, 64).toWellFormed(),
    card: JSON.stringify(card),
  };
}

/** The word in any of the texts, or one that begins with it, or words in a row that are written as it; or one of `joins`. */
export function wordClause(word: string, joins: readonly string[] = []): QueryClause {
  const isBeginning = word.length >= SHORTEST_BEGINNING;
  const should = WORD_FIELDS.flatMap((field) => {
    const [name, boost] = [`texts.${field}`, TEXT_FIELDS[field]];
    const rewrite = `top_terms_blended_freqs_${MAX_COMPLETIONS}`;
    const prefix = { value: word, boost: boost * COMPLETION_SHARE, rewrite };
    return [
      { term: { [name]: { value: word, boost } } },
      ...(isBeginning ? [{ prefix: { [name]: prefix } }] : []),
    ];
  });
  const asOne = { term: { 'texts.joined': { value: joinedToken(word), boost: TEXT_FIELDS.joined } } };
  const joined = joins.map((value) => ({ term: { [ALL_TEXTS]: { value, boost: TEXT_FIELDS.joined } } }));
  return { bool: { should: [...should, asOne, ...joined], minimum_should_match: 1 } };
}
