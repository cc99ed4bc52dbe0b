import type {
  AdagentsDeclaration,
  AuthorisationEntry,
  Property,
  PublisherSelector,
  Revocation,
} from '../domain/declaration.ts';

/** What one domain gets of a shared file. */
interface Part {
  readonly entries: { readonly order: number; readonly entry: AuthorisationEntry }[];
  readonly properties: Property[];
  readonly revocations: Revocation[];
}

interface SharedIndex {
  readonly byDomain: ReadonlyMap<string, Part>;
  /** Names no domain: it concerns whoever the file is read for. */
  readonly common: Part;
}

const indexes = new WeakMap<AdagentsDeclaration, SharedIndex>();

/**
 * The part of a shared adagents.json (a reference's target, a manager's file) that concerns one domain. The index by
 * domain is made once for each file, so that the cost for a domain does not grow with the number of its neighbours.
 */
export function restrictTo(declaration: AdagentsDeclaration, domain: string): AdagentsDeclaration {
  const { byDomain, common } = indexOf(declaration);
  const own = byDomain.get(domain) ?? emptyPart();
  const entries = [...common.entries, ...own.entries].sort((a, b) => a.order - b.order);
  return {
    ...declaration,
    entries: entries.map((item) => item.entry),
    properties: [...common.properties, ...own.properties],
    revokedPublisherDomains: own.revocations,
  };
}

function indexOf(declaration: AdagentsDeclaration): SharedIndex {
  const known = indexes.get(declaration);
  if (known !== undefined) return known;
  const byDomain = new Map<string, Part>();
  const common = emptyPart();
  const partOf = (domain: string | undefined) => (domain === undefined ? common : partFor(byDomain, domain));
  declaration.entries.forEach((entry, order) => {
    for (const [domain, narrowed] of narrow(entry)) partOf(domain).entries.push({ order, entry: narrowed });
  });
  for (const property of declaration.properties) partOf(property.publisherDomain).properties.push(property);
  for (const revocation of declaration.revokedPublisherDomains)
    partOf(revocation.publisherDomain).revocations.push(revocation);
  const index = { byDomain, common };
  indexes.set(declaration, index);
  return index;
}

/** An entry once for each domain that its selectors name, with those selectors only; otherwise as it is. */
function narrow(entry: AuthorisationEntry): (readonly [string | undefined, AuthorisationEntry])[] {
  if (entry.scope.type !== 'publisher_properties') return [[undefined, entry]];
  const selectors = new Map<string, PublisherSelector[]>();
  for (const selector of entry.scope.selectors) {
    for (const domain of selector.publisherDomains) {
      const narrowed = { ...selector, publisherDomains: [domain] };
      const list = selectors.get(domain);
      if (list === undefined) selectors.set(domain, [narrowed]);
      else list.push(narrowed);
    }
  }
  return [...selectors].map(([domain, list]) => [
    domain,
    { ...entry, scope: { type: 'publisher_properties', selectors: list } },
  ]);
}

function partFor(parts: Map<string, Part>, domain: string): Part {
  const known = parts.get(domain);
  if (known !== undefined) return known;
  const part = emptyPart();
  parts.set(domain, part);
  return part;
}

function emptyPart(): Part {
  return { entries: [], properties: [], revocations: [] };
}
