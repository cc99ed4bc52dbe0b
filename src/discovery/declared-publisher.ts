import type { PublisherFacts } from '../domain/authorisation-question.ts';
import type { AdagentsDeclaration, Declaration } from '../domain/declaration.ts';
import type { Authorisation, AuthorisationVia } from '../domain/declared-facts.ts';
import type { Finding } from '../domain/finding.ts';
import { concernedEntries, deriveAuthorisations } from './derive-authorisations.ts';
import { inlineProperties, listedProperties, namesPublisher, type Reader } from './own-properties.ts';
import { findingOf } from './report.ts';

interface Spoken extends Reader {
  readonly declaration: Declaration;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface ReadFor extends Reader {
  readonly declaration: AdagentsDeclaration;
  /** Where the file was read. */
  readonly url: string;
  readonly stale?: boolean;
}

/** A publisher as `authorise` wants it, for all agents at once: take the entries of the agent that is asked for. */
interface DeclaredPublisher extends PublisherFacts {
  readonly entries: readonly Authorisation[];
}

/** What a declaration says of the publisher for whom it was read, stored or not, whatever the time is. */
export function declaredPublisher({
  declaration,
  url,
  stale = false,
  ...reader
}: ReadFor): DeclaredPublisher {
  const { domain: publisher } = reader;
  const catalogue = listedProperties(declaration.properties, reader);
  const revocations = declaration.revokedPublisherDomains.filter(({ publisherDomain }) =>
    namesPublisher(publisherDomain, publisher),
  );
  const revokedUntil = Math.max(...revocations.map(({ heldUntil = Infinity }) => heldUntil));
  return {
    publisher,
    file: { url, stale },
    hasCatalogue: catalogue.length > 0,
    properties: [...catalogue, ...inlineProperties(declaration.entries, reader)],
    entries: concernedEntries({ declaration, ...reader }),
    ...(revocations.length > 0 && { revoked: '/revoked_publisher_domains' }),
    ...(Number.isFinite(revokedUntil) && { revokedUntil }),
  };
}

const ENTRY = /^\/(?:authorized_agents|agents)\/\d+/;

/** The first entry of a file that an error keeps from counting, with the error. */
export function leftOutOf(
  { entries }: AdagentsDeclaration,
  findings: readonly Finding[],
): PublisherFacts['leftOut'] {
  const read = new Set(entries.map(({ pointer }) => pointer));
  for (const { severity, pointer, message } of findings) {
    const [entry] = ENTRY.exec(pointer) ?? [];
    if (severity === 'error' && entry !== undefined && !read.has(entry)) return { entry, message };
  }
  return undefined;
}

/**
 * The findings of a file that a publisher did not write itself, in words for that publisher: it cannot correct an unknown id,
 * and a bare entry reaches nothing of it in a manager's file.
 */
export function ofKeeper<F extends Finding>(
  findings: readonly F[],
  via: Exclude<AuthorisationVia, 'own'>,
): readonly F[] {
  return findings.map((finding) => {
    if (finding.code === 'legacy_entry' && via === 'manager')
      return { ...finding, ...findingOf('legacy_entry_managed', finding.pointer) };
    if (finding.code !== 'property_unknown') return finding;
    const id = finding.message.slice(finding.message.indexOf(': ') + 2);
    return { ...finding, ...findingOf('property_unknown_referenced', finding.pointer, id) };
  });
}

/** Expired entries of one file that are listed. */
const MAX_ENDED = 50;

/** The entries of a file that have expired at `now`, epoch milliseconds: valid, but they authorise nothing any more. */
export function endedEntries(declaration: Declaration, now: number): readonly Finding[] {
  if (declaration.kind !== 'adagents') return [];
  const ended = declaration.entries.filter(
    ({ limits: { effectiveUntil = Infinity } }) => effectiveUntil <= now,
  );
  return ended.slice(0, MAX_ENDED).map(({ pointer, limits: { effectiveUntil = now } }) => {
    const since = new Date(effectiveUntil).toISOString().replace('.000Z', 'Z');
    return findingOf('entry_ended', `${pointer}/effective_until`, since);
  });
}

/**
 * Why the file of another one authorises nobody for the domain that leads to it; none when it does. It is a mistake on one
 * of the two sides: neither would have published it to say nothing. A domain's own file may authorise nobody, but it has no
 * entries beside a revocation of the domain itself.
 */
export function silenceOf({ declaration, ...reader }: Spoken): readonly Finding[] {
  const { domain, via, now } = reader;
  if (declaration.kind !== 'adagents' || (via === 'own' && declaration.entries.length === 0)) return [];
  const isRevoked = declaration.revokedPublisherDomains.some(
    ({ publisherDomain, heldUntil = Infinity }) => now < heldUntil && namesPublisher(publisherDomain, domain),
  );
  if (isRevoked) return [findingOf('publisher_revoked', '/revoked_publisher_domains', domain)];
  if (via === 'own') return [];
  const { authorisations, concerned } = deriveAuthorisations({ declaration, ...reader });
  if (authorisations.length > 0) return [];
  if (concerned[0] !== undefined) return [findingOf('nobody_in_force', concerned[0].pointer, domain)];
  return [findingOf(via === 'manager' ? 'manager_orphaned' : 'pointer_orphaned', '', domain)];
}
