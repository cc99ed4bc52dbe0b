import { ownEntry } from '../../base/json.ts';
import {
  type FacetParameter,
  LABEL_NAMES,
  type LabelName,
  SEARCH_SORTS,
  type SearchFilter,
} from '../../domain/agent-search.ts';
import { FILTERS, type ListParameter } from './filters.ts';

export const MAX_FOUND = 200;
export const USUAL_FOUND = 50;
const MAX_TEXT = 256;

/** The filters of the list operation that the search has, too. */
const SHARED_FILTERS = Object.values(FILTERS).filter(({ name }) => name !== 'q');

const LABEL_TEXTS: Readonly<Record<LabelName, string>> = {
  channels: 'Only agents that declare one of these channels.',
  property_types: 'Only agents that publishers authorise for a property of one of these types.',
  markets: 'Only agents that declare one of these countries.',
  categories: 'Only agents with a property that has one of these codes of the IAB content taxonomy as a tag.',
  tags: 'Only agents with a property that has one of these tags.',
  delivery_types:
    'Only agents whose specialisms include one of these delivery types: guaranteed, non_guaranteed.',
  format_kinds: 'Only agents with a creative format of one of these kinds.',
  specialisms: 'Only agents that declare one of these specialisms.',
  capability: 'Only agents that offer one of these tasks or declare one of these specialisms.',
};

/** Other names of labels: the specification (4.1) has `capability` and `channel`. */
export const LABEL_ALIASES: Readonly<Record<string, LabelName>> = { channel: 'channels' };

/** Several values are separated by commas, as clients of the field send them. */
const LABEL_PARAMETERS: readonly ListParameter[] = [
  ...LABEL_NAMES.map((name) => labelParameter(name, LABEL_TEXTS[name])),
  ...Object.entries(LABEL_ALIASES).map(([name, label]) =>
    labelParameter(name, `Alias of ${label}; use only one of the two.`),
  ),
];

function labelParameter(name: string, text: string): ListParameter {
  return {
    name,
    kind: 'text',
    maxLength: 1_000,
    description: `${text} Separate alternatives with commas. Case-insensitive.`,
  };
}

/** The same parameters, with aliases replaced by the names of their labels. */
export function withoutAliases(parameters: URLSearchParams): URLSearchParams {
  return new URLSearchParams(
    [...parameters].map(([name, value]): [string, string] => [ownEntry(LABEL_ALIASES, name) ?? name, value]),
  );
}

/** The parameters of the search. */
export const SEARCH_PARAMETERS: readonly ListParameter[] = [
  {
    name: 'q',
    kind: 'text',
    maxLength: MAX_TEXT,
    description:
      'Words to search for in the name, description, tools, specialisms, metrics, accrediting bodies, domains and tags of an agent. A word of three or more letters also matches longer words that begin with it. An agent must have all the words; if no agent has them, words that match nothing are ignored and listed in ignored_words.',
  },
  ...SHARED_FILTERS.map(({ implies: _, ...filter }) => ({
    ...filter,
    description: filter.description.replace(/ Implies type=\w+\.$/, '').replace(', q and', ' and'),
  })),
  ...LABEL_PARAMETERS,
  {
    name: 'online',
    kind: 'boolean',
    description:
      'When true, only agents that answered the last probe. Facets and counts of other filters still include agents that are offline.',
  },
  {
    name: 'has_tmp',
    kind: 'boolean',
    description: 'When true, only agents that support trusted match; when false, only agents that do not.',
  },
  {
    name: 'min_properties',
    kind: 'integer',
    minimum: 0,
    maximum: 999_999_999,
    description: 'Only agents that publishers authorise for at least this number of properties.',
  },
  {
    name: 'sort',
    kind: 'enum',
    values: SEARCH_SORTS,
    description:
      'Order of the results: by relevance (default), by name, or with the most properties or publishers first.',
  },
  {
    name: 'facets',
    kind: 'boolean',
    description: 'When true, adds facets: the number of agents for each value of each filter.',
  },
  {
    name: 'limit',
    kind: 'integer',
    minimum: 1,
    maximum: MAX_FOUND,
    description: `Maximum number of agents in one response, 1 to ${MAX_FOUND}. Default: ${USUAL_FOUND}.`,
  },
  { name: 'cursor', kind: 'cursor', description: 'The cursor of the previous response of the same search.' },
];

/** A value that a search filters by. */
export interface AskedValue {
  readonly parameter: FacetParameter;
  readonly value: string;
}

/** The values of open lists that a search filters by. */
export function askedValues({ listed, labels }: SearchFilter): readonly AskedValue[] {
  const valuesOf = (parameter: FacetParameter, values: readonly string[] = []) =>
    values.map((value) => ({ parameter, value }));
  return [
    ...valuesOf('metric_id', listed.metricIds),
    ...valuesOf('accreditation', listed.accreditations),
    ...LABEL_NAMES.flatMap((name) => valuesOf(name, labels[name])),
  ];
}
