/** Words as they are compared: case, and how letters are composed, do not matter. */
export function plainWords(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
