import { defined } from '../base/present.ts';
import type { AuthorisationEntry } from '../domain/declaration.ts';
import type { Authorisation } from '../domain/declared-facts.ts';
import { type Audience, type Covered, createCoverage } from './covered-properties.ts';
import { isInForce } from './in-force.ts';
import { OwnCatalogue } from './own-catalogue.ts';
import { namesPublisher, ownProperties } from './own-properties.ts';
import { type Share, ShareOut } from './share-out.ts';

export interface AuthorisationsOfFile {
  /** In force now. */
  readonly authorisations: readonly Authorisation[];
  /** Entries that speak of the domain, in force or not. */
  readonly concerned: readonly AuthorisationEntry[];
}

/** An entry that speaks of the publisher, and of what. */
interface Concerned {
  readonly entry: AuthorisationEntry;
  readonly covered: Covered;
}

/**
 * The edges from one publisher to the agents that it authorises, one for each entry that is in force at `now`.
 * A domain under `revoked_publisher_domains` gets none, whatever selects it. A property counts once for each
 * agent, however many entries name it.
 */
export function deriveAuthorisations(audience: Audience & { readonly now: number }): AuthorisationsOfFile {
  const { declaration, domain, now } = audience;
  const isRevoked = declaration.revokedPublisherDomains.some(
    ({ publisherDomain, revokedAt = -Infinity }) =>
      revokedAt <= now && namesPublisher(publisherDomain, domain),
  );
  if (isRevoked) return { authorisations: [], concerned: [] };
  const own = new OwnCatalogue(ownProperties(declaration.properties, audience));
  const coverage = createCoverage(audience, own);
  const concerned = declaration.entries.flatMap((entry) => {
    const covered = coverage(entry);
    return covered === undefined ? [] : [{ entry, covered }];
  });
  const inForce = concerned.filter(({ entry }) => isInForce(entry, now));
  const shares = shareOut(inForce, own);
  return {
    authorisations: inForce.map(({ entry }) => authorisationOf(entry, audience, shares.get(entry))),
    concerned: concerned.map(({ entry }) => entry),
  };
}

function shareOut(
  concerned: readonly Concerned[],
  own: OwnCatalogue,
): ReadonlyMap<AuthorisationEntry, Share> {
  const shares = new Map<AuthorisationEntry, Share>();
  const sharing = new ShareOut(own);
  for (const ofAgent of Map.groupBy(concerned, ({ entry }) => entry.agent).values()) {
    sharing.nextAgent();
    for (const { entry, covered } of ofAgent) shares.set(entry, sharing.give(covered));
  }
  return shares;
}

function authorisationOf(
  { agent, pointer, url, scope, authorizedFor, claimedProtocol, claimedCapabilities }: AuthorisationEntry,
  { domain, via }: Audience,
  share: Share = { countByType: {}, tags: [] },
): Authorisation {
  return {
    publisher: domain,
    agent,
    entry: pointer,
    declaredUrl: url,
    via,
    scope: scope.type,
    ...share,
    ...defined({ authorizedFor, claimedProtocol, claimedCapabilities }),
  };
}
