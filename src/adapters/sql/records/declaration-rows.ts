import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Declaration, FileKind } from '../../../domain/declaration.ts';
import type { Finding } from '../../../domain/finding.ts';
import type { NewDeclaration, StoredDeclaration } from '../../../ports/visit-commits.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import type { DeclarationTable } from '../schema.ts';
import { present } from './present.ts';

type Row = Selectable<DeclarationTable> & {
  readonly value: string;
  readonly findings: string;
  readonly kind: string;
  readonly key: string;
};

interface NewRow {
  readonly source: number;
  readonly valueHash: string;
  readonly via: DeclarationTable['via'];
  readonly manager: string | null;
  readonly url: string;
  readonly contentHash: string;
  readonly at: number;
}

export interface DeclarationWriter {
  /** Begins a version; `bodies` are the hashes of the bytes it was read from. Returns its id. */
  begin(
    source: number,
    declaration: NewDeclaration,
    findings: readonly Finding[],
    bodies: Iterable<string>,
    at: number,
  ): number;
  /** Ends a version; it is kept for ever. */
  end(id: number, at: number): void;
}

/** Inside the caller's transaction. */
export function createDeclarationWriter(database: SqliteDatabase): DeclarationWriter {
  const insertValue = prepare(database, newValue);
  const insert = prepare(database, newDeclaration);
  const insertBody = prepare(database, newBodyLink);
  const close = prepare(database, endDeclaration);
  return {
    begin(source, declaration, findings, bodies, at) {
      const value = JSON.stringify(declaration.value);
      const findingsText = JSON.stringify(findings);
      const valueHash = hash('sha256', `${value}\n${findingsText}`);
      insertValue.run({ hash: valueHash, value, findings: findingsText });
      const { via, url, contentHash, manager = null } = declaration;
      const id = insert.get({ source, valueHash, via, manager, url, contentHash, at })?.id as number;
      for (const hash of bodies) insertBody.run({ declaration: id, hash });
      return id;
    },
    end: (id, at) => void close.run({ id, at }),
  };
}

/** Declarations with their source and value, for the readers. */
export function selectDeclarations() {
  return sql
    .selectFrom('declaration')
    .innerJoin('source', 'source.id', 'declaration.source')
    .innerJoin('declared_value', 'declared_value.hash', 'declaration.value_hash')
    .selectAll('declaration')
    .select(['declared_value.value', 'declared_value.findings', 'source.kind', 'source.key']);
}

/** A stored version as the rest of the program knows it. */
export function storedDeclaration(row: Row): StoredDeclaration {
  return {
    kind: row.kind as FileKind,
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

function newValue(place: Place<{ hash: string; value: string; findings: string }>) {
  return sql
    .insertInto('declared_value')
    .values({ hash: place('hash'), value: place('value'), findings: place('findings') })
    .onConflict((known) => known.column('hash').doNothing());
}

function newDeclaration(place: Place<NewRow>) {
  return sql
    .insertInto('declaration')
    .values({
      source: place('source'),
      value_hash: place('valueHash'),
      via: place('via'),
      manager: place('manager'),
      url: place('url'),
      content_hash: place('contentHash'),
      seen_from: place('at'),
    })
    .returning('id');
}

function newBodyLink(place: Place<{ declaration: number; hash: string }>) {
  return sql
    .insertInto('declaration_body')
    .values({ declaration: place('declaration'), hash: place('hash') })
    .onConflict((known) => known.columns(['declaration', 'hash']).doNothing());
}

function endDeclaration(place: Place<{ id: number; at: number }>) {
  return sql
    .updateTable('declaration')
    .set({ seen_until: place('at') })
    .where('id', '=', place('id'));
}
