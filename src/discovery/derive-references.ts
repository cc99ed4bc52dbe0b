import type { AdagentsDeclaration, BrandDeclaration } from '../domain/declaration.ts';
import type { Reference, ReferenceReason } from '../domain/declared-facts.ts';
import { parseDomain } from '../domain/domain-name.ts';
import type { DeriveInput } from './derive-facts.ts';

type Named = readonly (readonly [ReferenceReason, string | undefined])[];

/**
 * Other domains worth a visit, each once, with the first reason found. A file that speaks for many publishers
 * names its others only when it is read on its own domain: each of them would name all the rest otherwise.
 */
export function deriveReferences({
  declaration,
  domain,
  via,
  managerDomain,
}: DeriveInput): readonly Reference[] {
  const reasons = new Map<string, ReferenceReason>();
  const add = (named: Named): void => {
    for (const [reason, name] of named) {
      if (name !== undefined && name !== domain && !reasons.has(name)) reasons.set(name, reason);
    }
  };
  add([
    ['manager', managerDomain],
    ['authoritative_location', hostOf(declaration.authoritativeLocation)],
  ]);
  if (declaration.kind === 'brand') add(namedByBrand(declaration));
  else if (via === 'own') add(namedByPublisher(declaration));
  return [...reasons].map(([name, reason]) => ({ domain: name, reason }));
}

function namedByBrand(brand: BrandDeclaration): Named {
  return [
    ['house', brand.houseDomain],
    ['house', brand.house?.domain],
    ...brand.brandRefs.map((ref) => ['brand', ref.domain] as const),
    ...brand.authorizedOperators.map((operator) => ['operator', operator.domain] as const),
  ];
}

function namedByPublisher({
  publisher,
  entries,
  properties,
  revokedPublisherDomains,
}: AdagentsDeclaration): Named {
  const revoked = new Set(revokedPublisherDomains.map((revocation) => revocation.publisherDomain));
  const selected = entries.flatMap(({ scope }) => {
    if (scope.type === 'publisher_properties')
      return scope.selectors.flatMap((selector) => selector.publisherDomains);
    return scope.type === 'inline_properties'
      ? scope.properties.map((property) => property.publisherDomain)
      : [];
  });
  const domains = [...selected, ...properties.map((property) => property.publisherDomain)];
  const others = domains.filter((name) => name !== undefined && !revoked.has(name));
  return [['brand', publisher?.domain], ...others.map((name) => ['publisher_selector', name] as const)];
}

function hostOf(url: string | undefined): string | undefined {
  const host = url === undefined ? undefined : URL.parse(url)?.hostname;
  const parsed = host === undefined ? undefined : parseDomain(host);
  return parsed?.ok ? parsed.domain : undefined;
}
