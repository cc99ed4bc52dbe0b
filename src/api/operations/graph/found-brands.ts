import { defined } from '../../../base/json.ts';
import { brandNames } from '../../../discovery/read-portfolio.ts';
import { wordsOf } from '../../../domain/text.ts';
import { isBeginning } from '../../../index/query/search-words.ts';
import type { Resolved } from './domain-list.ts';
import { beginOf } from './list-properties.ts';
import type { GraphParts } from './reading.ts';
import { resolveBrands } from './resolve-brands.ts';

/** A search for brands. */
export interface AskedBrands {
  /** A name has all of them. */
  readonly words: readonly string[];
  /** Or its domain begins with one of these. */
  readonly begins: readonly string[];
}

/** Of files that are read to see which of their names was meant. */
const MAX_READ = 1024 * 1024;
/** Words that stand apart in the names of a house are no name: so many more are looked at for each that is wanted. */
const LOOKED_AT = 4;

/** Brands whose domain begins so, in the order of their domains; then those with a name that has the words. */
export async function foundBrands(
  parts: GraphParts,
  asked: AskedBrands,
  limit: number,
): Promise<readonly object[]> {
  const begin = await domainsBeginning(parts, asked.begins, limit);
  const named =
    begin.length < limit ? await namesFound(parts, asked.words, limit) : new Map<string, string>();
  const domains = [...new Set([...begin, ...named.keys()])].slice(0, limit);
  const resolved = await resolveBrands(parts, domains);
  return domains.flatMap((domain) => {
    const brand = resolved.get(domain);
    return brand === undefined ? [] : [brandFound(domain, brand, named.get(domain))];
  });
}

async function domainsBeginning(
  { records: { brands } }: GraphParts,
  begins: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  const lists = await Promise.all(
    begins.map(async (begin) => {
      const page = { after: beginOf(begin), skipped: 0, limit };
      return (await brands.domains(page)).filter((domain) => domain.startsWith(begin));
    }),
  );
  return [...new Set(lists.flat())].sort().slice(0, limit);
}

/** Domains with the name that contains the words; '' if the file was too large to find it. */
async function namesFound(
  { records: { brands } }: GraphParts,
  words: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, string>> {
  const domains = words.length === 0 ? [] : await brands.withWords(words, limit * LOOKED_AT);
  const files = await brands.files(domains, MAX_READ);
  const values = new Map(files.map(({ domain, value }) => [domain, value]));
  return new Map(
    domains.flatMap((domain) => {
      const value = values.get(domain);
      const name = value === undefined ? '' : brandNames(domain, value).find((one) => hasWords(one, words));
      return name === undefined ? [] : [[domain, name] as const];
    }),
  );
}

function hasWords(name: string, words: readonly string[]): boolean {
  const own = wordsOf(name);
  return words.every((word) => own.some((one) => isBeginning(word, one)));
}

/** A brand that is declared inside the file of its house is returned by its own name, with that of the domain as its parent. */
function brandFound(domain: string, brand: Resolved, matched = ''): object {
  const { canonical_domain, brand_name, house_domain, brand_agent_url, source, names } = brand;
  const isHouse = house_domain === domain; // its names may be those of its only brand
  const spoken = isHouse ? [] : ((names ?? []) as readonly object[]);
  const own = [brand_name, ...spoken.flatMap((one) => Object.values(one))];
  const isInside = matched !== '' && !own.includes(matched);
  const ofHouse = isHouse && !isInside ? 'master' : 'sub_brand';
  return {
    ...{ domain, canonical_domain, brand_name: isInside ? matched : brand_name, source },
    ...defined({ house_domain, brand_agent_url }),
    ...(isInside && { parent_brand: brand_name }),
    keller_type: house_domain === undefined && !isInside ? 'independent' : ofHouse,
  };
}
