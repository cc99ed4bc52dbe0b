import type { BrandDeclaration } from '../domain/declaration.ts';
import type { AuthorisationVia } from '../domain/declared-facts.ts';

/** What domains say of brands, as it counts now. Texts are in the order of their bytes. */
export interface Brands {
  /** The brand.json of those of these domains that have one; what it says as far as there is room, the shortest first. */
  files(domains: readonly string[], maxBytes: number): Promise<readonly BrandFile[]>;
  /** Domains with a brand.json behind `after`, the first `skipped` left out. */
  domains(page: BrandPage): Promise<readonly string[]>;
  /**
   * Domains whose brands' names have each of these words, which `wordsOf` has made, or one that begins with it
   * (`isBeginning`); those with the word itself first. Where thousands have every one of the words not all are found.
   */
  withWords(words: readonly string[], limit: number): Promise<readonly string[]>;
  /** Domains whose brand.json names this one among its brands that stand elsewhere. */
  naming(domain: string, limit: number): Promise<readonly string[]>;
}

export interface BrandPage {
  readonly after: string;
  readonly skipped: number;
  readonly limit: number;
}

export interface BrandFile {
  readonly domain: string;
  readonly via: AuthorisationVia;
  /** The URL whose bytes were read. */
  readonly url: string;
  readonly contentHash: string;
  readonly lastSuccessAt?: number;
  /** Absent: it had no room. */
  readonly value?: BrandDeclaration;
}
