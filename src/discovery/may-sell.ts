import { defined } from '../base/json.ts';
import { nearestName, withNearest as withNearestName } from '../base/near-names.ts';
import {
  type Answer,
  type AuthoriseCode,
  type AuthorisingEntry,
  answeringPublishers,
  type Because,
  type PublisherFacts,
  type Question,
} from '../domain/authorisation-question.ts';
import { authorise } from '../domain/authorise.ts';
import { coverageOf } from '../domain/covered-property.ts';
import { SITE_TYPES } from '../domain/declaration.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import type { AuthorisationStore, StoredPublisher } from '../records/agents/authorisations.ts';
import { declaredPublisher, leftOutOf } from './declared-publisher.ts';
import { isInForce } from './derive-authorisations.ts';
import { IDENTIFIER_TYPES } from './read-property.ts';
import { isReadLongAgo } from './schedule.ts';

/** A declaration is read again up to this size: for a reason, and for an answer of another moment. */
const MAX_CHARS = { reason: 256 * 1024, answer: 4 * 1024 * 1024 } as const;
/** Of so many publishers; the rows of the others have to do. */
const MAX_READ = 5;

/**
 * May this agent sell this? Now, the rows answer. A no is explained by the declaration behind them, which stays a no. At
 * another moment the declaration of that moment answers; an entry that the rows did not count then gives no yes.
 */
export async function maySell(store: AuthorisationStore, question: Question, now: number): Promise<Answer> {
  const answer = await answerFrom(store, question, now);
  if (answer.authorized) return answer;
  return withNearest(store, withKnownType(answer, question), question, now);
}

/** URLs of agents that are looked at for the nearest one, and that are shown. */
const MAX_SIBLINGS = 50;
const MAX_NEAREST = 5;

/** Reasons of one answer for which the nearest names are looked up. */
const MAX_LOOKED_UP = 3;

/** A no with the names that come nearer to a yes: another spelling of the publisher's domain, or of the agent's URL. */
export async function withNearest(
  store: AuthorisationStore,
  answer: Answer,
  question: Question,
  now: number,
): Promise<Answer> {
  if (answer.authorized) return answer;
  const because = await Promise.all(
    answer.because.map(async (reason, at) => {
      if (at >= MAX_LOOKED_UP) return reason;
      const nearest = await nearestNames(store, reason, question, now);
      return nearest.length === 0 ? reason : { ...reason, nearest };
    }),
  );
  return { ...answer, because };
}

async function nearestNames(
  store: AuthorisationStore,
  { code, publisher }: Because,
  question: Question,
  now: number,
): Promise<readonly string[]> {
  if (code === 'not_named') return siblingsNamed(store, { ...question, ...defined({ publisher }) }, now);
  return code === 'unknown_publisher' || code === 'no_file' ? otherSpellings(store, question) : [];
}

/** Agents of the same host that may sell this now, or else those that are named at all. */
async function siblingsNamed(
  store: AuthorisationStore,
  { agent, at: _, ...question }: Question,
  now: number,
): Promise<readonly string[]> {
  const host = new URL(agent).hostname;
  const other = host.startsWith('www.') ? host.slice(4) : `www.${host}`;
  const found = await Promise.all([host, other].map((one) => store.agentsOnHost(one, MAX_SIBLINGS)));
  const siblings = found.flat().filter((url) => url !== agent);
  if (siblings.length === 0) return [];
  const read = await store.facts(question, siblings);
  const named = read.filter(({ publishers }) => publishers.some(({ entries }) => entries.length > 0));
  const sellers = named.filter(({ agent: url, publishers }) => {
    const facts = publishers.map((publisher) => publisherFacts(publisher, now));
    return authorise({ ...question, agent: url, at: now }, facts).authorized;
  });
  return (sellers.length > 0 ? sellers : named).slice(0, MAX_NEAREST).map((one) => one.agent);
}

/** The `www.` name of a domain that has a file where the domain itself has none. */
async function otherSpellings(
  store: AuthorisationStore,
  { agent, publisher, property }: Question,
): Promise<readonly string[]> {
  const site =
    property !== undefined && 'type' in property && SITE_TYPES.has(property.type)
      ? property.value
      : undefined;
  const domain = publisher ?? site;
  if (domain === undefined || registrableDomain(domain) !== domain) return [];
  const other = `www.${domain}`;
  const [facts] = await store.facts({ publisher: other }, [agent]);
  return facts?.publishers.some((one) => one.publisher === other && one.url !== undefined) ? [other] : [];
}

/** Names of a file that one which it does not list is compared with. */
const MAX_COMPARED = 1_000;

/** The id or identifier that the file lists and that is spelt most like the one that is asked for. */
function nearestProperty({ property }: Question, { properties }: PublisherFacts): string | undefined {
  if (property === undefined) return undefined;
  if ('id' in property)
    return nearestName(
      property.id,
      properties.slice(0, MAX_COMPARED).flatMap(({ propertyId }) => propertyId ?? []),
    );
  const identifiers = properties
    .slice(0, MAX_COMPARED)
    .flatMap((one) => one.identifiers.slice(0, MAX_COMPARED));
  const alike = identifiers.slice(0, MAX_COMPARED).filter(({ type }) => type === property.type);
  const value = nearestName(property.value, new Set(alike.map((one) => one.value)));
  return value && `${property.type}:${value}`;
}

/** A type that is misspelt is in no file: whoever is told so looks for the mistake in the right place. */
function withKnownType(answer: Answer, { property }: Question): Answer {
  const [first, ...others] = answer.because;
  if (first === undefined || property === undefined || 'id' in property) return answer;
  const { type } = property;
  const isMissing = first.code === 'unknown_publisher' || first.code === 'no_such_property';
  if (!isMissing || SITE_TYPES.has(type) || IDENTIFIER_TYPES.has(type)) return answer;
  const types = [...SITE_TYPES, ...IDENTIFIER_TYPES];
  const rule = withNearestName(`${first.rule}; ${type} is an unknown identifier type`, type, types);
  return { ...answer, because: [{ ...first, rule }, ...others] };
}

async function answerFrom(store: AuthorisationStore, question: Question, now: number): Promise<Answer> {
  const stored = await storedFor(store, question);
  const live = stored.map((publisher) => publisherFacts(publisher, now));
  const isNow = question.at === now;
  if (isNow) {
    const answer = authorise(question, live);
    const told = answer.because.some(({ code }) => code === 'disputed' || code === 'unread');
    if (answer.authorized || told) return answer;
  }
  const read = stored.slice(0, MAX_READ);
  const maxChars = MAX_CHARS[isNow ? 'reason' : 'answer'];
  const told = await Promise.all(
    read.map(async (publisher) => (await asDeclared(store, publisher, { question, now, maxChars })).facts),
  );
  const facts = live.map((publisher, index) => told[index] ?? unread(publisher, isNow));
  const answer = withCoverage(question, authorise(question, facts), facts);
  return isNow && answer.authorized ? authorise(question, live) : answer;
}

/** Reasons for which what the entry does cover is the next question. */
const COVERED_OTHERWISE: ReadonlySet<AuthoriseCode> = new Set<AuthoriseCode>([
  ...(['no_such_property', 'other_property', 'part_only', 'collection', 'placement', 'country'] as const),
]);

/** A no with what its entries do cover, and for a property that nobody listed the nearest one that is listed. */
export function withCoverage(question: Question, answer: Answer, facts: readonly PublisherFacts[]): Answer {
  if (answer.authorized) return answer;
  const because = answer.because.map((one): Because => {
    if (!COVERED_OTHERWISE.has(one.code)) return one;
    const at = facts.find(({ publisher }) => publisher === one.publisher);
    const entry = at?.entries.find(({ entry: pointer }) => pointer === one.entry);
    const covers = at && entry ? coverageOf(at, entry) : undefined;
    const nearest = at && one.code === 'no_such_property' ? nearestProperty(question, at) : undefined;
    return { ...one, ...defined({ covers, nearest: nearest === undefined ? undefined : [nearest] }) };
  });
  return { ...answer, because };
}

/** With what was read of the records for it, bytes. */
interface ReadFacts extends PublisherFacts {
  readonly bytes: number;
}

/**
 * Those of these agents that may sell something now, by the live rows: about as many of them as one read has room for, the
 * first one at least; `asked` says how many, and `bytes` what was read.
 */
export async function sellersAmong(
  store: AuthorisationStore,
  question: Omit<Question, 'agent' | 'at'>,
  agents: readonly string[],
  now: number,
): Promise<{ readonly sellers: readonly string[]; readonly asked: number; readonly bytes: number }> {
  const read = await store.facts(question, agents);
  const sellers = read.filter(({ agent, publishers }) => {
    const facts = publishers.map((publisher) => publisherFacts(publisher, now));
    return authorise({ ...question, agent, at: now }, facts).authorized;
  });
  const bytes = read.flatMap(({ publishers }) => publishers).reduce((sum, one) => sum + one.bytes, 0);
  return { sellers: sellers.map(({ agent }) => agent), asked: read.length, bytes };
}

async function storedFor(
  store: AuthorisationStore,
  { agent, ...question }: Question,
): Promise<readonly StoredPublisher[]> {
  const [facts] = await store.facts(question, [agent]);
  return facts?.publishers ?? [];
}

/**
 * The publisher of a question at its moment: now by the live rows, without those properties that the question does not
 * name; at another moment by the declaration of that moment, with all of them. One that does not fit is cut: its entries are
 * there, unread. Undefined: never seen.
 */
export async function publisherFactsAt(
  store: AuthorisationStore,
  question: Question & { readonly publisher: string },
  now: number,
  room: number,
): Promise<(ReadFacts & { readonly isCut?: boolean }) | undefined> {
  const [stored] = answeringPublishers(question, await storedFor(store, question), hasFile);
  if (stored === undefined) return undefined;
  const live = publisherFacts(stored, now);
  if (question.at === now) return live;
  const maxChars = Math.min(room, MAX_CHARS.answer);
  const { facts, chars } = await asDeclared(store, stored, { question, now, maxChars });
  return { ...(facts ?? unread(live, false)), bytes: stored.bytes + chars, isCut: facts === undefined };
}

function hasFile({ url }: StoredPublisher): boolean {
  return url !== undefined;
}

function publisherFacts({ source, url, ...rows }: StoredPublisher, now: number): ReadFacts {
  return { ...rows, ...(url !== undefined && { file: { url, stale: isReadLongAgo(source, now) } }) };
}

/** A publisher as its declaration has it now, for the reason of a no, which stays a no; undefined: too long to be read for one. */
export async function publisherReasons(
  store: AuthorisationStore,
  question: Question & { readonly publisher: string },
): Promise<PublisherFacts | undefined> {
  const [stored] = answeringPublishers(question, await storedFor(store, question), hasFile);
  const moment = { question, now: question.at, maxChars: MAX_CHARS.reason };
  return stored && (await asDeclared(store, stored, moment)).facts;
}

/** What the rows say, or for another moment nothing. */
function unread(facts: PublisherFacts, isNow: boolean): PublisherFacts {
  if (isNow || facts.file === undefined) return facts;
  return { ...facts, entries: facts.entries.map(({ entry }) => ({ entry })) };
}

interface Moment {
  readonly question: Question;
  readonly now: number;
  readonly maxChars: number;
}

/** What the declaration of the moment says; no facts when it is too large to be read for one question. */
async function asDeclared(
  store: AuthorisationStore,
  { publisher, source }: StoredPublisher,
  { question: { agent, at }, now, maxChars }: Moment,
): Promise<{ readonly facts?: PublisherFacts; readonly chars: number }> {
  const moment = Math.min(at, now);
  const read = await store.declarationAt(publisher, moment, maxChars);
  if (read === undefined) {
    const nothing = { publisher, hasCatalogue: false, properties: [], entries: [] };
    return { facts: { ...nothing, ...(at < now && { knownSince: source.firstSeenAt }) }, chars: 0 };
  }
  const { chars, declaration: found } = read;
  const declaration = found?.value;
  if (found === undefined || declaration?.kind !== 'adagents') return { chars };
  const { via, url } = found;
  const stale = at >= now && isReadLongAgo(source, now);
  const facts = declaredPublisher({ declaration, domain: publisher, via, url, stale });
  const counted = await store.entriesAt(publisher, agent, moment);
  const entries = facts.entries
    .filter((entry) => entry.agent === agent)
    .map(({ entry, covers, limits = {} }): AuthorisingEntry => {
      const held = isInForce({ limits }, moment) && !counted.has(entry);
      return { entry, limits, covers, ...(held && { held }) };
    });
  const leftOut = leftOutOf(declaration, found.findings);
  return { facts: { ...facts, entries, ...(leftOut && { leftOut }) }, chars };
}
