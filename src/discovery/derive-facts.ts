import { defined } from '../base/json.ts';
import type {
  AdagentsDeclaration,
  AuthorisationEntry,
  BrandAgent,
  BrandDeclaration,
  Declaration,
  Revocation,
} from '../domain/declaration.ts';
import type {
  AuthorisationVia,
  DeclaredFacts,
  Mention,
  Reference,
  ReferenceReason,
} from '../domain/declared-facts.ts';
import { parseDomain } from '../domain/domain-name.ts';
import type { StoredDeclaration } from '../domain/visit.ts';
import { deriveAuthorisations, isInForce } from './derive-authorisations.ts';
import { ByPublisher, publishersOf } from './own-properties.ts';
import { deriveClaims } from './read-ard.ts';
import { brandWords } from './read-portfolio.ts';

type FileDeclaration = AdagentsDeclaration | BrandDeclaration;
type Named = readonly (readonly [ReferenceReason, string | undefined])[];

export interface DeriveInput {
  readonly declaration: Declaration;
  /** The domain for which the file was read. */
  readonly domain: string;
  /** How the domain came to say it. */
  readonly via: AuthorisationVia;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The manager whose file it is, when `via` is `manager`. */
  readonly managerDomain?: string;
  /** Where the file stood. */
  readonly url?: string;
}

/**
 * What follows from a declaration at one moment: who is authorised, who is mentioned, where else to look. Pure:
 * the same input gives the same facts, and `rederiveAt` says when another `now` would give others.
 */
export function deriveFacts(input: DeriveInput): DeclaredFacts {
  const { declaration, now } = input;
  if (declaration.kind === 'ard') return deriveClaims(declaration, input.domain);
  const references = deriveReferences(declaration, input);
  if (declaration.kind === 'brand') {
    const mentions = deriveMentions(declaration, input.domain);
    const named = { brandWords: brandWords(input.domain, declaration), ...deriveOperators(declaration, now) };
    return { authorisations: [], properties: [], mentions, references, ...named };
  }
  const { authorisations, concerned, properties } = deriveAuthorisations({ ...input, declaration });
  const entries = input.via === 'own' ? declaration.entries : concerned;
  const spoken = input.via === 'own' ? unrevokedEntries(declaration, input.domain, now) : concerned;
  const inForce = spoken.filter((entry) => isInForce(entry, now));
  const mentions = deriveMentions({ ...declaration, entries: inForce }, input.domain);
  const changesAt = [
    ...declaration.revokedPublisherDomains.map(({ heldUntil }) => heldUntil),
    ...entries.flatMap(({ limits }) => [limits.effectiveFrom, limits.effectiveUntil]),
  ];
  return { authorisations, mentions, references, properties, operators: [], ...soonest(changesAt, now) };
}

/** The facts of a stored declaration at another moment than the one it was read at. */
export function deriveStored(stored: StoredDeclaration, now: number): DeclaredFacts {
  const { value: declaration, key: domain, via, manager: managerDomain, url } = stored;
  return deriveFacts({ declaration, domain, via, now, url, ...defined({ managerDomain }) });
}

/** The entries of a domain's own file that still speak of a publisher which the file has not revoked. */
function unrevokedEntries(
  { entries, revokedPublisherDomains }: AdagentsDeclaration,
  domain: string,
  now: number,
): readonly AuthorisationEntry[] {
  if (revokedPublisherDomains.length === 0) return entries;
  const revoked = new ByPublisher<Revocation>();
  for (const revocation of revokedPublisherDomains)
    if (now < (revocation.heldUntil ?? Infinity)) revoked.add(revocation.publisherDomain, revocation);
  return entries.filter(({ scope }) => {
    const publishers = publishersOf(scope);
    const about = publishers.length === 0 ? [domain] : publishers;
    return about.some((publisher) => revoked.of(publisher).length === 0);
  });
}

function deriveOperators(
  brand: BrandDeclaration,
  now: number,
): Pick<DeclaredFacts, 'operators' | 'rederiveAt'> {
  const inForce = brand.authorizedOperators.filter(
    ({ validFrom = -Infinity, validUntil = Infinity }) => validFrom <= now && now < validUntil,
  );
  const changesAt = brand.authorizedOperators.flatMap(({ validFrom, validUntil }) => [validFrom, validUntil]);
  return { operators: [...new Set(inForce.map((operator) => operator.domain))], ...soonest(changesAt, now) };
}

/** The first of some moments that is still to come. */
function soonest(moments: readonly (number | undefined)[], now: number): Pick<DeclaredFacts, 'rederiveAt'> {
  let first = Infinity;
  for (const moment of moments) if (moment !== undefined && moment > now && moment < first) first = moment;
  return first === Infinity ? {} : { rederiveAt: first };
}

/** Every agent that a file names, once for each entry. What a brand says of an agent goes with it as a claim. */
function deriveMentions(declaration: FileDeclaration, declarer: string): readonly Mention[] {
  if (declaration.kind === 'adagents')
    return declaration.entries.map((entry) => mentionOfEntry(entry, declarer));
  const { contact } = declaration;
  return declaration.agents.map((agent) => ({ ...mentionOfAgent(agent, declarer), ...defined({ contact }) }));
}

function mentionOfEntry(entry: AuthorisationEntry, declarer: string): Mention {
  const { agent, url: declaredUrl, pointer, claimedProtocol, claimedCapabilities } = entry;
  const claims = defined({ claimedProtocol, claimedCapabilities });
  return { agent, declaredUrl, declarer, file: 'adagents', entry: pointer, ...claims };
}

function mentionOfAgent(named: BrandAgent, declarer: string): Mention {
  const { agent, url: declaredUrl, pointer, name, description, jwksUri } = named;
  const type = named.type === 'unknown' ? undefined : named.type;
  const said = defined({ type, name, description, jwksUri });
  return { agent, declaredUrl, declarer, file: 'brand', entry: pointer, ...said };
}

/**
 * Other domains worth a visit, each once, with the first reason found. A file that speaks for many publishers
 * names its others only when it is read on its own domain: each of them would name all the rest otherwise.
 */
function deriveReferences(declaration: FileDeclaration, input: DeriveInput): readonly Reference[] {
  const { domain, via, managerDomain, url } = input;
  const ledTo = declaration.kind === 'adagents' && via === 'reference' ? hostOf(url) : undefined;
  const reasons = new Map<string, ReferenceReason>();
  const add = (named: Named): void => {
    for (const [reason, name] of named)
      if (name !== undefined && name !== domain && !reasons.has(name)) reasons.set(name, reason);
  };
  add([
    ['manager', managerDomain],
    ['authoritative_location', hostOf(declaration.authoritativeLocation)],
    // a pointer that was followed has the content of another file: the place of that one is where it led
    ['authoritative_location', ledTo],
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
