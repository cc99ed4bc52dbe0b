import type { PublisherFacts } from '../domain/authorisation-question.ts';
import type { AdagentsDeclaration } from '../domain/declaration.ts';
import type { Authorisation, ListedProperty } from '../domain/declared-facts.ts';
import { concernedEntries } from './derive-authorisations.ts';
import { inlineProperties, namesPublisher, ownProperties, type Reader } from './own-properties.ts';

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
  const catalogue: readonly ListedProperty[] = ownProperties(declaration.properties, reader);
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
