import { MIGRATIONS } from '../migrations/migrations.ts';
import { openDatabase } from '../sqlite/database.ts';

/** One column; the types are those of PostgreSQL. */
export interface Column {
  readonly name: string;
  readonly type: 'bigint' | 'text' | 'bytea';
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The column whose numbers the engine gives. */
  readonly identity?: string;
}

/** What is not taken over as it stands: leases and turns belong to processes that know the old store only. */
const FREED: Readonly<Record<string, Readonly<Record<string, '0' | 'NULL'>>>> = {
  source: { lease_until: '0' },
  run_schedule: { lease_until: '0', lease_holder: 'NULL' },
  named_lease: { until: '0' },
};
const LEFT_BEHIND: ReadonlySet<string> = new Set(['domain_turn']);
/** What a program writes into an empty store by opening it; a target with nothing else in it is empty. */
export const NO_RECORDS: ReadonlySet<string> = new Set(['meta', 'named_lease', 'domain_turn']);

const TYPES: Readonly<Record<string, Column['type']>> = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea' };

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

/** The tables of a schema in the order in which they are created, so that no row comes before one that it refers to. */
export function tablesOfSchema(schema: number): readonly Table[] {
  const model = openDatabase(':memory:');
  try {
    for (const migration of MIGRATIONS.slice(0, schema)) model.exec(migration);
    const created = model
      .statement(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid",
      )
      .all() as unknown as readonly { name: string }[];
    return created.map(({ name }) => {
      const found = model
        .statement(`PRAGMA table_info(${quotedName(name)})`)
        .all() as unknown as ColumnInfo[];
      return tableOf(name, found);
    });
  } finally {
    model.close();
  }
}

/** Whether the rows of this table are copied. */
export function isCopied({ name }: Table): boolean {
  return !LEFT_BEHIND.has(name);
}

/** Reads all rows of a table from the source. */
export function selectText({ name, columns }: Table): string {
  const wanted = columns.map((column) => FREED[name]?.[column.name] ?? quotedName(column.name));
  return `SELECT ${wanted.join(', ')} FROM ${quotedName(name)}`;
}

export function countText({ name }: Pick<Table, 'name'>): string {
  return `SELECT count(*) AS rows FROM ${quotedName(name)}`;
}

export function quotedName(name: string): string {
  return `"${name}"`;
}

function tableOf(name: string, found: readonly ColumnInfo[]): Table {
  const [key, another] = found.filter(({ pk }) => pk > 0);
  const isNumbered = key?.type === 'INTEGER' && another === undefined;
  return { name, columns: found.map(columnOf), ...(isNumbered && { identity: key.name }) };
}

function columnOf({ name, type }: ColumnInfo): Column {
  const own = TYPES[type];
  if (own === undefined) throw new Error(`the type ${type} of column ${name} has none in PostgreSQL`);
  return { name, type: own };
}
