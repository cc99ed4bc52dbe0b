/**
 * A text as one word of a POSIX shell, for commands that people copy: the address of an agent may hold `;`, `&` and `$(…)`,
 * and is chosen by a stranger.
 */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
