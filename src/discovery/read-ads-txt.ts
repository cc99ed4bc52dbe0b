import { parseDomain } from '../domain/domain-name.ts';

const MANAGER_LINE = /^\s*managerdomain\s*=\s*([^\s,;#]+)\s*((?:[,;#].*)?)$/is;
const OPT_OUT = /\bnoagents\b/i;

/**
 * The manager that an ads.txt names: the last `MANAGERDOMAIN=` line with a domain name (IAB ads.txt 1.1), a country after a
 * comma tolerated. A comment line says nothing. The token `noagents` anywhere behind the value, in any case, takes the line
 * out (adagents.json, "ads.txt fallback"), and with it every other line that names the same manager.
 */
export function readAdsTxt(text: string): { readonly manager?: string; readonly hasOptOut: boolean } {
  const named: string[] = [];
  const refused = new Set<string>();
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const [, value = '', rest = ''] = MANAGER_LINE.exec(line) ?? [];
    const parsed = parseDomain(value);
    if (!parsed.ok) continue;
    if (OPT_OUT.test(rest)) refused.add(parsed.domain);
    else named.push(parsed.domain);
  }
  const manager = named.findLast((domain) => !refused.has(domain));
  return { hasOptOut: refused.size > 0, ...(manager !== undefined && { manager }) };
}
