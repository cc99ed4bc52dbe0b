import type { FileKind } from '../../../../domain/declaration.ts';
import type { DeclaredFacts } from '../../../../domain/declared-facts.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';

import { createAuthorisationWriter } from './authorisation-rows.ts';
import type { VisitEffects } from './batch-effects.ts';
import { createMentionWriter } from './mention-rows.ts';
import { createReferenceWriter } from './reference-rows.ts';

/** What follows from no declaration at all. */
export const NO_FACTS: DeclaredFacts = { authorisations: [], mentions: [], references: [], operators: [] };

interface Declarer {
  readonly domain: string;
  readonly file: FileKind;
}

export interface FactsOptions {
  readonly at: number;
  /** A declaration was live until now, so there may be rows to compare with. */
  readonly hadRows: boolean;
  readonly effects: VisitEffects;
  /** The same declaration at another time: it leads where it led. */
  readonly isRederived?: true;
}

/** Makes the live rows of one file those of `facts`, and the agents that this changes dirty. */
export type FactsWriter = (declarer: Declarer, facts: DeclaredFacts, options: FactsOptions) => SqlTask<void>;

/** Inside the caller's transaction. */
export function createFactsWriter(store: SqlStore): FactsWriter {
  const writeAuthorisations = createAuthorisationWriter(store);
  const writeMentions = createMentionWriter(store);
  const references = createReferenceWriter(store);
  return function* ({ domain, file }, facts, { at, hadRows, effects, isRederived }) {
    const touch = effects.touchAs(`${domain} ${file}`);
    if (file === 'adagents') yield* writeAuthorisations(domain, facts.authorisations, { at, hadRows, touch });
    // an authorisation row already says that the file names its agent
    const authorised = new Set(facts.authorisations.map((row) => row.agent));
    const others = facts.mentions.filter((mention) => !authorised.has(mention.agent));
    const mentioned = yield* writeMentions(domain, file, others, { at, hadRows, touch, dial: effects.dial });
    if (isRederived !== true) yield* references.references(domain, file, facts.references, hadRows);
    if (file !== 'brand' || !(yield* references.operators(domain, facts.operators, hadRows))) return;
    // whom the house lets speak decides what its entries count for
    for (const [agent, url] of mentioned) touch(agent, url);
  };
}
