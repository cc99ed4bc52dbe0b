/** The first lines of a page that is written by a program. */
export function pageHead(title: string, introduction: string): string {
  return `<!-- Written by \`npm run docs:reference\` from the code. A change here is lost. -->\n# ${title}\n\n${introduction}\n`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), ''].join('\n');
}

export function code(text: unknown): string {
  return `\`${String(text)}\``;
}

/** A text of the code as a sentence: it begins with a capital letter and ends with a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const end = /[.!?]$/.test(trimmed) ? '' : '.';
  return `${trimmed[0]?.toUpperCase()}${trimmed.slice(1)}${end}`;
}

/** The anchor of a heading on a code forge. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
