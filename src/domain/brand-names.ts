import type { BrandDeclaration } from './declaration.ts';
import { wordsOf } from './text.ts';

/** A file may name thousands of brands; behind so many words the others are not found by theirs. */
const MAX_WORDS = 2_000;

/**
 * The names by which a file speaks of its domain, each once: of its house and of the brands in it. In the file of another
 * house only the brand with the domain as its id is the domain's, as `brandIdentity` has it.
 */
export function brandNames(domain: string, { house, brands }: BrandDeclaration): readonly string[] {
  const isOwn = house === undefined || house.domain === domain;
  const own = isOwn ? brands : brands.filter(({ id }) => id === domain);
  const named = own.flatMap(({ names }) => names.map(({ name }) => name));
  return [...new Set(isOwn && house?.name !== undefined ? [house.name, ...named] : named)];
}

/** The words of these names, as they are searched for, each once. */
export function brandWords(domain: string, declaration: BrandDeclaration): readonly string[] {
  const words = new Set<string>();
  for (const name of brandNames(domain, declaration))
    for (const word of wordsOf(name)) if (words.size < MAX_WORDS) words.add(word);
  return [...words];
}
