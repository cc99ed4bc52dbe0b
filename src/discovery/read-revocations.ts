import { defined, isObject, type JsonObject, pointerTo } from '../base/json.ts';
import { isSameWord, nearestOf } from '../base/near-names.ts';
import type { Revocation } from '../domain/declaration.ts';
import { parseDomain } from '../domain/domain-name.ts';
import { at, has, readDomain, readString } from './fields.ts';
import { lettersOf, MAX_EDITS } from './member-names.ts';
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

/** The letters of the format's own name, which may have typing errors. */
const SPELT = [[REVOKED, lettersOf(REVOKED)]] as const;
/** What a revocation says besides whom it is about. */
const NOT_NAMES: ReadonlySet<string> = new Set(['reason', 'revoked_at']);

/** The members of a file that revoke somebody; few files have any. */
export function revokingMembers({ value }: FilePart): ReadonlySet<string> {
  return new Set(Object.keys(value).filter((key) => key === REVOKED || isMeant(key)));
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
    for (const [index, item] of items.entries())
      yield* readRevocation(item, pointerTo(pointer, index), document);
  }
}

function* readRevocation(item: unknown, pointer: string, { file }: FilePart): Generator<Revocation> {
  if (item === undefined || item === null) return;
  if (!isObject(item)) {
    file.report.add('wrong_type', pointer, item);
    for (const publisherDomain of domainsIn(item)) yield { publisherDomain };
    return;
  }
  const place = { value: item, pointer, file };
  const publisherDomain = readDomain(place, 'publisher_domain');
  if (!has(place, 'publisher_domain'))
    file.report.add('domain_invalid', pointer, 'publisher_domain is missing');
  const said = defined({ revokedAt: readTime(place, 'revoked_at'), reason: readString(place, 'reason') });
  const named = publisherDomain === undefined ? meantDomains(item) : [publisherDomain];
  for (const name of named) yield { publisherDomain: name, ...said };
}

/** Whom a revocation means that does not say it as the format has it: in its other members, or as their names. */
function meantDomains(item: JsonObject): readonly string[] {
  const others = Object.entries(item).filter(([key]) => !NOT_NAMES.has(key));
  const named = others.flatMap(([, value]) => domainsIn(value));
  return named.length > 0 ? named : others.flatMap(([key]) => domainsIn(key));
}

/** The domains that a text, or each of a list, names: by itself, with blanks or signs before it, as `*.` or in a URL. */
function domainsIn(said: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(said) ? said : [said];
  return texts.flatMap((text) => {
    if (typeof text !== 'string' || text.length > MAX_REVOKED) return [];
    const host = text
      .replace(/^\s*(?:[a-z]+:)?\/\//i, '')
      .replace(/^[^\p{L}\p{N}]+/u, '')
      .replace(/[\s/?#:].*$/s, '');
    const parsed = parseDomain(host);
    return parsed.ok ? [parsed.domain] : [];
  });
}

function isMeant(key: string): boolean {
  if (MEANT_REVOCATIONS.some((name) => isSameWord(key, name))) return true;
  return key.length <= MAX_REVOKED && nearestOf(lettersOf(key), SPELT, () => MAX_EDITS) !== undefined;
}
