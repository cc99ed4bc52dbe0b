import { defined } from '../base/json.ts';
import type { AdagentsDeclaration, AuthorisationEntry, PublisherSelector } from '../domain/declaration.ts';
import type { Authorisation, ListedProperty } from '../domain/declared-facts.ts';
import {
  coverageOf,
  everythingOf,
  inlineProperties,
  isOwn,
  limitsFor,
  listedProperties,
  namedBy,
  namesPublisher,
  ownProperties,
  type Reader,
  selectionsOf,
} from './own-properties.ts';
import { type Covered, OwnCatalogue, type Share, ShareOut } from './share-out.ts';
import { isOfAnother } from './simple-publisher.ts';

/** A file and the publisher for whom it is read. */
interface Audience extends Reader {
  readonly declaration: AdagentsDeclaration;
}

/** Says of an entry what it covers; undefined when it does not speak of this publisher at all. */
type Covering = (entry: AuthorisationEntry) => Covered | undefined;

interface AuthorisationsOfFile {
  /** In force now. */
  readonly authorisations: readonly Authorisation[];
  /** Entries that speak of the domain, in force or not. */
  readonly concerned: readonly AuthorisationEntry[];
  readonly properties: readonly ListedProperty[];
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
  const catalogue = ownProperties(declaration.properties, audience);
  const properties = [
    ...listedProperties(declaration.properties, audience),
    ...inlineProperties(declaration.entries, audience),
  ];
  const isRevoked = declaration.revokedPublisherDomains.some(
    ({ publisherDomain, heldUntil = Infinity }) => now < heldUntil && namesPublisher(publisherDomain, domain),
  );
  if (isRevoked) return { authorisations: [], concerned: [], properties };
  const own = new OwnCatalogue(catalogue, domain);
  const concerned = concernedOf(audience, own);
  const inForce = concerned.filter(({ entry }) => isInForce(entry, now));
  const shares = shareOut(inForce, own);
  const everything = everythingOf(declaration, catalogue);
  return {
    authorisations: inForce.map(({ entry, covered }) => ({
      ...authorisationOf(entry, audience, everything, shares.get(entry)),
      ...(own.sellsNothing(covered, everything) && { sellsNothing: true }),
    })),
    concerned: concerned.map(({ entry }) => entry),
    properties,
  };
}

/** All entries that speak of the publisher, whether it is revoked or not, and in force or not. */
export function concernedEntries(audience: Audience): readonly Authorisation[] {
  const catalogue = ownProperties(audience.declaration.properties, audience);
  const everything = everythingOf(audience.declaration, catalogue);
  const concerned = concernedOf(audience, new OwnCatalogue(catalogue, audience.domain));
  return concerned.map(({ entry }) => authorisationOf(entry, audience, everything));
}

function concernedOf(audience: Audience, own: OwnCatalogue): readonly Concerned[] {
  const covering = createCoverage(audience, own);
  return audience.declaration.entries.flatMap((declared) => {
    const limits = limitsFor(declared.limits, audience);
    const entry = { ...declared, limits };
    const covered = limits.collections?.length === 0 ? undefined : covering(entry);
    return covered === undefined ? [] : [{ entry, covered }];
  });
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
  entry: AuthorisationEntry,
  { domain, via }: Audience,
  everything: 'inventory' | 'listed',
  share: Share = { countByType: {}, tags: [] },
): Authorisation {
  const { agent, pointer, url, scope, authorizedFor, claimedProtocol, claimedCapabilities } = entry;
  const { limits, signingKeys } = entry;
  return {
    publisher: domain,
    agent,
    entry: pointer,
    declaredUrl: url,
    via,
    scope: scope.type,
    covers: coverageOf(scope, domain, everything),
    ...share,
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(signingKeys.length > 0 && { signingKeys }),
    ...defined({ authorizedFor, claimedProtocol, claimedCapabilities }),
  };
}

/**
 * What the entries of a file cover of one publisher. A selector counts only where it names the publisher. An entry of a
 * manager's file must reach the publisher by name: by its own selector, or by a property that it references. Its limits
 * narrow what it reaches and name nobody.
 */
function createCoverage(audience: Audience, own: OwnCatalogue): Covering {
  const { declaration, domain, via } = audience;
  if (declaration.variant === 'simple' && isOfAnother(declaration, domain)) return () => undefined;
  const isManager = via === 'manager';
  const others = othersNames(audience);
  // ids or tags of others' properties only: the entry does not speak of the publisher; of nobody's: of no property
  const named = (covered: Covered, isOurs: boolean, isTheirs: () => boolean): Covered | undefined => {
    if (isOurs) return covered;
    return via !== 'own' || isTheirs() ? undefined : {};
  };
  return ({ scope }) => {
    switch (scope.type) {
      case 'publisher_properties':
        return selected(scope.selectors, domain);
      case 'inline_properties': {
        const inline = ownProperties(scope.properties, audience);
        return inline.length > 0 ? { inline } : undefined;
      }
      case 'property_ids': {
        const { propertyIds: ids } = scope;
        const isOurs = ids.some((id) => own.withId(id).length > 0);
        return named({ ids }, isOurs, () => ids.some((id) => others().ids.has(id)));
      }
      case 'property_tags': {
        const { propertyTags: tags } = scope;
        const isOurs = tags.some((tag) => own.hasTag(tag));
        return named({ tags }, isOurs, () => tags.some((tag) => others().tags.has(tag)));
      }
      case 'all':
        return isManager ? undefined : { all: true };
      default: // signals are the publisher's data and no properties
        return isManager ? undefined : {};
    }
  };
}

function selected(selectors: readonly PublisherSelector[], domain: string): Covered | undefined {
  const selections = selectionsOf(selectors, domain);
  if (selections.length === 0) return undefined;
  return selections.some(({ type }) => type === 'all')
    ? { all: true, selected: true }
    : { ...namedBy(selections), selected: true };
}

/** Ids and tags of the file's other properties, put together when they are first asked for. */
function othersNames(audience: Audience) {
  const collect = () => {
    const others = audience.declaration.properties.filter((property) => !isOwn(property, audience));
    return {
      ids: new Set(others.map((property) => property.propertyId)),
      tags: new Set(others.flatMap((property) => property.tags)),
    };
  };
  let names: ReturnType<typeof collect> | undefined;
  return () => (names ??= collect());
}

/** From `effective_from` up to, but not including, `effective_until`; `now` in epoch milliseconds. */
export function isInForce({ limits }: Pick<AuthorisationEntry, 'limits'>, now: number): boolean {
  return (limits.effectiveFrom ?? -Infinity) <= now && now < (limits.effectiveUntil ?? Infinity);
}
