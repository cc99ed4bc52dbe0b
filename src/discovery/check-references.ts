import type { AuthorisationEntry, Property } from '../domain/declaration.ts';
import type { Report } from './report.ts';

/** Warns of property ids and tags in entries that no property of the same file has. */
export function checkReferences(
  entries: readonly AuthorisationEntry[],
  properties: readonly Property[],
  report: Report,
): void {
  const ids = new Set(properties.map((property) => property.propertyId));
  const tags = new Set(properties.flatMap((property) => property.tags));
  for (const { scope, pointer } of entries) {
    if (scope.type === 'property_ids') {
      const unknown = scope.propertyIds.find((id) => !ids.has(id));
      if (unknown !== undefined) report.add('property_unknown', `${pointer}/property_ids`, unknown);
    } else if (scope.type === 'property_tags') {
      const unmatched = scope.propertyTags.find((tag) => !tags.has(tag));
      if (unmatched !== undefined) report.add('tag_unmatched', `${pointer}/property_tags`, unmatched);
    }
  }
}
