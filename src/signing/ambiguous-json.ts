import { closingQuote } from './structured-fields.ts';

/**
 * Why two readers could read a JSON body differently: it is no UTF-8, or an object has a name twice (RFC 8259,
 * section 4). The signature then holds, and each reader still sees a message of its own. What is no JSON at all is
 * left to whoever reads the body.
 */
export function ambiguityOf(body: Uint8Array): string | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return 'the body is not valid UTF-8';
  }
  return isJson(text) ? duplicateName(text) : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** For a text that is JSON. Names are compared as they are read, so that escapes do not hide one. */
function duplicateName(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = '""';
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place];
    if (character === '"') {
      const end = closingQuote(text, place);
      last = text.slice(place, end + 1);
      place = end;
    } else if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    else if (character === ':' && !isNew(open.at(-1), last))
      return `duplicate field ${last.slice(0, 32)} in an object of the body`;
  }
  return undefined;
}

function isNew(names: Set<string> | undefined, quoted: string): boolean {
  const name = JSON.parse(quoted) as string;
  if (names?.has(name)) return false;
  names?.add(name);
  return true;
}
