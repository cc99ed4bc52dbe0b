import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { PropertyIdentifier } from '../../domain/declaration.ts';
import type { ListedProperty } from '../../domain/declared-facts.ts';
import { type Db, insertInChunks, listOf } from '../database.ts';
import { ascending } from '../locks.ts';
import type { PropertyTable } from '../tables.ts';
import { changesBetween } from './visit-changes.ts';

type Row = Selectable<PropertyTable>;
type NewRow = Omit<Row, 'id'>;

/** PostgreSQL indexes no longer text: its bytes are at most 2,700, with the publisher. */
const MAX_NAME = 400;

/**
 * Makes a publisher's properties those of a new declaration: equal rows stay, so a change costs no more than what changed.
 * They have no history, which the declarations keep.
 */
export async function writeProperties(
  db: Db,
  publisher: string,
  properties: readonly ListedProperty[],
  hadRows: boolean,
): Promise<void> {
  const live = hadRows ? await propertiesOf(db, publisher) : [];
  const rows = properties.map((property) => rowOf(publisher, property));
  const { begun, ended } = changesBetween<Row, NewRow>(live, rows, identity);
  await insertInChunks(begun, (some) => insertProperties(db, publisher, some));
  await deleteProperties(db, publisher, ended);
}

function propertiesOf(db: Db, publisher: string): Promise<Row[]> {
  return db.selectFrom('property').selectAll().where('publisher', '=', publisher).orderBy('id').execute();
}

async function insertProperties(db: Db, publisher: string, rows: readonly NewRow[]): Promise<void> {
  const inserted = await db.insertInto('property').values(rows).returning('id').execute();
  // rows are numbered in the order of the values, but may be returned in another one
  const ids = inserted.map(({ id }) => id).sort(ascending);
  const names = rows.flatMap((row, at) =>
    namesOf(listedProperty(row)).map((name) => ({ name, publisher, property: ids[at] as number })),
  );
  await insertInChunks(names, (some) => db.insertInto('property_name').values(some).execute());
}

async function deleteProperties(db: Db, publisher: string, ended: readonly Row[]): Promise<void> {
  if (ended.length === 0) return;
  await insertInChunks(ended, (some) => {
    const ids = some.map(({ id }) => id);
    return db.deleteFrom('property').where('id', 'in', ids).execute();
  });
  const names = new Set(ended.flatMap((row) => namesOf(listedProperty(row))));
  await db
    .deleteFrom('property_name')
    .where('name', 'in', listOf(db, [...names]))
    .where('publisher', '=', publisher)
    .where('property', 'not in', (row) =>
      row.selectFrom('property').select('id').where('publisher', '=', publisher),
    )
    .execute();
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

export function listedProperty(row: Omit<NewRow, 'publisher'>): ListedProperty {
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
