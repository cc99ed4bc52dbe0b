import { defined, isObject, pointerTo } from '../base/json.ts';
import { isSameWord } from '../base/near-names.ts';
import type { Revocation } from '../domain/declaration.ts';
import { parseDomain } from '../domain/domain-name.ts';
import { at, has, readDomain, readString } from './fields.ts';
import type { FilePart } from './read-document.ts';
import { readTime } from './read-time.ts';

const REVOKED = 'revoked_publisher_domains';
/** Names under which authors revoke, in any notation. */
const MEANT_REVOCATIONS = [
  ...[
    REVOKED,
    'revoked_publisher_domain',
    'revoked_publishers_domains',
    'revoked_publishers',
    'revoked_domains',
  ],
  ...['revoked_publisher', 'revoked_domain', 'revoked', 'revocations'],
];
/** A longer text names no domain. */
const MAX_REVOKED = 2_000;

/** The members of a file that revoke somebody; few files have any. */
export function revokingMembers({ value }: FilePart): ReadonlySet<string> {
  const keys = Object.keys(value).filter((key) => /revo[ck]/i.test(key));
  return new Set(keys.filter((key) => key === REVOKED || isMeant(key)));
}

/**
 * Who is revoked by these members. A revocation only takes away, so it is read in any form that names a domain: as a text, alone instead of in
 * a list, as a URL, under a name that is nearly the format's. What is not as the format has it is an error.
 */
export function* revokedDomains(document: FilePart, members: Iterable<string>): Generator<Revocation> {
  for (const key of members) {
    const pointer = at(document, key);
    const { report } = document.file;
    const value = document.value[key];
    if (key !== REVOKED) report.add('revocations_misnamed', pointer, key, { didYouMean: REVOKED });
    if (value !== undefined && value !== null && !Array.isArray(value))
      report.add('wrong_type', pointer, value);
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const [index, item] of items.entries()) {
      const revocation = readRevocation(item, pointerTo(pointer, index), document);
      if (revocation !== undefined) yield revocation;
    }
  }
}

function readRevocation(item: unknown, pointer: string, { file }: FilePart): Revocation | undefined {
  if (item === undefined || item === null) return undefined;
  if (!isObject(item)) {
    file.report.add('wrong_type', pointer, item);
    const publisherDomain = typeof item === 'string' ? domainIn(item) : undefined;
    return publisherDomain === undefined ? undefined : { publisherDomain };
  }
  const place = { value: item, pointer, file };
  const publisherDomain = readDomain(place, 'publisher_domain');
  if (!has(place, 'publisher_domain'))
    file.report.add('domain_invalid', pointer, 'publisher_domain is missing');
  const named = publisherDomain ?? domainIn(item.publisher_domain ?? item.domain ?? item.publisherDomain);
  const said = defined({ revokedAt: readTime(place, 'revoked_at'), reason: readString(place, 'reason') });
  return named === undefined ? undefined : { publisherDomain: named, ...said };
}

/** The domain that a text names: by itself, with blanks, as `*.` or in a URL. */
function domainIn(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > MAX_REVOKED) return undefined;
  const parsed = parseDomain(
    text
      .trim()
      .replace(/^(?:[a-z]+:)?\/\//i, '')
      .replace(/[/?#:].*$/s, '')
      .replace(/^\*\./, ''),
  );
  return parsed.ok ? parsed.domain : undefined;
}

function isMeant(key: string): boolean {
  return MEANT_REVOCATIONS.some((name) => isSameWord(key, name));
}
