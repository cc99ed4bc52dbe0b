import { elements } from '../base/json.ts';
import type { FindingList } from '../calling/findings.ts';
import { parseDomain } from '../domain/domain-name.ts';
import { shortText } from '../domain/text.ts';

const MAX_CLAIMED_DOMAINS = 10_000;

/** The texts of a list, cleaned, each once, at most `max`; what is no text is left out. */
export function readTexts(value: unknown, max: number, longest = 256): readonly string[] {
  const texts = new Set<string>();
  for (const item of elements(value)) {
    if (texts.size >= max) break;
    const text = shortText(item, longest);
    if (text !== undefined) texts.add(text);
  }
  return [...texts];
}

/** The domains that an agent claims to sell, in normal form, each once, at most 10,000; others are findings. */
export function readDomains(value: unknown, pointer: string, findings: FindingList): readonly string[] {
  const domains = new Set<string>();
  const listed = elements(value);
  if (listed.length > MAX_CLAIMED_DOMAINS) {
    const message = `${listed.length} publisher domains, the first ${MAX_CLAIMED_DOMAINS} are read`;
    findings.add('warning', 'too_many_publisher_domains', pointer, message);
  }
  for (const [index, item] of listed.slice(0, MAX_CLAIMED_DOMAINS).entries()) {
    const parsed = typeof item === 'string' && item.length <= 512 ? parseDomain(item) : undefined;
    if (parsed?.ok) domains.add(parsed.domain);
    else findings.add('warning', 'publisher_domain_invalid', `${pointer}/${index}`, 'not a domain name');
  }
  return [...domains];
}
