import type { ContentTargets } from '../domain/trusted-match.ts';
import type { ContentSignals, ContextRequest } from './messages.ts';

/** A request with its keywords in their plain form: one object for each request. */
interface ContentFacts {
  readonly request: ContextRequest;
  readonly keywords: readonly string[];
}

/** What a package demands besides topics and keywords. */
export interface Filter {
  fits(facts: ContentFacts): boolean;
}

/** Makes filters; packages that demand the same share one, which looks at a request once. */
export function createFilters(): (targets: ContentTargets) => Filter {
  const known = new Map<string, Filter>();
  return ({ formats, artifactTypes, languages, excludedTopics, excludedKeywords, excludedCategories }) => {
    const demands = [formats, artifactTypes, languages, excludedTopics, excludedKeywords, excludedCategories];
    const key = JSON.stringify(demands.map((demand) => demand?.toSorted() ?? null));
    const filter = known.get(key) ?? createFilter(demands);
    known.set(key, filter);
    return filter;
  };
}

function createFilter(demands: readonly (readonly string[] | undefined)[]): Filter {
  const [formats, artifactTypes, languages, topics, words, categories] = demands.map(
    (demand) => demand && new Set(demand),
  );
  const keywords = words && new Set([...words].map(plainWords));
  const isExcluded = (content: ContentSignals, given: readonly string[]): boolean =>
    overlaps(topics, content.topics) ||
    overlaps(keywords, given) ||
    overlaps(categories, content.sensitive_categories);
  const fits = ({ request: { content, placement }, keywords: given }: ContentFacts): boolean => {
    if (formats && placement.formats && !overlaps(formats, placement.formats)) return false;
    if (artifactTypes && !overlaps(artifactTypes, content.artifact_types)) return false;
    if (languages && !speaks(languages, content.language)) return false;
    return !isExcluded(content, given);
  };
  let asked: ContentFacts | undefined;
  let answer = false;
  return {
    fits(facts) {
      if (facts === asked) return answer;
      asked = facts;
      answer = fits(facts);
      return answer;
    },
  };
}

/** `en` takes `en-GB`; `en-GB` does not take `en`. */
function speaks(languages: ReadonlySet<string>, language: string | undefined): boolean {
  for (let tag = language; tag; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-'))))
    if (languages.has(tag)) return true;
  return false;
}

function overlaps(wanted: ReadonlySet<string> | undefined, given: readonly string[] | undefined): boolean {
  if (wanted === undefined || given === undefined) return false;
  for (const one of given) if (wanted.has(one)) return true;
  return false;
}

/** Words as they are compared: case, and how letters are composed, do not matter. */
export function plainWords(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
