import { apartBy, type RowSet, type Values } from '../row-sets.ts';
import type { Statement } from '../sql-tasks.ts';
import { storable } from '../statements.ts';

/** Runs one statement. */
type Execute = (statement: Statement) => Promise<unknown>;

/**
 * Runs statements that do not depend on each other: those of one text as one. When one fails no other begins, and the
 * error is thrown when the last one under way has ended: what would still be sent after a rollback would be a
 * transaction of its own.
 */
export async function executeTogether(
  statements: readonly Statement[],
  execute: Execute,
): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  const errors: unknown[] = [];
  const waiting = partsOf(statements).values();
  const runWaiting = async (): Promise<void> => {
    for (const part of waiting) {
      if (errors.length > 0) return;
      const [place] = part;
      if (part.length === 1) {
        results[place] = await execute(statements[place] as Statement);
        continue;
      }
      const { statement, answers } = joined(part.map((one) => statements[one] as Statement));
      const answered = answers((await execute(statement)) as readonly Values[]);
      for (const [at, one] of part.entries()) results[one] = answered[at];
    }
  };
  const workers = Array.from({ length: Math.min(MAX_CONCURRENT, statements.length) }, () =>
    runWaiting().catch((error: unknown) => void errors.push(error)),
  );
  await Promise.all(workers);
  if (errors.length > 0) throw errors[0];
  return results;
}

/** So many statements are under way at once: the time that a statement may take runs while it waits for those before it. */
const MAX_CONCURRENT = 256;

/** So many rows at most, and so much text, that the other end is not silent for long. */
const MAX_ROWS = 1_000;
const MAX_CHARACTERS = 1 << 20;

/** Statements that run as one, by their places. */
type Part = readonly [number, ...number[]];

interface OpenPart {
  readonly places: [number, ...number[]];
  /** What tells those in it apart. */
  readonly keys: Set<string>;
  characters: number;
}

/**
 * Which of these statements become one: those of one text, in their order. They do not depend on each other, so those of
 * another text may come before.
 */
function partsOf(statements: readonly Statement[]): readonly Part[] {
  const parts: Part[] = [];
  const open = new Map<RowSet, OpenPart>();
  for (const [place, { set, values }] of statements.entries()) {
    if (set === undefined) {
      parts.push([place]);
      continue;
    }
    const { form, input } = set;
    const key = form.apart.length === 0 ? String(place) : apartBy(form.apart, keptValues(form.apart, input));
    const characters = values.reduce<number>((sum, one) => sum + lengthOf(one), 0);
    const part = open.get(form);
    if (part !== undefined && hasRoom(part, key, characters)) {
      part.places.push(place);
      part.keys.add(key);
      part.characters += characters;
    } else {
      const begun: OpenPart = { places: [place], keys: new Set([key]), characters };
      parts.push(begun.places);
      open.set(form, begun);
    }
  }
  return parts;
}

function hasRoom(part: OpenPart, key: string, characters: number): boolean {
  const { places, keys, characters: held } = part;
  return places.length < MAX_ROWS && held + characters <= MAX_CHARACTERS && !keys.has(key);
}

function lengthOf(value: unknown): number {
  if (value instanceof Uint8Array) return 2 * value.byteLength; // in hexadecimal
  return typeof value === 'string' ? value.length : 0;
}

/** The one statement of many, and what each of them is answered. */
function joined(statements: readonly Statement[]): {
  readonly statement: Statement;
  answers(rows: readonly Values[]): readonly unknown[];
} {
  const { form } = (statements[0] as Statement).set as NonNullable<Statement['set']>;
  const inputs = statements.map(({ set }) => keptValues(form.names, set?.input ?? {}));
  const values = form.names.map((name) => inputs.map((input) => input[name]));
  return {
    statement: { text: form.text, values, wants: 'rows' },
    answers: (rows) =>
      form.share(rows, inputs).map((share, at) => {
        const { wants } = statements[at] as Statement;
        if (wants === 'id') return share[0]?.id;
        return wants === 'count' ? share.length : wants === 'row' ? share[0] : share;
      }),
  };
}

/** As the server keeps them, so that two that become one text there are known to: it has neither NUL nor half a character. */
function keptValues(names: readonly string[], input: Values): Values {
  const kept = (value: unknown) => {
    const stored = storable(value);
    return typeof stored === 'string' ? stored.toWellFormed() : stored;
  };
  return Object.fromEntries(names.map((name) => [name, kept(input[name])]));
}
