/**
 * Loaded before a command (`--import`): it kills its own process at a moment of its work with SQLite, as hard as the
 * machine would. FAULT_DIE_AT is a DeadlyMoment as JSON.
 */
import { kill, pid } from 'node:process';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import type { DeadlyMoment } from './deadly-moments.ts';

const { marks, when }: DeadlyMoment = JSON.parse(process.env.FAULT_DIE_AT ?? '{"marks":[],"when":"before"}');
const patterns = marks.map((mark) => new RegExp(mark));
let passed = 0;

/** Before a statement; it dies at the one that the last mark fits, or at the commit after it. */
function onStatement(sql: string): void {
  if (passed < patterns.length - 1 || when === 'before') {
    if (patterns[passed]?.test(sql) !== true) return;
    passed += 1;
    if (passed === patterns.length) die();
  } else if (patterns[passed]?.test(sql)) passed += 1;
}

/** After a statement. */
function onDone(sql: string): void {
  if (when === 'after commit' && passed === patterns.length && sql.toUpperCase() === 'COMMIT') die();
}

function die(): void {
  kill(pid, 'SIGKILL');
}

for (const method of ['run', 'get', 'all'] as const) {
  const original = StatementSync.prototype[method] as (...values: unknown[]) => unknown;
  StatementSync.prototype[method] = function (this: StatementSync, ...values: unknown[]): never {
    const sql = this.sourceSQL;
    onStatement(sql);
    const result = original.apply(this, values);
    onDone(sql);
    return result as never;
  };
}

const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (sql) {
  onStatement(sql);
  exec.call(this, sql);
};
