import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { Declaration } from '../../domain/declaration.ts';
import type { DeclarationKind, DeclaredFacts } from '../../domain/declared-facts.ts';
import type { Finding } from '../../domain/finding.ts';
import { catalogueSize } from '../../domain/property-identity.ts';
import type { NewDeclaration, StoredDeclaration } from '../../domain/visit.ts';
import { type Db, insertInChunks } from '../database.ts';
import { sortedByKey } from '../locks.ts';
import type { DeclarationTable } from '../tables.ts';

type Row = Selectable<DeclarationTable> & {
  readonly value: string;
  readonly findings: string;
  readonly kind: string;
  readonly key: string;
};

/** A declaration that was just read. */
export interface ReadDeclaration {
  /** The id of the source. */
  readonly source: number;
  readonly declaration: NewDeclaration;
  readonly findings: readonly Finding[];
  /** The hashes of the bytes that it was read from. */
  readonly bodies: ReadonlySet<string>;
}

/** Begins a version of each declaration of a domain. Returns their ids by source. */
export async function beginDeclarations(
  db: Db,
  read: readonly ReadDeclaration[],
  { domain, at }: { readonly domain: string; readonly at: number },
): Promise<ReadonlyMap<number, number>> {
  if (read.length === 0) return new Map();
  const values = new Map<string, { readonly value: string; readonly findings: string }>();
  const rows = read.map(({ source, declaration, findings: found }) => {
    const { via, url, contentHash, manager = null, facts } = declaration;
    const value = JSON.stringify(declaration.value);
    const findings = JSON.stringify(found);
    const valueHash = hash('sha256', `${value}\n${findings}`);
    values.set(valueHash, { value, findings });
    return {
      ...{ source, via, manager, url, value_hash: valueHash, content_hash: contentHash, seen_from: at },
      agents: agentsAuthorised(facts),
      properties: catalogueSize(facts.properties, domain),
    };
  });
  await db
    .insertInto('declared_value')
    .values(sortedByKey(values).map(([hash, value]) => ({ hash, ...value })))
    .onConflict((known) => known.column('hash').doNothing())
    .execute();
  const begun = await db.insertInto('declaration').values(rows).returning(['id', 'source']).execute();
  const ids = new Map(begun.map(({ id, source }) => [source, id]));
  const links = read.flatMap(({ source, bodies }) =>
    [...bodies].map((hash) => ({ declaration: ids.get(source) as number, hash })),
  );
  await insertInChunks(links, (some) => db.insertInto('declaration_body').values(some).execute());
  return ids;
}

/** Ends versions, which are kept for ever. */
export async function endDeclarations(db: Db, ids: readonly number[], at: number): Promise<void> {
  if (ids.length === 0) return;
  await db.updateTable('declaration').set({ seen_until: at }).where('id', 'in', ids).execute();
}

/** Agents that are authorised now, for something that the publisher has. */
export function agentsAuthorised({ authorisations }: Pick<DeclaredFacts, 'authorisations'>): number {
  return new Set(authorisations.flatMap(({ agent, sellsNothing }) => (sellsNothing ? [] : [agent]))).size;
}

/** Declarations with their source and value, for the readers. */
export function selectDeclarations(db: Db) {
  return db
    .selectFrom('declaration')
    .innerJoin('source', 'source.id', 'declaration.source')
    .innerJoin('declared_value', 'declared_value.hash', 'declaration.value_hash')
    .selectAll('declaration')
    .select(['declared_value.value', 'declared_value.findings', 'source.kind', 'source.key']);
}

/** A stored version as the rest of the program knows it. */
export function storedDeclaration(row: Row): StoredDeclaration {
  return {
    kind: row.kind as DeclarationKind,
    key: row.key,
    id: row.id,
    value: JSON.parse(row.value) as Declaration,
    via: row.via,
    url: row.url,
    contentHash: row.content_hash,
    findings: JSON.parse(row.findings) as Finding[],
    seenFrom: row.seen_from,
    ...present({ manager: row.manager, seenUntil: row.seen_until }),
  };
}

/**
 * What is not in the edge log yet. Each of these happens once to an entry or to a version of a file, so no two marks are the
 * same, and a visit waits for no other one to set its marks. What ended is logged first.
 */
export const PENDING = { ended: 1, began: 2, fileGone: 3, fileFound: 4 } as const;

/** An entry (a row of `authorisation`) or a version of a file (of `declaration`) that the edge log must mention. */
export interface EdgeMark {
  readonly event: (typeof PENDING)[keyof typeof PENDING];
  readonly id: number;
}

export async function markForEdgeLog(db: Db, marks: readonly EdgeMark[]): Promise<void> {
  await insertInChunks(marks, (some) => db.insertInto('edge_log_pending').values(some).execute());
}
