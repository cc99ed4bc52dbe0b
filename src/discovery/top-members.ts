import { LIMITS, meantMembers } from './member-names.ts';

export const CATALOGUE = ['properties', 'collections', 'placements', 'formats', 'signals'];
export const NONE: ReadonlySet<string> = new Set();
/** Members of the format that narrow nothing; a file of these alone has nothing else to be looked at. */
export const TOP_MEMBERS: ReadonlySet<string> = new Set([
  ...[...CATALOGUE, 'tags', 'authorized_agents', 'agents', 'publisher', 'contact', 'last_updated'],
  ...['$schema', 'version', 'catalog_etag', 'superseded_by'],
]);
export const MEANT_PUBLISHER = meantMembers(['publisher'], [], 'none');
export const MEANT_LIST = meantMembers(['authorized_agents'], [], 'none', 'member_unread');
/** Limits of entries that mean nothing else at the top of a file, and members that take away some of what it is about. */
export const MEANT_TOP = meantMembers(
  [],
  LIMITS.filter((limit) => limit !== 'collections' && limit !== 'placement_tags'),
  'ofFile',
);
