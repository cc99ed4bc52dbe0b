import { ADAGENTS_EXAMPLES } from './adagents.ts';
import { ARD_EXAMPLES, BRAND_EXAMPLES } from './brand.ts';
import { CATALOGUE_EXAMPLES } from './catalogue.ts';
import type { Example } from './example.ts';
import { FETCH_EXAMPLES } from './fetch.ts';
import { TEXT_EXAMPLES } from './text.ts';

/** Each code of a finding with a file that has it, and the same file put right. */
export const FINDING_EXAMPLES: Readonly<Record<string, Example>> = {
  ...TEXT_EXAMPLES,
  ...ADAGENTS_EXAMPLES,
  ...CATALOGUE_EXAMPLES,
  ...BRAND_EXAMPLES,
  ...ARD_EXAMPLES,
  ...FETCH_EXAMPLES,
};
