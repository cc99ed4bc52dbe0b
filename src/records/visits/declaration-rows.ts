import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { Declaration } from '../../domain/declaration.ts';
import type { DeclarationKind, DeclaredFacts } from '../../domain/declared-facts.ts';
import type { Finding } from '../../domain/finding.ts';
import { catalogueSize } from '../../domain/property-identity.ts';
import type { NewDeclaration, StoredDeclaration } from '../../ports/visit-commits.ts';
import type { DeclarationTable } from '../schema.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import type { Contents } from './batch-effects.ts';

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
  readonly agents: number;
  readonly properties: number;
  readonly at: number;
}

interface ReadDeclaration {
  /** The domain for which it was read. */
  readonly domain: string;
  readonly file: DeclarationKind;
  readonly declaration: NewDeclaration;
  readonly findings: readonly Finding[];
  /** The hashes of the bytes that it was read from. */
  readonly bodies: ReadonlySet<string>;
  readonly at: number;
}

interface DeclarationWriter {
  /** Begins a version; its value goes with the contents. Returns its id. */
  begin(source: number, read: ReadDeclaration, contents: Contents): SqlTask<number>;
  /** Ends a version, which is kept for ever; `isLast`: no other one of a publisher's file follows. */
  end(id: number, at: number, isLast: boolean): SqlTask<void>;
}

/** Inside the caller's transaction. */
export function createDeclarationWriter(store: SqlStore): DeclarationWriter {
  const insert = prepare(store, newDeclaration, {
    kinds: { source: 'number', agents: 'number', properties: 'number', at: 'number' },
  });
  const insertBody = prepare(store, newBodyLink, { kinds: { declaration: 'number' } });
  const close = prepare(store, endDeclaration, { kinds: { id: 'number', at: 'number' } });
  const mark = createUntold(store);
  return {
    *begin(source, { domain, file, declaration, findings, bodies, at }, contents) {
      const value = JSON.stringify(declaration.value);
      const findingsText = JSON.stringify(findings);
      const valueHash = hash('sha256', `${value}\n${findingsText}`);
      contents.values.set(valueHash, { value, findings: findingsText });
      const { via, url, contentHash, manager = null } = declaration;
      const { facts } = declaration;
      const agents = agentsAuthorised(facts);
      const properties = catalogueSize(facts.properties, domain);
      const said = { source, valueHash, via, manager, url, contentHash, agents, properties, at };
      const [id] = (yield* insert.insertEach([said])) as readonly [number];
      if (file === 'adagents') yield* mark('fileCounts', [id]); // the edge log tells of publishers
      yield* insertBody.runEach([...bodies].map((hash) => ({ declaration: id, hash })));
      return id;
    },
    *end(id, at, isLast) {
      yield* close.run({ id, at });
      if (isLast) yield* mark('fileGone', [id]);
    },
  };
}

/** Agents that are authorised now, for something that the publisher has. */
export function agentsAuthorised({ authorisations }: Pick<DeclaredFacts, 'authorisations'>): number {
  return new Set(authorisations.flatMap(({ agent, sellsNothing }) => (sellsNothing ? [] : [agent]))).size;
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

function newDeclaration(param: Param<NewRow>) {
  return sql
    .insertInto('declaration')
    .values({
      source: param('source'),
      value_hash: param('valueHash'),
      via: param('via'),
      manager: param('manager'),
      url: param('url'),
      content_hash: param('contentHash'),
      agents: param('agents'),
      properties: param('properties'),
      seen_from: param('at'),
    })
    .returning('id');
}

function newBodyLink(param: Param<{ declaration: number; hash: string }>) {
  return sql
    .insertInto('declaration_body')
    .values({ declaration: param('declaration'), hash: param('hash') });
}

interface Ended {
  readonly id: number;
  readonly at: number;
}

function endDeclaration(param: Param<Ended>) {
  return sql
    .updateTable('declaration')
    .set({ seen_until: param('at') })
    .where('id', '=', param('id'));
}

/**
 * What the edge log has still to tell. Each happens once to an entry or to a version of a file, so no mark meets another
 * one, and a visit waits for nobody to set it. What ended is told first.
 */
export const UNTOLD = { ended: 1, completed: 2, began: 3, fileGone: 4, fileCounts: 5 } as const;

type Mark = keyof typeof UNTOLD;
/** A row, by its `id` or as it was read. */
type Marked = number | { readonly id: number };

/** Marks entries (rows of `authorisation`) or versions of files (of `declaration`). Inside the caller's transaction. */
export function createUntold(store: SqlStore): (mark: Mark, those: readonly Marked[]) => SqlTask<void> {
  const insert = prepare(store, newMark, { kinds: { what: 'number', id: 'number' } });
  const idOf = (one: Marked) => (typeof one === 'number' ? one : one.id);
  return function* (mark, those) {
    yield* insert.runEach(those.map((one) => ({ what: UNTOLD[mark], id: idOf(one) })));
  };
}

function newMark(param: Param<{ what: number; id: number }>) {
  return sql.insertInto('untold').values({ what: param('what'), id: param('id') });
}
