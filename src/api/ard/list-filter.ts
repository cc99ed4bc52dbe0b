import { invalidValue } from '../problem.ts';
import { type ArdQuery, readQuery } from './query-model.ts';

/** `field = 'value'`, or `field = 'a,b'` for either; the field is a path of the query model. */
const CONDITION = /^([\w.]+) ?= ?(?:'([^']*)'|"([^"]*)")$/;
const MAX_LENGTH = 2_000;

/** Reads the filter of a list (ARD v0.91, Appendix A): conditions joined by AND. Throws for any other expression. */
export function readListFilter(text: string | undefined): ArdQuery {
  if (text === undefined) return readQuery({}, false);
  if (text.length > MAX_LENGTH) throw invalidValue('filter', `use at most ${MAX_LENGTH} characters`);
  const filter = new Map<string, readonly string[]>();
  for (const part of text.split(/\sAND\s/i)) {
    const [, named, single, double] = CONDITION.exec(part.trim()) ?? [];
    const field = named === 'publisherId' ? 'publisher' : named; // Appendix A has its own name for it
    const value = single ?? double;
    if (field === undefined || value === undefined || filter.has(field))
      throw invalidValue(
        'filter',
        "use conditions such as type = 'application/a2a-agent-card+json', joined by AND",
      );
    filter.set(
      field,
      value.split(',').map((one) => one.trim()),
    );
  }
  return readQuery({ filter: Object.fromEntries(filter) }, false);
}
