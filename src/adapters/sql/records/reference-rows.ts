import type { FileKind } from '../../../domain/declaration.ts';
import type { Reference } from '../../../domain/declared-facts.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';

interface OwnedReference extends Reference {
  readonly declarer: string;
  readonly file: FileKind;
}

interface HouseOperator {
  readonly house: string;
  readonly operator: string;
}

/** The rows of a declaration that have no history: what it refers to, and whom it lets speak. */
export interface ReferenceWriter {
  references(declarer: string, file: FileKind, references: readonly Reference[], hadRows: boolean): void;
  /** Returns whether the house's operators are others than before. */
  operators(house: string, operators: readonly string[], hadRows: boolean): boolean;
}

/** Inside the caller's transaction. */
export function createReferenceWriter(database: SqliteDatabase): ReferenceWriter {
  const selectReferences = prepare(database, referencesOf);
  const insertReference = prepare(database, newReference);
  const deleteReference = prepare(database, goneReference);
  const selectOperators = prepare(database, operatorsOf);
  const insertOperator = prepare(database, newOperator);
  const deleteOperator = prepare(database, goneOperator);
  return {
    references(declarer, file, references, hadRows) {
      const before = hadRows ? selectReferences.all({ declarer, file }) : [];
      const gone = new Map(before.map((row) => [`${row.reason} ${row.domain}`, row]));
      for (const { domain, reason } of references) {
        if (!gone.delete(`${reason} ${domain}`)) insertReference.run({ declarer, file, domain, reason });
      }
      for (const row of gone.values()) deleteReference.run(row);
    },
    operators(house, operators, hadRows) {
      const gone = new Set(hadRows ? selectOperators.all({ house }).map((row) => row.operator) : []);
      let added = 0;
      for (const operator of operators)
        if (!gone.delete(operator)) added += insertOperator.run({ house, operator });
      for (const operator of gone) deleteOperator.run({ house, operator });
      return added > 0 || gone.size > 0;
    },
  };
}

function referencesOf(place: Place<{ declarer: string; file: FileKind }>) {
  return sql
    .selectFrom('reference_to')
    .selectAll()
    .where('declarer', '=', place('declarer'))
    .where('file', '=', place('file'));
}

function newReference(place: Place<OwnedReference>) {
  return sql
    .insertInto('reference_to')
    .values({
      declarer: place('declarer'),
      file: place('file'),
      domain: place('domain'),
      reason: place('reason'),
    })
    .onConflict((known) => known.columns(['declarer', 'file', 'domain', 'reason']).doNothing());
}

function goneReference(place: Place<OwnedReference>) {
  return sql
    .deleteFrom('reference_to')
    .where('declarer', '=', place('declarer'))
    .where('file', '=', place('file'))
    .where('domain', '=', place('domain'))
    .where('reason', '=', place('reason'));
}

function operatorsOf(place: Place<{ house: string }>) {
  return sql.selectFrom('operator').select('operator').where('house', '=', place('house'));
}

function newOperator(place: Place<HouseOperator>) {
  return sql
    .insertInto('operator')
    .values({ house: place('house'), operator: place('operator') })
    .onConflict((known) => known.columns(['house', 'operator']).doNothing());
}

function goneOperator(place: Place<HouseOperator>) {
  return sql
    .deleteFrom('operator')
    .where('house', '=', place('house'))
    .where('operator', '=', place('operator'));
}
