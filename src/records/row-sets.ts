import {
  createQueryId,
  FromNode,
  type InsertQueryNode,
  OnConflictNode,
  type OperationNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  RawNode,
  ReturningNode,
  type RootOperationNode,
  SelectQueryNode,
  UsingNode,
  type ValueListNode,
  type ValueNode,
  type ValuesNode,
} from 'kysely';

/** Where the value of a name is bound. */
export class Slot {
  readonly name: string;
  readonly isList: boolean;
  constructor(name: string, isList: boolean) {
    this.name = name;
    this.isList = isList;
  }
}

export type Values = Readonly<Record<string, unknown>>;
type Name<Input> = keyof Input & string;

/** The names of values of one kind, which may be missing, each with the word for it. */
type OfKind<Input, Kind, Word> = {
  readonly [Key in Name<Input> as Exclude<Input[Key], null | undefined> extends Kind ? Key : never]: Word;
};

/** The values that are not texts: every one of them, or PostgreSQL takes a number for a text. */
type Kinds<Input> = OfKind<Input, number, 'number'> & OfKind<Input, Uint8Array, 'bytes'>;

/** What has to be known of the values of a statement before many of its kind become one. */
export type SetShape<Input> = {
  /** Two that agree in all of these may change one row, so they are not made one; absent: no two ever do. */
  readonly apart?: readonly Name<Input>[];
} & (keyof Kinds<Input> extends never ? { readonly kinds?: undefined } : { readonly kinds: Kinds<Input> });

/**
 * One statement of PostgreSQL's that does what many of one text would: their values are the rows of the table `given`.
 * The server then pays for the statement once. SQLite pays less for a prepared statement than for a list of its values.
 */
export interface RowSet {
  readonly text: string;
  readonly names: readonly string[];
  readonly apart: readonly string[];
  /** Its rows, each list those that came of one of the statements. */
  share(rows: readonly Values[], inputs: readonly Values[]): readonly (readonly Values[])[];
}

/** A place in the text; the values are all known only at its end. */
const GIVEN = '\u0001given\u0001';
const ORDER = '"given"."ord"';
const ORDER_RETURNED = RawNode.createWithSql(`${ORDER} as "set_ord"`);

const TYPES = { text: 'text', number: 'bigint', bytes: 'bytea' } as const;

/** Compiles a query of one input for many. `param.list` is not for such queries. */
export function rowSetOf<Input>(query: RootOperationNode, { kinds, apart = [] }: SetShape<Input>): RowSet {
  const compiler = new SetCompiler();
  const conflict = conflictOf(query);
  const { sql } = compiler.compileQuery(withReturned(query, conflict), createQueryId());
  const types = new Map(Object.entries<keyof typeof TYPES>(kinds ?? {}));
  const arrays = compiler.names.map((name, at) => `$${at + 1}::${TYPES[types.get(name) ?? 'text']}[]`);
  const columns = compiler.names.map((_, at) => `"p${at}"`);
  const given = `unnest(${arrays.join(', ')}) with ordinality as "given"(${[...columns, '"ord"'].join(', ')})`;
  const text = SelectQueryNode.is(query)
    ? `select "found".*, ${ORDER} as "set_ord" from ${given} cross join lateral (${sql}) as "found" order by ${ORDER}`
    : sql.replace(GIVEN, () => given); // its $1 is no pattern
  const isInsert = query.kind === 'InsertQueryNode';
  const keys = conflict?.map(({ name }) => name);
  const share = keys !== undefined ? sharedByKey(keys) : isInsert ? sharedInOrder : sharedByPlace;
  return { text, names: compiler.names, apart: keys ?? apart, share };
}

interface ConflictColumn {
  readonly column: string;
  /** The value that it is given. */
  readonly name: string;
}

/** By what the rows of an insert that may meet known ones are told apart. */
function conflictOf(query: RootOperationNode): readonly ConflictColumn[] | undefined {
  if (query.kind !== 'InsertQueryNode') return undefined;
  const { onConflict, columns = [], values } = query as InsertQueryNode;
  if (onConflict === undefined || !OnConflictNode.is(onConflict)) return undefined;
  const given = valuesOf(values as ValuesNode);
  return (onConflict.columns ?? []).flatMap(({ column }) => {
    const slot = given[columns.findIndex((one) => one.column.name === column.name)];
    return slot instanceof Slot ? [{ column: column.name, name: slot.name }] : [];
  });
}

function valuesOf(values: ValuesNode): readonly unknown[] {
  const [row] = values.values;
  if (row === undefined) return [];
  if (PrimitiveValueListNode.is(row)) return row.values;
  return (row as ValueListNode).values.map((node) => ('value' in node ? (node as ValueNode).value : node));
}

/** What is changed says of which input it is. A select is put behind each row of `given` afterwards. */
function withReturned(
  query: RootOperationNode,
  conflict: readonly ConflictColumn[] | undefined,
): RootOperationNode {
  const given = RawNode.createWithSql(GIVEN);
  const returned = (...more: OperationNode[]): ReturningNode => {
    const selections = 'returning' in query ? (query.returning?.selections ?? []) : [];
    return { ...ReturningNode.create([]), selections: [...selections, ...more] as never };
  };
  if (query.kind === 'UpdateQueryNode')
    return { ...query, from: FromNode.create([given]), returning: returned(ORDER_RETURNED) };
  if (query.kind === 'DeleteQueryNode')
    return { ...query, using: UsingNode.create([given]), returning: returned(ORDER_RETURNED) };
  if (query.kind !== 'InsertQueryNode' || conflict === undefined) return query;
  const keys = conflict.map(({ column }, at) => RawNode.createWithSql(`"${column}" as "key_${at}"`));
  return { ...query, returning: returned(...keys) };
}

class SetCompiler extends PostgresQueryCompiler {
  readonly names: string[] = [];

  protected override visitValue({ value }: ValueNode): void {
    this.appendValue(value);
  }

  protected override appendValue(value: unknown): void {
    if (!(value instanceof Slot)) {
      this.appendImmediateValue(value);
      return;
    }
    if (!this.names.includes(value.name)) this.names.push(value.name);
    this.append(`"given"."p${this.names.indexOf(value.name)}"`);
  }

  protected override visitValues({ values: [row] }: ValuesNode): void {
    this.append('select ');
    const values = (row as PrimitiveValueListNode | ValueListNode).values as readonly unknown[];
    for (const [at, value] of values.entries()) {
      if (at > 0) this.append(', ');
      if (row !== undefined && PrimitiveValueListNode.is(row)) this.appendValue(value);
      else this.visitNode(value as OperationNode);
    }
    this.append(` from ${GIVEN} order by ${ORDER}`);
  }
}

/** The rows of an update, a delete and a select name their input. */
function sharedByPlace(rows: readonly Values[], inputs: readonly Values[]): readonly (readonly Values[])[] {
  const shares: Values[][] = inputs.map(() => []);
  for (const { set_ord: place, ...row } of rows) shares[Number(place) - 1]?.push(row);
  return shares;
}

/** A row of a plain insert has its number in the order of the inputs; nothing says that it is returned in it. */
function sharedInOrder(rows: readonly Values[], inputs: readonly Values[]): readonly (readonly Values[])[] {
  if (rows.length === 0) return inputs.map(() => [{}]);
  return rows.toSorted((a, b) => Number(a.id) - Number(b.id)).map((row) => [row]);
}

/** A row of an insert that may meet known ones has its values by which they are told apart. */
function sharedByKey(names: readonly string[]): RowSet['share'] {
  return (rows, inputs) => {
    const byKey = new Map<string, Values>();
    for (const returned of rows) {
      const row = { ...returned };
      const keys = names.map((_, at) => row[`key_${at}`]);
      for (const at of names.keys()) delete row[`key_${at}`];
      byKey.set(JSON.stringify(keys), row);
    }
    return inputs.map((input) => {
      const row = byKey.get(apartBy(names, input));
      return row === undefined ? [] : [row];
    });
  };
}

/** The same for inputs that agree in these names. */
export function apartBy(names: readonly string[], input: Values): string {
  return JSON.stringify(names.map((name) => input[name]));
}
