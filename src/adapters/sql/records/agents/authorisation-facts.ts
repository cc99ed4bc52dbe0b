import { present } from '../../../../base/present.ts';
import {
  type AuthorisingEntry,
  MAX_PUBLISHERS,
  type Question,
} from '../../../../domain/authorisation-question.ts';
import { type AuthorisationLimits, SITE_TYPES } from '../../../../domain/declaration.ts';
import type { Coverage } from '../../../../domain/declared-facts.ts';
import { identifiersOfSite, sitesAbove } from '../../../../domain/domain-name.ts';
import type { AuthorisationStore, StoredPublisher } from '../../../../ports/authorisations.ts';
import { type SqlStore, type SqlTask, together } from '../../sql-tasks.ts';
import { all, first, type Param, parsed, prepare, sql } from '../../statements.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';
import { identifierName, idName, listedProperty } from '../visits/property-rows.ts';
import { publishersListing } from './listed-properties.ts';
import { createSizes, liveOf, propertiesNamed } from './question-size.ts';

/** Entries of one agent, and properties of one name, at one publisher; what is beyond authorises nothing. */
const MAX_ENTRIES = 1_000;
const MAX_PROPERTIES = 200;

export function createAuthorisationStore(store: SqlStore): AuthorisationStore {
  const selectSource = prepare(store, publisherSource);
  const selectListing = prepare(store, publishersListing);
  const selectProperties = prepare(store, namedProperties);
  const selectCatalogue = prepare(store, anyProperty);
  const selectEntries = prepare(store, liveEntries);
  const selectPlaces = prepare(store, livePlaces);
  const sizes = createSizes(store);
  const selectPast = prepare(store, entriesOfMoment);

  function* publishersOf(
    { publisher, property }: Question,
    names: readonly string[],
  ): SqlTask<readonly string[]> {
    if (publisher !== undefined) return [publisher];
    if (property === undefined || !('type' in property)) return [];
    if (SITE_TYPES.has(property.type)) return sitesAbove(property.value);
    return (yield* selectListing.all({ name: names[0] ?? '', limit: MAX_PUBLISHERS + 1 })).map(
      (row) => row.publisher,
    );
  }
  /** Where there is no room (no `bytes`), the entries are there, unread: they authorise nothing and still object. */
  function* factsOf(
    publisher: string,
    agent: string,
    names: readonly string[],
    bytes: number | undefined,
  ): SqlTask<StoredPublisher[]> {
    const source = yield* selectSource.first({ publisher });
    if (source === undefined) return [];
    const isAsked = names.length > 0 && bytes !== undefined;
    const properties = isAsked ? yield* selectProperties.all({ names, publisher }) : [];
    const catalogue = yield* selectCatalogue.first({ publisher });
    const entries =
      bytes === undefined
        ? (yield* selectPlaces.all({ publisher, agent })).map(({ entry }) => ({ entry }))
        : (yield* selectEntries.all({ publisher, agent })).map(authorisingEntry);
    return [
      {
        publisher,
        bytes: bytes ?? 0,
        source: {
          failures: source.failures,
          firstSeenAt: source.first_seen_at,
          nextVisitAt: source.next_visit_at,
          ...present({ lastVisitAt: source.last_visit_at, lastSuccessAt: source.last_success_at }),
        },
        ...present({ url: source.url }),
        hasCatalogue: catalogue !== undefined,
        properties: properties.map(listedProperty),
        entries,
      },
    ];
  }
  return {
    facts: (question) =>
      store.read(function* () {
        const names = namesAsked(question);
        const publishers = yield* publishersOf(question, names);
        const { agent } = question;
        const bytes = yield* sizes(publishers, agent, names);
        const tasks = publishers.map((publisher) => factsOf(publisher, agent, names, bytes.get(publisher)));
        return (yield* together(tasks)).flat();
      }),
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

function namesAsked({ property }: Question): readonly string[] {
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
    .where('source.kind', '=', 'adagents')
    .where('source.key', '=', param('publisher'));
}

function namedProperties(param: Param<{ names: readonly string[]; publisher: string }>) {
  return propertiesNamed(param).selectAll('property').limit(MAX_PROPERTIES);
}

function anyProperty(param: Param<{ publisher: string }>) {
  return sql
    .selectFrom('property')
    .select('id')
    .where('publisher', '=', param('publisher'))
    .where('entry', 'is', null)
    .limit(1);
}

function liveEntries(param: Param<{ publisher: string; agent: string }>) {
  return liveOf(param).select(['entry', 'covers', 'limits']).orderBy('id').limit(MAX_ENTRIES);
}

function livePlaces(param: Param<{ publisher: string; agent: string }>) {
  return liveOf(param).select('entry').orderBy('id').limit(MAX_ENTRIES);
}

function entriesOfMoment(param: Param<{ publisher: string; agent: string; at: number }>) {
  return sql
    .selectFrom('authorisation')
    .select('entry')
    .where('publisher', '=', param('publisher'))
    .where('agent', '=', param('agent'))
    .where('seen_from', '<=', param('at'))
    .where((row) => row.or([row('seen_until', 'is', null), row('seen_until', '>', param('at'))]))
    .limit(MAX_ENTRIES);
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
