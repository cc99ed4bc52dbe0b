import type { AuthorisationScope } from '../domain/declaration.ts';

/** The publishers that an entry names, each once; none when it speaks of whoever its file is read for. */
export function publishersOf(scope: AuthorisationScope): readonly string[] {
  if (scope.type === 'publisher_properties')
    return [...new Set(scope.selectors.flatMap((selector) => selector.publisherDomains))];
  if (scope.type !== 'inline_properties') return [];
  const names = new Set(scope.properties.map((property) => property.publisherDomain));
  return names.has(undefined) ? [] : [...names].filter((name) => name !== undefined);
}
