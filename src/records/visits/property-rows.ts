import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { PropertyIdentifier } from '../../domain/declaration.ts';
import type { ListedProperty } from '../../domain/declared-facts.ts';
import type { PropertyTable } from '../schema-crawl.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

type Row = Selectable<PropertyTable>;
type NewRow = Omit<Row, 'id'>;

interface Begun {
  readonly row: NewRow;
  readonly property: ListedProperty;
}

interface Name {
  readonly name: string;
  readonly publisher: string;
  readonly property: number;
}

/** PostgreSQL indexes no longer text: its bytes are at most 2,700, with the publisher. */
const MAX_NAME = 400;

/**
 * Makes a publisher's properties those of a new declaration: equal rows stay, so that a change costs no more than what
 * changed. They have no history: the declarations have it. `hadRows` false saves the read of what was there.
 */
type PropertyWriter = (
  publisher: string,
  properties: readonly ListedProperty[],
  hadRows: boolean,
) => SqlTask<void>;

/** Inside the caller's transaction. */
export function createPropertyWriter(store: SqlStore): PropertyWriter {
  const selectRows = prepare(store, rowsOfPublisher, {});
  const insert = prepare(store, newRow, {});
  const insertName = prepare(store, newName, { kinds: { property: 'number' } });
  const remove = prepare(store, goneRow, { kinds: { id: 'number' } });
  const removeName = prepare(store, goneName, { kinds: { property: 'number' } });
  function* begin(publisher: string, begun: readonly Begun[]): SqlTask<void> {
    const ids = yield* insert.insertEach(begun.map(({ row }) => row));
    const named = begun.flatMap(({ property }, at) => {
      const id = ids[at] as number;
      return namesOf(property).map((name) => ({ name, publisher, property: id }));
    });
    yield* insertName.runEach(named);
  }
  function* end(publisher: string, ended: readonly Row[]): SqlTask<void> {
    const named = ended.flatMap((row) =>
      namesOf(listedProperty(row)).map((name) => ({ name, publisher, property: row.id })),
    );
    yield* removeName.runEach(named);
    yield* remove.runEach(ended);
  }
  return function* (publisher, properties, hadRows) {
    const before = hadRows ? yield* selectRows.all({ publisher }) : [];
    const ended = new Map(before.map((row) => [identity(row), row]));
    const begun = new Map<string, Begun>();
    for (const property of properties) {
      const row = rowOf(publisher, property);
      const key = identity(row);
      if (!ended.delete(key)) begun.set(key, { row, property });
    }
    yield* begin(publisher, [...begun.values()]);
    yield* end(publisher, [...ended.values()]);
  };
}

/** By what an identifier is found. */
export function identifierName({ type, value }: PropertyIdentifier): string {
  const name = `${type}:${value}`;
  return name.length > MAX_NAME ? `sha256 ${hash('sha256', name)}` : name;
}

/** By what a property's id is found. */
export function idName(propertyId: string): string {
  return identifierName({ type: '#', value: propertyId });
}

export function listedProperty(row: Row): ListedProperty {
  return {
    propertyType: row.property_type,
    identifiers: JSON.parse(row.identifiers) as PropertyIdentifier[],
    tags: JSON.parse(row.tags) as string[],
    ...present({ entry: row.entry, propertyId: row.property_id, name: row.name }),
  };
}

function namesOf({ propertyId: id, identifiers }: ListedProperty): readonly string[] {
  const named = identifiers.map(identifierName);
  return [...new Set(id === undefined ? named : [idName(id), ...named])];
}

function rowOf(publisher: string, property: ListedProperty): NewRow {
  return {
    publisher,
    entry: property.entry ?? null,
    property_id: property.propertyId ?? null,
    property_type: property.propertyType,
    name: property.name ?? null,
    identifiers: JSON.stringify(property.identifiers),
    tags: JSON.stringify(property.tags),
  };
}

function identity(row: NewRow): string {
  const { entry, property_id, property_type, name, identifiers, tags } = row;
  return JSON.stringify([entry, property_id, property_type, name, identifiers, tags]);
}

function rowsOfPublisher(param: Param<{ publisher: string }>) {
  return sql.selectFrom('property').selectAll().where('publisher', '=', param('publisher')).orderBy('id');
}

function newRow(param: Param<NewRow>) {
  return sql
    .insertInto('property')
    .values({
      publisher: param('publisher'),
      entry: param('entry'),
      property_id: param('property_id'),
      property_type: param('property_type'),
      name: param('name'),
      identifiers: param('identifiers'),
      tags: param('tags'),
    })
    .returning('id');
}

function newName(param: Param<Name>) {
  return sql
    .insertInto('property_name')
    .values({ name: param('name'), publisher: param('publisher'), property: param('property') });
}

function goneRow(param: Param<{ id: number }>) {
  return sql.deleteFrom('property').where('id', '=', param('id'));
}

function goneName(param: Param<Name>) {
  return sql
    .deleteFrom('property_name')
    .where('name', '=', param('name'))
    .where('publisher', '=', param('publisher'))
    .where('property', '=', param('property'));
}
