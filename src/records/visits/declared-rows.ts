import type { DeclarationKind, DeclaredFacts, Reference } from '../../domain/declared-facts.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { createAuthorisationWriter } from './authorisation-rows.ts';
import type { VisitEffects } from './batch-effects.ts';
import { createMentionWriter } from './mention-rows.ts';
import { createPropertyWriter } from './property-rows.ts';

/** What follows from no declaration at all. */
export const NO_FACTS: DeclaredFacts = {
  authorisations: [],
  mentions: [],
  references: [],
  operators: [],
  properties: [],
};

interface Declarer {
  readonly domain: string;
  readonly file: DeclarationKind;
}

interface FactsOptions {
  readonly at: number;
  /** A declaration was live until now, so there may be rows to compare with. */
  readonly hadRows: boolean;
  readonly effects: VisitEffects;
  /** The same declaration at another time: it leads where it led. */
  readonly isRederived?: true;
}

/** Makes the live rows of one file those of `facts`, and the agents that this changes dirty. */
type FactsWriter = (declarer: Declarer, facts: DeclaredFacts, options: FactsOptions) => SqlTask<void>;

/** Inside the caller's transaction. */
export function createFactsWriter(store: SqlStore): FactsWriter {
  const writeAuthorisations = createAuthorisationWriter(store);
  const writeMentions = createMentionWriter(store);
  const writeProperties = createPropertyWriter(store);
  const writeBrandWords = createBrandWordWriter(store);
  const references = createReferenceWriter(store);
  return function* ({ domain, file }, facts, { at, hadRows, effects, isRederived }) {
    const touch = effects.touchAs(`${domain} ${file}`);
    if (file === 'adagents') yield* writeAuthorisations(domain, facts.authorisations, { at, hadRows, touch });
    // an authorisation row already says that the file names its agent
    const authorised = new Set(facts.authorisations.map((row) => row.agent));
    const others = facts.mentions.filter((mention) => !authorised.has(mention.agent));
    const mentioned = yield* writeMentions(domain, file, others, { at, hadRows, touch, dial: effects.dial });
    if (isRederived !== true) {
      if (file === 'adagents') yield* writeProperties(domain, facts.properties, hadRows);
      yield* references.references(domain, file, facts.references, hadRows);
    }
    if (file !== 'brand') return;
    yield* writeBrandWords(domain, facts.brandWords ?? [], hadRows);
    if (!(yield* references.operators(domain, facts.operators, hadRows))) return;
    // whom the house lets speak decides what its entries count for
    for (const [agent, url] of mentioned) touch(agent, url);
  };
}

interface OwnedReference extends Reference {
  readonly declarer: string;
  readonly file: DeclarationKind;
}

interface HouseOperator {
  readonly house: string;
  readonly operator: string;
}

/** The rows of a declaration that have no history: what it refers to, and whom it lets speak. */
interface ReferenceWriter {
  references(
    declarer: string,
    file: DeclarationKind,
    references: readonly Reference[],
    hadRows: boolean,
  ): SqlTask<void>;
  /** Returns whether the house's operators are others than before. */
  operators(house: string, operators: readonly string[], hadRows: boolean): SqlTask<boolean>;
}

/** Inside the caller's transaction. */
function createReferenceWriter(store: SqlStore): ReferenceWriter {
  const selectReferences = prepare(store, referencesOf, {});
  const insertReference = prepare(store, newReference, {});
  const deleteReference = prepare(store, goneReference, {});
  const selectOperators = prepare(store, operatorsOf, {});
  const insertOperator = prepare(store, newOperator, {});
  const deleteOperator = prepare(store, goneOperator, {});
  return {
    *references(declarer, file, references, hadRows) {
      const before = hadRows ? yield* selectReferences.all({ declarer, file }) : [];
      const ended = new Map(before.map((row) => [`${row.reason} ${row.domain}`, row]));
      const begun = references.filter(({ domain, reason }) => !ended.delete(`${reason} ${domain}`));
      yield* insertReference.runEach(begun.map(({ domain, reason }) => ({ declarer, file, domain, reason })));
      yield* deleteReference.runEach([...ended.values()]);
    },
    *operators(house, operators, hadRows) {
      const before = hadRows ? yield* selectOperators.all({ house }) : [];
      const ended = new Set(before.map((row) => row.operator));
      const begun = operators.filter((operator) => !ended.delete(operator));
      const added = yield* insertOperator.runEach(begun.map((operator) => ({ house, operator })));
      yield* deleteOperator.runEach([...ended].map((operator) => ({ house, operator })));
      return ended.size > 0 || added.some((count) => count > 0);
    },
  };
}

function referencesOf(param: Param<{ declarer: string; file: DeclarationKind }>) {
  return sql
    .selectFrom('reference_to')
    .selectAll()
    .where('declarer', '=', param('declarer'))
    .where('file', '=', param('file'));
}

function newReference(param: Param<OwnedReference>) {
  return sql
    .insertInto('reference_to')
    .values({
      declarer: param('declarer'),
      file: param('file'),
      domain: param('domain'),
      reason: param('reason'),
    })
    .onConflict((known) => known.columns(['declarer', 'file', 'domain', 'reason']).doNothing());
}

function goneReference(param: Param<OwnedReference>) {
  return sql
    .deleteFrom('reference_to')
    .where('declarer', '=', param('declarer'))
    .where('file', '=', param('file'))
    .where('domain', '=', param('domain'))
    .where('reason', '=', param('reason'));
}

function operatorsOf(param: Param<{ house: string }>) {
  return sql.selectFrom('operator').select('operator').where('house', '=', param('house'));
}

function newOperator(param: Param<HouseOperator>) {
  return sql
    .insertInto('operator')
    .values({ house: param('house'), operator: param('operator') })
    .onConflict((known) => known.columns(['house', 'operator']).doNothing());
}

function goneOperator(param: Param<HouseOperator>) {
  return sql
    .deleteFrom('operator')
    .where('house', '=', param('house'))
    .where('operator', '=', param('operator'));
}

/** Makes the words of a domain's brands those of a new declaration. Inside the caller's transaction. */
type BrandWordWriter = (domain: string, words: readonly string[], hadRows: boolean) => SqlTask<void>;

function createBrandWordWriter(store: SqlStore): BrandWordWriter {
  const selectWords = prepare(store, wordsOfDomain, {});
  const insert = prepare(store, newWord, {});
  const remove = prepare(store, goneWord, {});
  return function* (domain, words, hadRows) {
    const before = hadRows ? yield* selectWords.all({ domain }) : [];
    const ended = new Set(before.map(({ word }) => word));
    const begun = [...new Set(words)].filter((word) => !ended.delete(word));
    yield* insert.runEach(begun.map((word) => ({ domain, word })));
    yield* remove.runEach([...ended].map((word) => ({ domain, word })));
  };
}

function wordsOfDomain(param: Param<{ domain: string }>) {
  return sql.selectFrom('brand_word').select('word').where('domain', '=', param('domain'));
}

/** Whoever writes them has the domain's source: no other one adds the same. */
function newWord(param: Param<{ domain: string; word: string }>) {
  return sql.insertInto('brand_word').values({ domain: param('domain'), word: param('word') });
}

function goneWord(param: Param<{ domain: string; word: string }>) {
  return sql.deleteFrom('brand_word').where('domain', '=', param('domain')).where('word', '=', param('word'));
}
