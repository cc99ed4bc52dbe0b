import { defined } from '../base/json.ts';
import { nearestName } from '../base/near-names.ts';
import type { AdagentsDeclaration, AdagentsVariant, AuthorisationEntry } from '../domain/declaration.ts';
import {
  at,
  has,
  hasNoStray,
  isSaid,
  readDomain,
  readHttpsUrl,
  readObject,
  readObjects,
  readString,
  sizeOf,
} from './fields.ts';
import { isMisplaced } from './file-kind.ts';
import { takesSome } from './member-names.ts';
import { type FilePart, type Read, type ReadOptions, readDocument } from './read-document.ts';
import { readEntry, readSimpleEntry, withoutShadowed } from './read-entry.ts';
import { readLegacyProperties } from './read-legacy.ts';
import { withPlacements } from './read-limits.ts';
import { hasLegacyProperties, isCatalogueUnread, readProperties } from './read-property.ts';
import { revokedDomains, revokingMembers } from './read-revocations.ts';
import { checkReferences } from './read-scope.ts';
import { readLastUpdated } from './read-time.ts';
import { isPublisherRead } from './simple-publisher.ts';
import { CATALOGUE, MEANT_LIST, MEANT_PUBLISHER, MEANT_TOP, NONE, TOP_MEMBERS } from './top-members.ts';

/**
 * Reads adagents.json (specification, 4.3) in every variant into one normal form, in this order of detection:
 * reference, inline, simple, legacy. A bad entry is left out with a finding and costs none of its neighbours.
 * Without a declaration the file is no valid one and changes nothing that was known before.
 */
export function readAdagents(bytes: Uint8Array, options: ReadOptions = {}): Read<AdagentsDeclaration> {
  return readDocument(bytes, options, readVariant);
}

function readVariant(document: FilePart): AdagentsDeclaration | undefined {
  if (isMisplaced(document, 'adagents')) return undefined;
  const isList = isSaid(document, 'authorized_agents');
  if (has(document, 'authoritative_location') || (isSaid(document, 'authoritative_location') && !isList))
    return readReference(document);
  if (isList) return readInline(document);
  const isLegacy = hasLegacyProperties(document);
  const isListless = !has(document, 'agents') && !isLegacy;
  // one that is misspelt says less than the older forms, which are for everything, and more than none, which is for nobody
  if ((!isListless || hasCatalogue(document)) && !hasNoStray(document, NONE, MEANT_LIST)) return undefined;
  if (has(document, 'agents')) return readSimple(document);
  if (isLegacy) return assemble(document, 'legacy', readLegacyProperties(document), []);
  if (hasCatalogue(document)) {
    document.file.report.add('agent_list_missing', '');
    return assemble(document, 'inline', []);
  }
  document.file.report.add(
    'nothing_declared',
    '',
    'authorized_agents, agents, authoritative_location or a catalog',
  );
  return undefined;
}

function isListMisspelt(key: string): boolean {
  return !takesSome(key) && nearestName(key, ['authorized_agents']) !== undefined;
}

function readReference(document: FilePart): AdagentsDeclaration | undefined {
  const authoritativeLocation = readHttpsUrl(document, 'authoritative_location', 'location_invalid');
  if (!has(document, 'authoritative_location'))
    document.file.report.add('location_invalid', at(document, 'authoritative_location'), null);
  if (authoritativeLocation === undefined) return undefined;
  const catalogue = { collections: 0, placements: 0, formats: 0, signals: 0 };
  // a refusal counts wherever it is written; the rest of a pointer does not
  const revokedPublisherDomains = [...revokedDomains(document, revokingMembers(document))];
  const nothing = { entries: [], properties: [], revokedPublisherDomains, catalogue };
  const lastUpdated = has(document, 'last_updated') ? readLastUpdated(document) : undefined;
  const pointer = {
    ...({ kind: 'adagents', variant: 'reference', authoritativeLocation, ...nothing } as const),
    ...defined({ lastUpdated }),
  };
  if (isSaid(document, 'authorized_agents')) {
    document.file.report.add('location_with_agents', at(document, 'authorized_agents'));
    return { ...pointer, beside: readInline(document) ?? { ...pointer, variant: 'inline' } };
  }
  const content = ['agents', ...CATALOGUE].find((key) => has(document, key));
  if (content !== undefined)
    document.file.report.add('location_with_content', at(document, content), content);
  return pointer;
}

function readInline(document: FilePart): AdagentsDeclaration | undefined {
  const other = has(document, 'agents') ? 'agents' : hasLegacyProperties(document) && 'properties';
  if (other) document.file.report.add('both_agent_lists', at(document, other));
  for (const key of Object.keys(document.value))
    if (!TOP_MEMBERS.has(key) && isListMisspelt(key))
      document.file.report.add('member_twice', at(document, key), key);
  const list = document.value.authorized_agents;
  const isLegacy = Array.isArray(list) && list.length > 0 && list.every(lacksType);
  const variant = isLegacy ? 'legacy' : 'inline';
  return readList(document, 'authorized_agents', readEntry, variant, (read) => {
    const entries = withoutShadowed(read, document.file);
    const isTagged = entries.some(({ limits }) => limits.placementTags !== undefined);
    return isTagged ? withPlacements(entries, document) : entries;
  });
}

/** Its publisher says whose inventory the agents may sell: one that cannot be read authorises nobody. */
function readSimple(document: FilePart): AdagentsDeclaration | undefined {
  const read = readList(document, 'agents', readSimpleEntry, 'simple');
  const isClear = hasNoStray(document, TOP_MEMBERS, MEANT_PUBLISHER);
  if (read === undefined || (isClear && isPublisherRead(document, read))) return read;
  return { ...read, entries: [] };
}

function lacksType(entry: unknown): boolean {
  return typeof entry !== 'object' || entry === null || !('authorization_type' in entry);
}

/** A list that is no array is a broken file and must not look like a file that authorises nobody. */
function readList(
  document: FilePart,
  key: string,
  readOne: (entry: FilePart) => AuthorisationEntry | undefined,
  variant: AdagentsVariant,
  choose = (entries: readonly AuthorisationEntry[]): readonly AuthorisationEntry[] => entries,
): AdagentsDeclaration | undefined {
  if (!Array.isArray(document.value[key])) {
    document.file.report.add('wrong_type', at(document, key), document.value[key]);
    return undefined;
  }
  if (sizeOf(document, key) === 0 && !hasCatalogue(document))
    document.file.report.add('nobody_authorised', at(document, key));
  const read = readObjects(document, key).map(readOne);
  const entries = read.filter((entry) => entry !== undefined).toArray();
  return assemble(document, variant, choose(entries));
}

function assemble(
  document: FilePart,
  variant: AdagentsVariant,
  read: readonly AuthorisationEntry[],
  properties = readProperties(document, 'properties'),
): AdagentsDeclaration {
  const isPlain = Object.keys(document.value).every((key) => TOP_MEMBERS.has(key));
  const revoking = isPlain ? NONE : revokingMembers(document);
  const entries =
    isPlain || hasNoStray(document, new Set([...TOP_MEMBERS, ...revoking]), MEANT_TOP) ? read : [];
  checkReferences(entries, properties, document.file.report);
  checkSuccessor(document);
  return {
    kind: 'adagents',
    variant,
    entries,
    properties,
    revokedPublisherDomains: isPlain ? [] : [...revokedDomains(document, revoking)],
    catalogue: {
      collections: sizeOf(document, 'collections'),
      placements: sizeOf(document, 'placements'),
      formats: sizeOf(document, 'formats'),
      signals: sizeOf(document, 'signals'),
    },
    ...(isCatalogueUnread(document, entries, properties) && { listsOthers: true }),
    ...defined({
      publisher: readPublisher(document),
      contact: readContact(document),
      lastUpdated: has(document, 'last_updated') ? readLastUpdated(document) : undefined,
    }),
  };
}

/** Buyers' clients read the file as it stands, and the format's schema says to read the other one. */
function checkSuccessor(document: FilePart): void {
  const { superseded_by: successor } = document.value;
  if (has(document, 'superseded_by'))
    document.file.report.add('superseded', at(document, 'superseded_by'), successor);
}

function readPublisher(document: FilePart): AdagentsDeclaration['publisher'] {
  const place = readObject(document, 'publisher');
  return place && defined({ name: readString(place, 'name', 500), domain: readDomain(place, 'domain') });
}

function readContact(document: FilePart): AdagentsDeclaration['contact'] {
  const place = readObject(document, 'contact');
  if (place === undefined) return undefined;
  const [name, email] = [readString(place, 'name', 500), readString(place, 'email', 500)];
  return defined({
    name,
    email,
    domain: readDomain(place, 'domain'),
    sellerId: readString(place, 'seller_id', 500),
  });
}

function hasCatalogue(document: FilePart): boolean {
  return CATALOGUE.some((key) => sizeOf(document, key) > 0);
}
