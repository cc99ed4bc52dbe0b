import type { MovedTable, MovePlan } from '../../ports/store-move.ts';
import { counted, duration, printJson, printLine, table } from './print.ts';

/** What has to be done by hand once the records are in PostgreSQL. */
const AFTERWARDS = [
  'the SQLite file stays as it is: set REGISTRY_STORE to the new address everywhere before anything runs again',
  'an OpenSearch index of these records stays valid; the index inside the SQLite file is not copied: set REGISTRY_INDEX to an OpenSearch, then "registry index rebuild --yes"',
];

/** Prints what a move would do; the JSON follows schemas/cli/migrate.json. */
export function printMovePlan(plan: MovePlan, json: boolean): void {
  const sentences = planSentences(plan);
  if (json) {
    const { source, target, tables, refusal } = plan;
    const rows = tables.map(({ name, rows, targetRows, copied }) => ({
      name,
      rows,
      target_rows: targetRows,
      copied,
    }));
    const why = refusal === undefined ? {} : { refusal };
    printJson({ done: false, source, target, tables: rows, plan: sentences, ...why });
    return;
  }
  printLine(table([['table', 'rows', 'in the target'], ...plan.tables.map(planRow)]));
  for (const sentence of sentences) printLine(sentence);
  printLine(plan.refusal === undefined ? 'nothing was done; say --yes to do it' : 'nothing was done');
}

function planRow({ name, rows, targetRows, copied }: MovePlan['tables'][number]): string[] {
  return [name, copied ? String(rows) : 'not copied', String(targetRows)];
}

function planSentences({ source, target, schema, tables, refusal }: MovePlan): string[] {
  if (refusal !== undefined) return [`nothing can be copied: ${refusal}`];
  const rows = tables.reduce((sum, { rows: some }) => sum + some, 0);
  return [
    `would copy ${counted(rows, 'row')} from ${source.place} to ${target.place} in one transaction: all of them or none`,
    'nobody can write to the source meanwhile; leases end and turns are left behind, so stop all crawls, workers and servers first',
    ...(source.schema < schema
      ? [`the source has schema ${source.schema} and keeps it; the target will have schema ${schema}`]
      : []),
    ...AFTERWARDS,
  ];
}

/** Prints what was moved; the JSON follows schemas/cli/migrate.json. */
export function printMoved(
  moved: { readonly tables: readonly MovedTable[]; readonly place: string; readonly durationMs: number },
  json: boolean,
): void {
  const { tables, place, durationMs } = moved;
  if (json) {
    printJson({ done: true, target: place, tables, duration_ms: Math.round(durationMs) });
    return;
  }
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  printLine(
    `${counted(rows, 'row')} of ${counted(tables.length, 'table')} are in ${place}, counted on both sides`,
  );
  printLine(`it took ${duration(durationMs)}`);
  for (const sentence of AFTERWARDS) printLine(sentence);
}
