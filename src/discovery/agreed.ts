import type { AdagentsDeclaration, AuthorisationEntry, Property } from '../domain/declaration.ts';
import type { Reader } from './own-properties.ts';
import { restrictTo } from './restrict.ts';

/**
 * What a publisher's pointer, which has a list of its own, and the file it leads to say alike. Buyers' clients read the
 * list and others the pointer, so whatever only one of them says authorises nobody.
 */
export function agreed(
  target: AdagentsDeclaration,
  beside: AdagentsDeclaration,
  reader: Reader,
): AdagentsDeclaration {
  const own = restrictTo(beside, reader);
  const said = new Set([...own.entries, ...own.properties].map(textOf));
  const properties = target.properties.filter((property) => said.has(textOf(property)));
  const isLess = [target, own].some(
    (one) => one.listsOthers === true || one.properties.length > properties.length,
  );
  return {
    ...target,
    properties,
    entries: target.entries.filter((entry) => said.has(textOf(entry))),
    revokedPublisherDomains: [...target.revokedPublisherDomains, ...own.revokedPublisherDomains],
    ...(isLess && { listsOthers: true }),
  };
}

/** All that decides what it authorises. */
function textOf(part: AuthorisationEntry | Property): string {
  if (!('scope' in part)) return JSON.stringify(part);
  const { agent, scope, limits, signingKeys } = part;
  return JSON.stringify([agent, scope, limits, signingKeys]);
}
