import { parseDomain } from '../domain/domain-name.ts';

const MANAGER_LINE = /^\s*managerdomain\s*=\s*([^\s,;#]+)\s*((?:[,;#].*)?)$/is;
const OPT_OUT = /\bnoagents\b/i;
/** Tags of pages; a placeholder such as `<pub-id>` is none. */
const PAGE_TAG =
  /<(?:!doctype|!--|\?xml|\/?(?:html|head|body|title|meta|link|script|style|div|span|p|h[1-6]|br|hr|table|a|pre|center|main|section|header|footer|nav|iframe|form|ul|img|noscript)(?=[\s/>]))/i;

/** What an ads.txt says of its manager. */
export type AdsTxt =
  /** `refused`: managers whose lines have the opt-out. */
  | { readonly manager: string; readonly refused: ReadonlySet<string> }
  /** `page`: it is HTML and no ads.txt; `opted_out`: each line that names a manager refuses agents; `none`: no line does. */
  | { readonly without: 'page' | 'opted_out' | 'none' };

/**
 * The manager that an ads.txt names: the last `MANAGERDOMAIN=` line with a domain name (IAB ads.txt 1.1), a country after a
 * comma tolerated. A comment line says nothing. The token `noagents` anywhere behind the value, in any case, takes the line
 * out (adagents.json, "ads.txt fallback"), and with it every other line that names the same manager. A page is judged by its
 * content: a site that answers unknown paths with one has no ads.txt, whatever words stand in it.
 */
export function readAdsTxt(text: string): AdsTxt {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  if (text.trimStart().startsWith('<')) return { without: 'page' };
  if (lines.some((line) => PAGE_TAG.test(withoutComment(line)))) return { without: 'page' };
  const named: string[] = [];
  const refused = new Set<string>();
  for (const line of lines) {
    const [, value = '', rest = ''] = MANAGER_LINE.exec(line) ?? [];
    const parsed = parseDomain(value);
    if (!parsed.ok) continue;
    if (OPT_OUT.test(rest)) refused.add(parsed.domain);
    else named.push(parsed.domain);
  }
  const manager = named.findLast((domain) => !refused.has(domain));
  if (manager !== undefined) return { manager, refused };
  return { without: refused.size > 0 ? 'opted_out' : 'none' };
}

function withoutComment(line: string): string {
  const start = line.indexOf('#');
  return start < 0 ? line : line.slice(0, start);
}
