import { distance } from 'fastest-levenshtein';

/** Longer names are compared with nothing: a file may name anything. */
const MAX_LENGTH = 64;

/**
 * Which of some spellings is the fewest letters away from a text, the first of several; each comes with the name that it
 * is of. `mostOf` says how many letters may differ.
 */
export function nearestOf(
  text: string,
  spellings: Iterable<readonly [name: string, spelt: string]>,
  mostOf: (spelt: string) => number,
): string | undefined {
  let nearest: string | undefined;
  let least = Infinity;
  for (const [name, spelt] of spellings) {
    const most = Math.min(mostOf(spelt), least - 1);
    if (Math.abs(spelt.length - text.length) > most) continue;
    const apart = isSwapped(text, spelt) ? 1 : distance(text, spelt);
    if (apart <= most) [nearest, least] = [name, apart];
  }
  return nearest;
}

/** Whether two letters beside each other changed places, which is one slip of the fingers. */
function isSwapped(text: string, spelt: string): boolean {
  if (text.length !== spelt.length) return false;
  let at = 0;
  while (at < text.length && text[at] === spelt[at]) at += 1;
  return (
    at + 1 < text.length &&
    text[at] === spelt[at + 1] &&
    text[at + 1] === spelt[at] &&
    text.slice(at + 2) === spelt.slice(at + 2)
  );
}

/** The known name that a name was probably meant to be: a guess for its author; undefined when none is near. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const spellings: (readonly [string, string])[] = [];
  for (const candidate of known) {
    if (isSameWord(name, candidate)) return candidate;
    if (candidate.length <= MAX_LENGTH) spellings.push([candidate, candidate.toLowerCase()]);
  }
  const text = name.toLowerCase();
  const [plural] = spellings.find(([, spelt]) => singular(spelt) === singular(text)) ?? [];
  if (plural !== undefined) return plural;
  return nearestOf(text, spellings, (spelt) =>
    Math.min(3, Math.floor(Math.min(text.length, spelt.length) / 3)),
  );
}

/** A sentence about a name that is unknown, with the known one that it was probably meant to be. */
export function withNearest(sentence: string, name: string, known: Iterable<string>): string {
  const near = nearestName(name, known);
  return near === undefined ? sentence : `${sentence}; the nearest is ${near}`;
}

/** The same word in another notation: `authorisedAgents` is `authorized_agents`. */
export function isSameWord(a: string, b: string): boolean {
  return a.length <= MAX_LENGTH && b.length <= MAX_LENGTH && plain(a) === plain(b);
}

function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/s$/, '');
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_-]/g, '')
    .replace(/is(?=e|ation|ing)/g, 'iz');
}
