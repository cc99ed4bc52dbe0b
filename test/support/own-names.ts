/** Names of what JavaScript calls, or finds, by itself. */
const NAMES = ['toString', 'valueOf', 'toJSON', 'constructor', 'hasOwnProperty', 'length', 'then'];

/** An object of a stranger that cannot be made a text or a number of: `String()` and templates throw for it. */
const CALLED = Object.fromEntries(NAMES.map((name) => [name, 1]));
/** The same for whoever takes it: our own parser of bodies refuses the whole. */
const WITH_PROTOTYPE = JSON.parse('{"__proto__":1,"toString":1}') as object;

/** What a stranger puts where a text, a number or a name of a table is meant. */
export const OWN_NAMES: readonly unknown[] = [CALLED, [CALLED], WITH_PROTOTYPE, 'constructor', '__proto__'];

/** The value many times over: in each, another place of it holds `put`. */
export function* withEachPlace(value: unknown, put: unknown): Generator<unknown> {
  yield put;
  if (Array.isArray(value))
    for (const [at, item] of value.entries())
      for (const inside of withEachPlace(item, put)) yield value.with(at, inside);
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value))
      for (const inside of withEachPlace(item, put)) yield { ...value, [name]: inside };
}
