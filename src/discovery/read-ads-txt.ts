import { parseDomain } from '../domain/domain-name.ts';

const MANAGER_LINE = /^\s*managerdomain\s*=\s*([^\s,;#]+)\s*(?:[,;][^#]*)?(#.*)?$/i;

/**
 * The manager that an ads.txt names: the last `MANAGERDOMAIN=` line with a domain name (IAB ads.txt 1.1), a
 * country after a comma tolerated. A line that ends in the comment `#noagents` is passed over, and a line that
 * is itself a comment says nothing.
 */
export function readAdsTxt(text: string): { readonly manager?: string } {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  for (const line of lines.reverse()) {
    const [, value, comment] = MANAGER_LINE.exec(line.slice(0, 1_000)) ?? [];
    if (value === undefined || /^#\s*noagents\b/i.test(comment ?? '')) continue;
    const parsed = parseDomain(value);
    if (parsed.ok) return { manager: parsed.domain };
  }
  return {};
}
