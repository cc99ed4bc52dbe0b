import { elements, isObject, type JsonObject } from '../../base/json.ts';
import type { AdagentsDeclaration, AuthorisationLimits, Declaration } from '../../domain/declaration.ts';
import type { Authorisation, AuthorisationVia } from '../../domain/declared-facts.ts';
import type { Finding } from '../../domain/finding.ts';
import { bareName } from '../../domain/property-identity.ts';
import { declaredPublisher } from '../declared-publisher.ts';
import { deriveAuthorisations, isInForce } from '../derive-authorisations.ts';
import { namesPublisher, publishersOf } from '../own-properties.ts';
import { basisOf, conditionFor, leniencyOf, wordsFor } from './summary-words.ts';

/** An agent and what it may sell of one publisher, as buyers' strict clients read it. */
export interface SummarySeller {
  readonly agent: string;
  /** JSON pointer of the entry. */
  readonly entry: string;
  /** What it may sell, in words. */
  readonly sells: string;
  /** How many properties of each type that is, as far as the file lists them. */
  readonly properties: Readonly<Record<string, number>>;
  readonly limits: AuthorisationLimits;
  /** Why strict clients may read less in the entry than we do. */
  readonly lenient?: string;
}

export interface PublisherSummary {
  /** Null: whoever publishes the file. */
  readonly publisher: string | null;
  /** What has to be so for the file to count for it, in words; absent: nothing, the file is its own. */
  readonly onlyIf?: string;
  readonly sellers: readonly SummarySeller[];
  /** The file revokes the publisher, so nobody may sell anything of it. */
  readonly revoked?: true;
}

/** Who may do what because of a file, bounded; `more` counts what is left out. */
export interface FileSummary {
  /** Of which file it is, in words: the one that was read, or that one with its certain fixes. */
  readonly basis: string;
  readonly publishers: readonly PublisherSummary[];
  /** Entries that are in force at another time. */
  readonly outOfTime: readonly {
    readonly agent: string;
    readonly entry: string;
    readonly limits: AuthorisationLimits;
  }[];
  /** Pointers of entries that authorise nobody: a finding says why. */
  readonly withoutEffect: readonly string[];
  /** Agents of a brand.json. */
  readonly agents: readonly { readonly agent: string; readonly type: string }[];
  readonly more: number;
}

export interface SummaryReader {
  /** The domain that publishes the file. */
  readonly domain?: string;
  readonly via: AuthorisationVia;
  readonly now: number;
}

interface Summarised {
  readonly declaration?: Declaration;
  readonly document: JsonObject;
  readonly findings: readonly Finding[];
  /** It is read with its certain fixes. */
  readonly isRepaired?: boolean;
}

const MAX_PUBLISHERS = 20;
const MAX_LINES = 50;
/** Stands for the domain that publishes a file, where nobody says which; no file can name it (RFC 6761, section 6.4). */
const SOMEBODY = 'publisher.invalid';

export function summaryOf(summarised: Summarised, reader: SummaryReader): FileSummary {
  const { declaration, document } = summarised;
  const basis = basisOf(summarised);
  const nothing = { basis, publishers: [], outOfTime: [], withoutEffect: [], agents: [], more: 0 };
  if (declaration === undefined) return nothing;
  if (declaration.kind !== 'adagents') {
    const agents = declaration.agents.map((named) => ({
      agent: named.agent,
      type: 'type' in named ? named.type : 'unknown',
    }));
    return { ...nothing, agents: agents.slice(0, MAX_LINES), more: Math.max(0, agents.length - MAX_LINES) };
  }
  const { own, names, read } = readForEach(declaration, reader);
  const effective = new Set(read.flatMap(({ effect }) => effect));
  const outOfTime = new Map(read.flatMap(({ late }) => late).map((entry) => [entry.entry, entry]));
  const isComplete = names.length <= MAX_PUBLISHERS && reader.via === 'own';
  const withoutEffect = isComplete
    ? pointersIn(document).filter((pointer) => !effective.has(pointer) && !outOfTime.has(pointer))
    : [];
  const isKnown = own !== SOMEBODY;
  const [first, ...others] = read.map(({ summary }) => summary);
  const named = others.filter(({ sellers, revoked }) => revoked || sellers.length > 0);
  // a file of somebody unknown who gets nothing by it is most often that of a publisher that it names
  const isFirstShown = first !== undefined && (isKnown || first.sellers.length > 0 || named.length === 0);
  const publishers = [
    ...(isFirstShown ? [first] : []),
    ...named.map((each) => ({ ...each, onlyIf: conditionFor(isKnown) })),
  ];
  const lines = publishers.map(({ sellers }) => Math.max(0, sellers.length - MAX_LINES));
  return {
    basis,
    publishers: publishers.map((each) => ({ ...each, sellers: each.sellers.slice(0, MAX_LINES) })),
    outOfTime: [...outOfTime.values()].slice(0, MAX_LINES),
    withoutEffect: withoutEffect.slice(0, MAX_LINES),
    agents: [],
    more: lines.reduce((sum, count) => sum + count, Math.max(0, names.length - MAX_PUBLISHERS)),
  };
}

/** The file as its own publisher reads it, and the first of those that it names; a host and its `www.` are one publisher. */
function readForEach(declaration: AdagentsDeclaration, reader: SummaryReader) {
  const own = reader.domain ?? declaration.publisher?.domain ?? SOMEBODY;
  const named = reader.via === 'own' ? publishersNamed(declaration) : [];
  const names = [own];
  for (const name of named) if (!names.some((known) => namesPublisher(known, name))) names.push(name);
  const read = names.slice(0, MAX_PUBLISHERS).map((domain) =>
    summarise(declaration, domain, {
      ...reader,
      via: domain === own ? reader.via : 'reference',
      isOwn: domain === own,
    }),
  );
  return { own, names, read };
}

/**
 * How many agents of a file may sell something now, as strict buyers read it: of its own publisher, or of one that it names
 * and whose file leads to it.
 */
export function sellersNow(declaration: AdagentsDeclaration, reader: SummaryReader): number {
  const { names, read } = readForEach(declaration, reader);
  const sellers = new Set(read.flatMap(({ summary }) => summary.sellers.map(({ agent }) => agent)));
  if (names.length <= MAX_PUBLISHERS) return sellers.size;
  // of the publishers that are not read one by one, each entry counts that names one
  const isRead = new Set(names.slice(0, MAX_PUBLISHERS).map(bareName));
  for (const { publisherDomain } of declaration.revokedPublisherDomains)
    isRead.add(bareName(publisherDomain));
  const isOther = (name: string | undefined): boolean => name !== undefined && !isRead.has(bareName(name));
  const others = declaration.properties.filter(({ publisherDomain }) => isOther(publisherDomain));
  const ids = new Set(others.map(({ propertyId }) => propertyId));
  const tags = new Set(others.flatMap((property) => property.tags));
  for (const entry of declaration.entries) {
    const { agent, scope } = entry;
    if (sellers.has(agent) || !isInForce(entry, reader.now)) continue;
    const isNamed =
      publishersOf(scope).some(isOther) ||
      (scope.type === 'property_ids' && scope.propertyIds.some((id) => ids.has(id))) ||
      (scope.type === 'property_tags' && scope.propertyTags.some((tag) => tags.has(tag)));
    if (isNamed) sellers.add(agent);
  }
  return sellers.size;
}

function summarise(
  declaration: AdagentsDeclaration,
  domain: string,
  { via, now, isOwn }: SummaryReader & { readonly isOwn: boolean },
) {
  const { authorisations, concerned } = deriveAuthorisations({ declaration, domain, via, now });
  const inForce = new Set(authorisations.map(({ entry }) => entry));
  const { revoked, revokedUntil = Infinity } = declaredPublisher({ declaration, domain, via, url: '' });
  const isRevoked = revoked !== undefined && now < revokedUntil;
  const sellers = authorisations.map((authorisation) => sellerOf(authorisation, declaration, isOwn));
  const summary: PublisherSummary = {
    publisher: domain === SOMEBODY ? null : domain,
    sellers: sellers.filter(({ sells }) => sells !== ''),
    ...(isRevoked && { revoked: true }),
  };
  const late = concerned
    .filter(({ pointer }) => !inForce.has(pointer))
    .map(({ agent, pointer, limits }) => ({ agent, entry: pointer, limits }));
  return { summary, late, effect: summary.sellers.map(({ entry }) => entry) };
}

function sellerOf(
  authorisation: Authorisation,
  { variant }: AdagentsDeclaration,
  isOwn: boolean,
): SummarySeller {
  const { agent, entry, countByType, limits = {}, scope } = authorisation;
  const lenient = leniencyOf(scope, variant);
  return {
    agent,
    entry,
    sells: wordsFor(authorisation, isOwn),
    properties: countByType,
    limits,
    ...(lenient !== undefined && { lenient }),
  };
}

/** Publishers that the file speaks of by name, in its order. */
function publishersNamed({ variant, publisher, properties, entries }: AdagentsDeclaration): string[] {
  const names = new Set<string>();
  const add = (name: string | undefined): void => {
    if (name !== undefined && names.size <= MAX_PUBLISHERS) names.add(name);
  };
  if (variant === 'simple') add(publisher?.domain);
  for (const { publisherDomain } of properties) add(publisherDomain);
  for (const { scope } of entries) {
    if (scope.type === 'inline_properties')
      for (const { publisherDomain } of scope.properties) add(publisherDomain);
    if (scope.type === 'publisher_properties')
      for (const { publisherDomains } of scope.selectors)
        publisherDomains.slice(0, MAX_PUBLISHERS + 1).forEach(add);
  }
  return [...names];
}

function pointersIn(document: JsonObject): string[] {
  const key = ['authorized_agents', 'agents'].find((name) => Array.isArray(document[name]));
  if (key === undefined) return [];
  return elements(document[key])
    .slice(0, 5_000)
    .flatMap((item, index) => (isObject(item) ? `/${key}/${index}` : []));
}
