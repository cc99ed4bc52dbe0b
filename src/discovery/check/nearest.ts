import { distance } from 'fastest-levenshtein';

/** Longer names are compared with nothing: a file may name anything. */
const MAX_LENGTH = 64;

/** The known name that a name was probably meant to be; undefined when none is near. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  let nearest: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    if (isSameWord(name, candidate)) return candidate;
    if (candidate.length > MAX_LENGTH || Math.abs(candidate.length - name.length) > 3) continue;
    const apart = distance(name.toLowerCase(), candidate.toLowerCase());
    if (apart < least && apart <= Math.min(3, Math.floor(Math.min(name.length, candidate.length) / 3)))
      [nearest, least] = [candidate, apart];
  }
  return nearest;
}

/** The same word in another notation: `authorisedAgents` is `authorized_agents`. */
export function isSameWord(a: string, b: string): boolean {
  return a.length <= MAX_LENGTH && b.length <= MAX_LENGTH && plain(a) === plain(b);
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_-]/g, '')
    .replace(/is(?=e|ation|ing)/g, 'iz');
}
