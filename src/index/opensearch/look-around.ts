import type { FoundBlock, SearchQuery } from '../../domain/agent-search.ts';
import { joinedAround } from '../../domain/text.ts';
import {
  MOST_OFFERED,
  MOST_UNKNOWN,
  mostWrong,
  nearestValues,
  nearestWords,
  relatedWords,
  stemmedForms,
  stemOf,
  unknownValues,
} from '../query/nearest.ts';
import { askedValues } from '../query/search-filters.ts';
import type { Engine } from './client.ts';
import { exactTerm, type QueryClause } from './query.ts';
import { ensureWhole, type ShardsAnswer } from './search.ts';
import { ALL_TEXTS, wordClause } from './search-fields.ts';

/** Values of one parameter that one which nobody has is compared with. */
const MAX_COMPARED = 1_000;
const LISTED: QueryClause = { term: { listed: true } };

interface AroundAnswer {
  readonly timed_out: boolean;
  readonly _shards: ShardsAnswer;
  readonly aggregations: Readonly<Record<string, Counted>>;
  readonly suggest?: Readonly<Record<string, readonly { readonly options: readonly Option[] }[]>>;
}

interface Counted {
  readonly doc_count: number;
  readonly values: { readonly buckets: readonly { readonly key: string }[] };
}

interface Option {
  readonly text: string;
  readonly freq: number;
}

/** Why nothing was found: words and values that no agent has, and what they may have been meant to be. */
export async function lookAround(
  engine: Engine,
  target: string,
  query: SearchQuery,
): Promise<Required<Pick<FoundBlock, 'corrected' | 'nearest'>>> {
  const values = askedValues(query.filter);
  const request = {
    method: 'POST',
    path: `/${target}/_search`,
    query: { allow_partial_search_results: false, timeout: `${engine.reads.withinMs}ms` },
    body: { size: 0, query: LISTED, aggs: countsOf(query.words, values), suggest: suggestions(query.words) },
  } as const;
  const { aggregations, suggest } = await engine.send<AroundAnswer>(request, engine.reads, ensureWhole);
  const unknown = query.words.filter((_, at) => aggregations[`word${at}`]?.doc_count === 0);
  const corrected = unknown.flatMap((word) => {
    const known = (name: string) =>
      (suggest?.[name] ?? []).flatMap(({ options }) =>
        options.map(({ text, freq }) => ({ word: text, agents: freq })),
      );
    const alike = nearestWords(word, known(word));
    const forms = stemmedForms(word).flatMap((_, at) => known(`${word} ${at}`));
    const related = [...new Map(forms.map((form) => [form.word, form])).values()];
    const meant = alike.length > 0 ? alike : relatedWords(word, related);
    return meant.length === 0 ? [] : [[word, meant.map((one) => one.word)] as const];
  });
  const nobodyHas = values.filter((_, at) => aggregations[`value${at}`]?.doc_count === 0);
  const words = unknownValues(unknown.filter((word) => !corrected.some(([one]) => one === word)));
  const ofFilters = nobodyHas.slice(0, MOST_UNKNOWN - words.length).map(({ parameter, value }) => {
    const known = aggregations[parameter]?.values.buckets.map(({ key }) => key) ?? [];
    return { parameter, value, nearest: nearestValues(value, known) };
  });
  return { corrected: Object.fromEntries(corrected), nearest: [...words, ...ofFilters] };
}

function countsOf(words: readonly string[], values: ReturnType<typeof askedValues>) {
  const known = ({ parameter }: { parameter: string }) => ({
    filter: LISTED,
    aggs: { values: { terms: { field: `facets.${parameter}`, size: MAX_COMPARED } } },
  });
  return Object.fromEntries([
    ...words.map((word, at) => [`word${at}`, { filter: wordClause(word, joinedAround(words, at)) }]),
    ...values.map(({ mark }, at) => [`value${at}`, { filter: { term: { marks: exactTerm(mark) } } }]),
    ...values.map((value) => [value.parameter, known(value)]),
  ]);
}

/** Words are compared again by our own rule; the engine only proposes. By its default accuracy it leaves out `new` for `neews`. */
function suggestions(words: readonly string[]) {
  const asked = words.filter((word) => mostWrong(word) > 0);
  const size = 10 * MOST_OFFERED;
  const term = { field: ALL_TEXTS, suggest_mode: 'always', size, min_word_length: 3, accuracy: 0 };
  return Object.fromEntries(
    asked.flatMap((word) => [
      [word, { text: word, term: { ...term, max_edits: mostWrong(word), prefix_length: 1 } }],
      ...stemmedForms(word).map((form, at) => [
        `${word} ${at}`,
        { text: form, term: { ...term, max_edits: 2, prefix_length: stemOf(word)?.length } },
      ]),
    ]),
  );
}
