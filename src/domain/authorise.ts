import { defined } from '../base/json.ts';
import {
  type Answer,
  AUTHORISE_CODES,
  type AuthoriseCode,
  type AuthorisingEntry,
  answeringPublishers,
  type Because,
  MAX_PUBLISHERS,
  type PublisherFacts,
  type Question,
} from './authorisation-question.ts';
import {
  coveredBy,
  isSite,
  type Matches,
  matchesOf,
  outOfLimits,
  speaksFor,
  textOf,
} from './covered-property.ts';
import type { AuthorisationLimits } from './declaration.ts';

/** What one entry says to the question, its window left aside. */
interface Said {
  readonly because: Because;
  readonly window: readonly [from: number, until: number];
  /** The limit of an entry for a part of the inventory that the question does not meet, whatever the part. */
  readonly otherwise?: string;
}

const MAX_REASONS = 20;
const MAX_PARTS = 5;

/**
 * Whether an agent may sell something, as a strict reader of the publishers' files would say. Pure.
 *
 * A site's own domain and those above it speak for it, and any of them suffices. Other identifiers (of apps, stations,
 * screens) can be listed by anybody: unless the question names the publisher, all files that list one must agree.
 */
export function authorise(question: Question, read: readonly PublisherFacts[]): Answer {
  const publishers = answeringPublishers(question, read, ({ file }) => file !== undefined);
  if (publishers.length > MAX_PUBLISHERS && !isSite(question)) {
    const rule = `more than ${MAX_PUBLISHERS} publishers list ${textOf(question)}; specify the publisher`;
    return { authorized: false, because: [{ code: 'disputed', rule }] };
  }
  const [only] = publishers;
  if (only !== undefined && publishers.length === 1) return authoriseAt(question, only);
  const answers = publishers.map((facts) => ({ facts, ...authoriseAt(question, facts) }));
  const yes = answers.filter(({ authorized }) => authorized);
  const no = answers.filter(({ authorized }) => !authorized);
  const [first] = yes;
  if (first === undefined) return refusal(question, answers);
  const agreed = new Set(yes.map(({ facts }) => facts.file?.url));
  const objecting = isSite(question) ? [] : no.filter(({ facts }) => !agreed.has(facts.file?.url));
  const [other] = objecting;
  if (other !== undefined) {
    const rule = `${first.facts.publisher} authorizes the agent, but ${other.facts.publisher} lists the same property and does not; specify the publisher`;
    const disputed: Because = { code: 'disputed', rule };
    return {
      authorized: false,
      because: [disputed, ...reasons(objecting)].slice(0, MAX_REASONS),
      ...soonest([...yes, ...objecting].map(({ until }) => until)),
    };
  }
  const until = Math.max(...yes.map((answer) => answer.until ?? Infinity));
  return {
    authorized: true,
    because: reasons(yes),
    ...(until !== Infinity && { until }),
    ...(yes.every(({ stale }) => stale) && { stale: true }),
  };
}

function refusal(question: Question, answers: readonly Answer[]): Answer {
  if (answers.length === 0) {
    const { publisher } = question;
    const unknown = publisher ?? (isSite(question) ? textOf(question) : undefined);
    const rule =
      unknown === undefined
        ? `no file lists ${textOf(question)}`
        : `${unknown} is not in the registry yet; crawl it first`;
    return { authorized: false, because: [{ code: 'unknown_publisher', rule, ...defined({ publisher }) }] };
  }
  const nearest = answers.toSorted((a, b) => nearness(b.because[0]) - nearness(a.because[0]));
  return {
    authorized: false,
    because: reasons(nearest),
    ...soonest(answers.map(({ until }) => until)),
    ...(nearest[0]?.stale && { stale: true }),
  };
}

function authoriseAt(question: Question, facts: PublisherFacts): Answer {
  const { publisher, file, entries, leftOut, revoked, revokedUntil = Infinity } = facts;
  const stale = file?.stale === true ? ({ stale: true } as const) : {};
  const refuse = (code: AuthoriseCode, rule: string, entry?: string): Answer => ({
    authorized: false,
    because: [{ publisher, ...defined({ file: file?.url, entry }), code, rule }],
    ...stale,
  });
  if (facts.isUnknown) return refusal(question, []);
  if (file === undefined) return refuse('no_file', withoutFile(question.at, facts));
  if (revoked !== undefined && question.at < revokedUntil)
    return {
      ...refuse('revoked', `revoked_publisher_domains lists ${publisher}`, revoked),
      ...(revokedUntil !== Infinity && { until: revokedUntil }),
    };
  if (!speaksFor(publisher, question)) {
    const rule = `${publisher} may list another site, but only the file of that site can authorize agents for it`;
    return refuse('foreign_site', rule);
  }
  if (entries.length === 0) {
    const more = leftOut && `; ${leftOut.entry}: ${leftOut.message}`;
    return refuse('not_named', `no entry authorizes the agent for ${publisher}${more ?? ''}`, leftOut?.entry);
  }
  const matches = matchesOf(question, facts);
  const said = entries.map((entry) => say(question, facts, matches, entry));
  const { at } = question;
  const open = said.filter(({ because }) => because.code === 'authorized');
  const inForce = open.filter(({ window: [from, until] }) => from <= at && at < until);
  if (inForce.length > 0) {
    const until = unbrokenUntil(at, open);
    const because = inForce.map((entry) => entry.because).slice(0, MAX_REASONS);
    return { authorized: true, because, ...(until !== Infinity && { until }), ...stale };
  }
  const outside = [...open.map((entry) => outOfWindow(entry, at)), ...said.map(({ because }) => because)];
  const nearest = outside
    .filter(({ code }) => code !== 'authorized')
    .toSorted((a, b) => nearness(b) - nearness(a));
  const begins = soonest(open.map(({ window: [from] }) => (from > at ? from : undefined)));
  const because = nearest[0]?.code === 'part_only' ? partsOf(said, question) : nearest.slice(0, 1);
  return { authorized: false, because, ...begins, ...stale };
}

/** Entries that cover a part are shown together, since the caller has to choose from them: those that count for the question first. */
function partsOf(said: readonly Said[], { at }: Question): readonly Because[] {
  const parts = said.filter(({ because }) => because.code === 'part_only');
  const rank = ({ otherwise, window: [from, until] }: Said): number =>
    (from <= at && at < until ? 0 : 2) + (otherwise === undefined ? 0 : 1);
  return parts
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, MAX_PARTS)
    .map((one) => {
      const { because, otherwise, window } = one;
      const [from, until] = window;
      const isOpen = from <= at && at < until;
      const more = [otherwise, isOpen ? undefined : outOfWindow(one, at).rule].filter(
        (rule) => rule !== undefined,
      );
      return more.length === 0 ? because : { ...because, rule: [because.rule, ...more].join('; ') };
    });
}

/** `knownSince` is there for a moment that has passed. */
function withoutFile(at: number, { publisher, knownSince }: PublisherFacts): string {
  if (knownSince === undefined) return `no adagents.json of ${publisher} is in use`;
  const since = new Date(knownSince).toISOString();
  if (at < knownSince)
    return `the registry had no data about ${publisher} at that time; its data begins at ${since}`;
  return `no adagents.json of ${publisher} was in use at that time; the data of the registry begins at ${since}`;
}

function say(question: Question, facts: PublisherFacts, matches: Matches, entry: AuthorisingEntry): Said {
  const { limits = {} } = entry;
  const { publisher, file } = facts;
  const place = file ? { publisher, file: file.url, entry: entry.entry } : { publisher, entry: entry.entry };
  const window = [limits.effectiveFrom ?? -Infinity, limits.effectiveUntil ?? Infinity] as const;
  const covered = coveredBy(question, facts, matches, entry);
  const limited = outOfLimits(question, limits);
  if (covered.code === 'part_only')
    return { because: { ...place, ...covered }, window, ...(limited && { otherwise: limited.rule }) };
  const refused = covered.code === 'authorized' ? limited : covered;
  if (refused !== undefined) return { because: { ...place, ...refused }, window };
  return { because: { ...place, ...covered, ...(entry.limits && leftOpen(question, limits)) }, window };
}

/** What an entry is limited to that the question does not say, and its terms. */
function leftOpen(question: Question, limits: AuthorisationLimits): Pick<Because, 'within' | 'terms'> {
  const { countries, collections, placementIds, placementTags, exclusive, delegationType } = limits;
  const within = defined({
    countries: question.country === undefined ? countries : undefined,
    collections: question.collection === undefined ? collections : undefined,
    ...(question.placement === undefined && { placementIds, placementTags }),
  });
  const terms = defined({ exclusive, delegationType });
  return {
    ...(Object.keys(within).length > 0 && { within }),
    ...(Object.keys(terms).length > 0 && { terms }),
  };
}

/** The entry covers it at another time. */
function outOfWindow({ because, window: [from, until] }: Said, at: number): Because {
  const { publisher, file, entry } = because;
  const place = defined({ publisher, file, entry });
  const named = `the entry ${because.entry ?? ''}`.trim();
  if (from > at)
    return { ...place, code: 'not_yet', rule: `${named} covers it from ${new Date(from).toISOString()}` };
  return { ...place, code: 'ended', rule: `${named} covered it until ${new Date(until).toISOString()}` };
}

/** Until when the windows of some entries, one of which is open at `at`, cover the time without a gap. */
function unbrokenUntil(at: number, entries: readonly Said[]): number {
  const [only] = entries;
  if (only !== undefined && entries.length === 1) return only.window[1];
  let end = at;
  for (const { window } of entries.toSorted((a, b) => a.window[0] - b.window[0])) {
    const [from, until] = window;
    if (from > end) break;
    if (until > end) end = until;
  }
  return end;
}

function reasons(answers: readonly Answer[]): readonly Because[] {
  return answers.flatMap(({ because }) => because).slice(0, MAX_REASONS);
}

function nearness(because: Because | undefined): number {
  return because === undefined ? -1 : AUTHORISE_CODES.indexOf(because.code);
}

function soonest(moments: readonly (number | undefined)[]): Pick<Answer, 'until'> {
  const until = Math.min(...moments.map((moment) => moment ?? Infinity));
  return until === Infinity ? {} : { until };
}
