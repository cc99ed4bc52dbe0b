import type { DeclaredFacts, Reference } from '../../domain/declared-facts.ts';
import { type Db, insertInChunks, listOf } from '../database.ts';
import { writeAuthorisations } from './authorisation-rows.ts';
import { writeMentions } from './mention-rows.ts';
import { changeOf } from './named-agents.ts';
import { writeProperties } from './property-rows.ts';
import { changesBetween, type Declarer, type FactsOptions } from './visit-changes.ts';

/** What follows from no declaration at all. */
export const NO_FACTS: DeclaredFacts = {
  authorisations: [],
  mentions: [],
  references: [],
  operators: [],
  properties: [],
};

/** Makes the live rows of one file those of `facts`, and notes the agents that this changes. */
export async function writeFacts(
  db: Db,
  declarer: Declarer,
  facts: DeclaredFacts,
  options: FactsOptions,
): Promise<void> {
  const { domain, file } = declarer;
  const { at, hadRows, changes, isRederived } = options;
  if (file === 'adagents') await writeAuthorisations(db, domain, facts.authorisations, options);
  // an authorisation row already says that the file names its agent
  const authorised = new Set(facts.authorisations.map((row) => row.agent));
  const others = facts.mentions.filter((mention) => !authorised.has(mention.agent));
  const mentioned = await writeMentions(db, declarer, others, options);
  if (isRederived !== true) {
    if (file === 'adagents') await writeProperties(db, domain, facts.properties, hadRows);
    await writeReferences(db, declarer, facts.references, hadRows);
  }
  if (file !== 'brand') return;
  await writeBrandWords(db, domain, facts.brandWords ?? [], hadRows);
  // the operators of a house decide what its entries count for
  if (await writeOperators(db, domain, facts.operators, hadRows))
    for (const [agent, url] of mentioned)
      changeOf(changes.agents, agent, { url, foundVia: `${domain} brand`, at, trace: changes.trace });
}

/** Makes the references of a file those of a new declaration. */
async function writeReferences(
  db: Db,
  { domain: declarer, file }: Declarer,
  references: readonly Reference[],
  hadRows: boolean,
): Promise<void> {
  const before = hadRows
    ? await db
        .selectFrom('reference_to')
        .select(['domain', 'reason'])
        .where('declarer', '=', declarer)
        .where('file', '=', file)
        .execute()
    : [];
  const { begun, ended } = changesBetween(before, references, ({ reason, domain }) => `${reason} ${domain}`);
  await insertInChunks(begun, (some) =>
    db
      .insertInto('reference_to')
      .values(some.map(({ domain, reason }) => ({ declarer, file, domain, reason })))
      .onConflict((known) => known.columns(['declarer', 'file', 'domain', 'reason']).doNothing())
      .execute(),
  );
  for (const [reason, rows] of Map.groupBy(ended, (row) => row.reason)) {
    const domains = rows.map(({ domain }) => domain);
    await db
      .deleteFrom('reference_to')
      .where('declarer', '=', declarer)
      .where('file', '=', file)
      .where('domain', 'in', listOf(db, domains))
      .where('reason', '=', reason)
      .execute();
  }
}

/** Makes the operators of a house those of a new declaration. Returns whether they changed. */
async function writeOperators(
  db: Db,
  house: string,
  operators: readonly string[],
  hadRows: boolean,
): Promise<boolean> {
  const before = hadRows
    ? await db.selectFrom('operator').select('operator').where('house', '=', house).execute()
    : [];
  const live = before.map(({ operator }) => operator);
  const { begun, ended } = changesBetween(live, operators, (operator) => operator);
  await insertInChunks(begun, (some) =>
    db
      .insertInto('operator')
      .values(some.map((operator) => ({ house, operator })))
      .onConflict((known) => known.columns(['house', 'operator']).doNothing())
      .execute(),
  );
  if (ended.length > 0)
    await db
      .deleteFrom('operator')
      .where('house', '=', house)
      .where('operator', 'in', listOf(db, ended))
      .execute();
  return begun.length > 0 || ended.length > 0;
}

/** Makes the words of a domain's brands those of a new declaration. */
async function writeBrandWords(
  db: Db,
  domain: string,
  words: readonly string[],
  hadRows: boolean,
): Promise<void> {
  const before = hadRows
    ? await db.selectFrom('brand_word').select('word').where('domain', '=', domain).execute()
    : [];
  const live = before.map(({ word }) => word);
  const { begun, ended } = changesBetween(live, words, (word) => word);
  await insertInChunks(begun, (some) =>
    db
      .insertInto('brand_word')
      .values(some.map((word) => ({ domain, word })))
      .execute(),
  );
  if (ended.length > 0)
    await db
      .deleteFrom('brand_word')
      .where('domain', '=', domain)
      .where('word', 'in', listOf(db, ended))
      .execute();
}
