import type { FileKind } from '../../../domain/declaration.ts';
import type { DeclaredFacts } from '../../../domain/declared-facts.ts';
import type { SqliteDatabase } from '../database.ts';
import { createAuthorisationWriter } from './authorisation-rows.ts';
import type { BatchEffects } from './batch-effects.ts';
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
  readonly effects: BatchEffects;
  /** The same declaration at another time: it leads where it led. */
  readonly isRederived?: true;
}

/** Makes the live rows of one file those of `facts`, and the agents that this changes dirty. */
export type FactsWriter = (declarer: Declarer, facts: DeclaredFacts, options: FactsOptions) => void;

/** Inside the caller's transaction. */
export function createFactsWriter(database: SqliteDatabase): FactsWriter {
  const writeAuthorisations = createAuthorisationWriter(database);
  const writeMentions = createMentionWriter(database);
  const references = createReferenceWriter(database);
  return ({ domain, file }, facts, { at, hadRows, effects, isRederived }) => {
    const foundVia = `${domain} ${file}`;
    const touch = (agent: string, url: string) => effects.touch(agent, url, foundVia, at);
    if (file === 'adagents') writeAuthorisations(domain, facts.authorisations, { at, hadRows, touch });
    // an authorisation row already says that the file names its agent
    const authorised = new Set(facts.authorisations.map((row) => row.agent));
    const others = facts.mentions.filter((mention) => !authorised.has(mention.agent));
    const mentioned = writeMentions(domain, file, others, { at, hadRows, touch });
    if (isRederived !== true) references.references(domain, file, facts.references, hadRows);
    if (file !== 'brand' || !references.operators(domain, facts.operators, hadRows)) return;
    // whom the house lets speak decides what its entries count for
    for (const [agent, url] of mentioned) touch(agent, url);
  };
}
