import { checkSync, type Diagnostics } from 'recheck';
import type { FoundRegex } from './collect.ts';
import { EXCEPTIONS } from './exceptions.ts';

/** What is wrong with an expression: where it stands, how slow it gets, and for which text. */
export interface SlowRegex {
  readonly what: string;
  readonly places: readonly string[];
  readonly why: string;
}

/**
 * Milliseconds for one expression: most take a few, and the longest a second. What takes this long on an idle machine
 * has too many states. It is long for a busy one, where a minute was not enough for that second.
 */
const TIMEOUT = 300_000;

/**
 * Those of the expressions that are not proven to be linear and are no exception, and the exceptions that nothing needs
 * any more. The proof is that of an automaton; what recheck only tried and found no attack for is not enough.
 */
export function slowRegexes(
  found: readonly FoundRegex[],
  exceptions: typeof EXCEPTIONS = EXCEPTIONS,
): readonly SlowRegex[] {
  const places = Map.groupBy(found, ({ literal, made }) => literal ?? made ?? '');
  const excepted = new Set(exceptions.map(([what]) => String(what)));
  const slow = [...places].flatMap(([what, all]) => {
    if (excepted.has(what)) return [];
    const why = all[0]?.literal === undefined ? 'it is made of a text that is not known here' : faultOf(what);
    return why === undefined ? [] : [{ what, places: all.map(({ place }) => place), why }];
  });
  const unneeded = [...excepted].filter((what) => !places.has(what));
  return [...slow, ...unneeded.map((what) => ({ what, places: [], why: 'the exception is not needed' }))];
}

function faultOf(literal: string): string | undefined {
  const end = literal.lastIndexOf('/');
  const checked = checkSync(literal.slice(1, end), literal.slice(end + 1), {
    checker: 'automaton',
    timeout: TIMEOUT,
  });
  return checked.status === 'safe' ? undefined : sentence(checked);
}

function sentence(checked: Diagnostics): string {
  if (checked.status === 'vulnerable')
    return `it is ${checked.complexity.summary}, for ${checked.attack.pattern.slice(0, 200)} for example`;
  return `it cannot be proven to be linear: ${checked.status === 'unknown' ? checked.error.kind : ''}`;
}
