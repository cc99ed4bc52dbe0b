import type { AdagentsDeclaration, AuthorisationEntry, Revocation } from '../domain/declaration.ts';
import { ByPublisher } from './by-publisher.ts';
import { publishersOf } from './publishers-of.ts';

/** The entries of a domain's own file that still speak of a publisher which the file has not revoked. */
export function unrevokedEntries(
  { entries, revokedPublisherDomains }: AdagentsDeclaration,
  domain: string,
  now: number,
): readonly AuthorisationEntry[] {
  if (revokedPublisherDomains.length === 0) return entries;
  const revoked = new ByPublisher<Revocation>();
  for (const revocation of revokedPublisherDomains)
    if ((revocation.revokedAt ?? -Infinity) <= now) revoked.add(revocation.publisherDomain, revocation);
  return entries.filter(({ scope }) => {
    const publishers = publishersOf(scope);
    const about = publishers.length === 0 ? [domain] : publishers;
    return about.some((publisher) => revoked.of(publisher).length === 0);
  });
}
