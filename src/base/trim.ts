/** The text without these characters at its end. In one step for each, which `/[…]+$/` is not where they stand inside. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
