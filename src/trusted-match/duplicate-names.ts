const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * Whether an object of a JSON text has a name twice (RFC 8259, section 4): a reader keeps one of the two, and what
 * the other carried has crossed all the same. `value` is what the text was read as; only texts that were are asked.
 */
export function hasDuplicateName(text: string, value: unknown): boolean {
  return colonsOf(text) !== membersOf(value);
}

/** Outside strings a colon stands after each name, and nowhere else. */
function colonsOf(text: string): number {
  let colons = 0;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code === QUOTE) place = endOfString(text, place);
    else if (code === COLON) colons += 1;
  }
  return colons;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, place: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(place - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** With a list of its own and not by recursion: a body may be nested as deep as it is long. */
function membersOf(value: unknown): number {
  let members = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const items: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next)) members += items.length;
    for (const item of items) if (typeof item === 'object') open.push(item);
  }
  return members;
}
