import { present } from '../../base/json.ts';
import {
  type AuthorisingEntry,
  MAX_PUBLISHERS,
  QUESTION_BOUNDS,
} from '../../domain/authorisation-question.ts';
import { type AuthorisationLimits, SITE_TYPES } from '../../domain/declaration.ts';
import type { Coverage } from '../../domain/declared-facts.ts';
import { identifiersOfSite, publishersNamed, sitesAbove } from '../../domain/domain-name.ts';
import type { AuthorisationStore, QuestionOfMany, StoredPublisher } from '../../ports/authorisations.ts';
import { none, type SqlStore, type SqlTask, together } from '../sql-tasks.ts';
import { all, first, type Param, parsed, prepare, sql } from '../statements.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';
import { identifierName, idName, listedProperty } from '../visits/property-rows.ts';
import { publishersListing } from './listed-properties.ts';
import { createShares, namedProperties, type ReadShare } from './question-size.ts';

export function createAuthorisationStore(store: SqlStore): AuthorisationStore {
  const selectSource = prepare(store, publisherSource);
  const selectListing = prepare(store, publishersListing);
  const selectProperties = prepare(store, namedProperties);
  const selectEntries = prepare(store, liveEntries, {});
  const selectPlaces = prepare(store, livePlaces, {});
  const shares = createShares(store);
  const selectPast = prepare(store, entriesOfMoment);
  const selectAgents = prepare(store, agentsBetween);

  function* publishersOf(
    { publisher, property }: QuestionOfMany,
    names: readonly string[],
  ): SqlTask<readonly string[]> {
    if (publisher !== undefined) return publishersNamed(publisher);
    if (property === undefined || !('type' in property)) return [];
    if (SITE_TYPES.has(property.type)) return sitesAbove(property.value);
    return (yield* selectListing.all({ name: names[0] ?? '', limit: MAX_PUBLISHERS + 1 })).map(
      (row) => row.publisher,
    );
  }
  function* knownAs(publisher: string): SqlTask<readonly KnownPublisher[]> {
    const row = yield* selectSource.first({ publisher });
    if (row === undefined) return [];
    const source = {
      failures: row.failures,
      firstSeenAt: row.first_seen_at,
      nextVisitAt: row.next_visit_at,
      ...present({ lastVisitAt: row.last_visit_at, lastSuccessAt: row.last_success_at }),
    };
    return [{ publisher, source, ...present({ url: row.url }), hasCatalogue: row.catalogue !== null }];
  }
  /** Where there is no room, the entries are there, unread: they authorise nothing and still object. */
  function* entriesOf(
    publisher: string,
    { agent, naming, bytes }: ReadShare,
  ): SqlTask<readonly [agent: string, entries: readonly AuthorisingEntry[]]> {
    if (!naming.has(publisher)) return [agent, []];
    if (bytes.has(publisher))
      return [agent, (yield* selectEntries.all({ publisher, agent })).map(authorisingEntry)];
    return [agent, (yield* selectPlaces.all({ publisher, agent })).map(({ entry }) => ({ entry }))];
  }
  function* factsOf(
    known: KnownPublisher,
    read: readonly ReadShare[],
    names: readonly string[],
  ): SqlTask<(share: ReadShare) => StoredPublisher> {
    const { publisher } = known;
    const isAsked = names.length > 0 && read.some(({ bytes }) => bytes.has(publisher));
    const [listed, named] = yield* together([
      isAsked ? selectProperties.all({ names, publisher }) : none(),
      together(read.map((share) => entriesOf(publisher, share))),
    ]);
    const [properties, entries] = [listed.map(listedProperty), new Map(named)];
    return ({ agent, bytes }) => ({
      ...known,
      bytes: bytes.get(publisher) ?? 0,
      properties: bytes.has(publisher) ? properties : [],
      entries: entries.get(agent) ?? [],
    });
  }
  return {
    facts: (question, agents) =>
      store.read(function* () {
        const names = namesAsked(question);
        const publishers = yield* publishersOf(question, names);
        const [known, read] = yield* together([
          together(publishers.map(knownAs)),
          shares(publishers, agents, names),
        ]);
        const facts = yield* together(known.flat().map((one) => factsOf(one, read, names)));
        return read.map((share) => ({ agent: share.agent, publishers: facts.map((of) => of(share)) }));
      }),
    async agentsOnHost(host, limit) {
      const ranges = ['https', 'http'].flatMap((scheme) =>
        BEHIND_HOST.map(([from, to]) => ({
          from: `${scheme}://${host}${from}`,
          to: `${scheme}://${host}${to}`,
          limit,
        })),
      );
      const rows = await store.read(() => together(ranges.map((range) => selectAgents.all(range))));
      return rows.flat().map((row) => row.agent);
    },
    async entriesAt(publisher, agent, at) {
      const rows = await store.read(() => selectPast.all({ publisher, agent, at }));
      return new Set(rows.map((row) => row.entry));
    },
    declarationAt: (publisher, at, maxChars) =>
      store.read(function* () {
        const known = yield* first(store, declarationOfMoment(publisher, at));
        if (known === undefined) return undefined;
        const [size] = yield* all(
          store,
          sql
            .selectFrom('declared_value')
            .select((row) => row.fn<number>('length', ['value']).as('chars'))
            .where('hash', '=', known.value_hash),
        );
        if (size === undefined || size.chars > maxChars) return { chars: 0 };
        const row = yield* first(store, selectDeclarations().where('declaration.id', '=', known.id));
        return row && { chars: size.chars, declaration: storedDeclaration(row) };
      }),
  };
}

/** What may follow a host in a canonical URL, a path or a port, each with the character behind it. */
const BEHIND_HOST = [
  ['/', '0'],
  [':', ';'],
] as const;

type KnownPublisher = Omit<StoredPublisher, 'bytes' | 'properties' | 'entries'>;

function namesAsked({ property }: QuestionOfMany): readonly string[] {
  if (property === undefined) return [];
  if ('id' in property) return [idName(property.id)];
  const { type, value } = property;
  const values = type === 'domain' ? identifiersOfSite(value) : [value];
  return values.map((name) => identifierName({ type, value: name }));
}

function authorisingEntry(row: {
  readonly entry: string;
  readonly covers: string | null;
  readonly limits: string | null;
}): AuthorisingEntry {
  return {
    entry: row.entry,
    ...present({ covers: parsed<Coverage>(row.covers), limits: parsed<AuthorisationLimits>(row.limits) }),
  };
}

function publisherSource(param: Param<{ publisher: string }>) {
  return sql
    .selectFrom('source')
    .leftJoin('declaration', 'declaration.id', 'source.declaration')
    .select(['source.failures', 'source.first_seen_at', 'source.next_visit_at', 'source.last_visit_at'])
    .select(['source.last_success_at', 'declaration.url'])
    .select((row) =>
      row
        .selectFrom('property')
        .select('property.id')
        .whereRef('property.publisher', '=', 'source.key')
        .where('property.entry', 'is', null)
        .limit(1)
        .as('catalogue'),
    )
    .where('source.kind', '=', 'adagents')
    .where('source.key', '=', param('publisher'));
}

type Edge = Param<{ publisher: string; agent: string }>;

const liveEntries = (param: Edge) => liveOf(param).select(['entry', 'covers', 'limits']);
const livePlaces = (param: Edge) => liveOf(param).select('entry');

/** By the index of agents: for `id` in its order alone SQLite would read all entries of the publisher, who may have 100,000. */
function liveOf(param: Edge) {
  return sql
    .selectFrom('authorisation')
    .where('agent', '=', param('agent'))
    .where('publisher', '=', param('publisher'))
    .where('seen_until', 'is', null)
    .where('id', '>', 0)
    .orderBy('id')
    .limit(QUESTION_BOUNDS.entries);
}

function agentsBetween(param: Param<{ from: string; to: string; limit: number }>) {
  return sql
    .selectFrom('agent')
    .select('agent')
    .where('agent', '>=', param('from'))
    .where('agent', '<', param('to'))
    .orderBy('agent')
    .limit(param('limit'));
}

function entriesOfMoment(param: Param<{ publisher: string; agent: string; at: number }>) {
  return sql
    .selectFrom('authorisation')
    .select('entry')
    .where('publisher', '=', param('publisher'))
    .where('agent', '=', param('agent'))
    .where('seen_from', '<=', param('at'))
    .where((row) => row.or([row('seen_until', 'is', null), row('seen_until', '>', param('at'))]))
    .limit(QUESTION_BOUNDS.entries);
}

function declarationOfMoment(publisher: string, at: number) {
  return sql
    .selectFrom('declaration')
    .innerJoin('source', 'source.id', 'declaration.source')
    .select(['declaration.id', 'declaration.value_hash'])
    .where('source.kind', '=', 'adagents')
    .where('source.key', '=', publisher)
    .where('declaration.seen_from', '<=', at)
    .where((row) =>
      row.or([row('declaration.seen_until', 'is', null), row('declaration.seen_until', '>', at)]),
    )
    .orderBy('declaration.id', 'desc');
}
