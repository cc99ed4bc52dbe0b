import { present } from '../../base/json.ts';
import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { FileVersion, Graph } from '../../ports/graph.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { identifierName } from '../visits/property-rows.ts';
import {
  agentsNamed,
  edgesAmong,
  edgesOfEach,
  edgesOfPublisher,
  grouped,
  MAX_ENTRIES,
  nextPublishers,
  nextSold,
} from './graph-edges.ts';
import { knownPublisher, publishersInOrder, publishersNamed } from './known-publishers.ts';
import { createPropertiesReader, namesListed, publishersListing } from './listed-properties.ts';
import { createEntryReader, createPublisherEntryReader } from './live-entries.ts';
import { createNetworkReader } from './network-pointers.ts';

/** Reads of the edges by index alone. */
export function createGraph(store: SqlStore): Graph {
  const selectPublishers = prepare(store, publishersInOrder);
  const selectAmong = prepare(store, publishersNamed);
  const selectEdges = prepare(store, edgesOfPublisher);
  const selectOfEach = prepare(store, edgesOfEach);
  const live = { next: prepare(store, nextPublishers(true)), rows: prepare(store, edgesAmong(true)) };
  const ended = { next: prepare(store, nextPublishers(false)), rows: prepare(store, edgesAmong(false)) };
  const selectSold = prepare(store, nextSold);
  const selectStanding = prepare(store, agentStanding);
  const selectPlace = prepare(store, publisherAtPlace);
  const readProperties = createPropertiesReader(store);
  const selectListing = prepare(store, publishersListing);
  const selectListed = prepare(store, namesListed);
  const selectNamed = prepare(store, agentsNamed);
  const readEntries = createEntryReader(store);
  const readEntriesOf = createPublisherEntryReader(store);
  const readVersions = createVersionReader(store);

  return {
    async publishers(after = '', limit) {
      return (await store.read(() => selectPublishers.all({ after, limit }))).map(knownPublisher);
    },
    async publishersAmong(domains) {
      return (await store.read(() => selectAmong.all({ domains }))).map(knownPublisher);
    },
    async agentsOf(publisher, limit) {
      const rows = await store.read(() => selectEdges.all({ publisher, limit }));
      return { edges: grouped(rows, ({ agent }) => agent), isCut: rows.length === limit };
    },
    async agentsOfEach(publishers, limit) {
      if (publishers.length === 0) return { edges: [], isCut: false };
      const rows = await store.read(() => selectOfEach.all({ publishers, limit }));
      const edges = grouped(rows, ({ publisher, agent }) => `${publisher} ${agent}`);
      return { edges, isCut: rows.some(({ place }) => Number(place) === limit) };
    },
    publishersOf: (agent, { after = '', limit, isLive, entries = MAX_ENTRIES }) =>
      store.read(function* () {
        const { next, rows } = isLive ? live : ended;
        const publishers = (yield* next.all({ agent, after, limit })).map((row) => row.publisher);
        if (publishers.length === 0) return { edges: [] };
        const found = yield* rows.all({ agent, publishers, entries });
        const edges = grouped(found, ({ publisher }) => publisher);
        const isCut = found.length === entries;
        const last = isCut ? edges.at(-1)?.publisher : publishers[limit - 1];
        return { edges, ...(last !== undefined && { last }) };
      }),
    async domainsOf(agent, after, limit) {
      return (await store.read(() => selectSold.all({ agent, after, limit }))).map((row) => row.publisher);
    },
    async standingOf(agent) {
      const row = await store.read(() => selectStanding.first({ agent }));
      return row && { ever: row.authorised_from !== null, publishers: row.publisher_count };
    },
    properties: (publisher, room) => store.read(() => readProperties(publisher, room)),
    publisherAt: async (after, place) =>
      (await store.read(() => selectPlace.first({ after, skipped: place - 1 })))?.key,
    async publishersListing(type, value, limit) {
      const name = identifierName({ type, value });
      return (await store.read(() => selectListing.all({ name, limit }))).map((row) => row.publisher);
    },
    async areListed(identifiers) {
      const names = identifiers.map(identifierName);
      const found = await store.read(() => selectListed.all({ names }));
      const listed = new Set(found.map(({ name }) => name));
      return names.map((name) => listed.has(name));
    },
    versions: (...asked) => store.read(() => readVersions(...asked)),
    entriesOf: (...asked) => store.read(() => readEntriesOf(...asked)),
    ...createNetworkReader(store),
    entries: (page) => store.read(() => readEntries(page)),
    agentsNamedBy: async (declarer, limit) =>
      (await store.read(() => selectNamed.all({ declarer, limit }))).map((row) => row.agent),
  };
}

function agentStanding(param: Param<{ agent: string }>) {
  return sql
    .selectFrom('agent')
    .select(['authorised_from', 'publisher_count'])
    .where('agent', '=', param('agent'));
}

function publisherAtPlace(param: Param<{ after: string; skipped: number }>) {
  return sql
    .selectFrom('source')
    .select('key')
    .where('kind', '=', 'adagents')
    .where('declaration', 'is not', null)
    .where('key', '>', param('after'))
    .orderBy('key')
    .limit(1)
    .offset(param('skipped'));
}

/** Reads what a file said, by the index of its source; none of the texts is read. */
function createVersionReader(
  store: SqlStore,
): (...asked: Parameters<Graph['versions']>) => SqlTask<readonly FileVersion[]> {
  const select = prepare(store, versionsOf);
  return function* (domain, file, limit) {
    return (yield* select.all({ domain, file, limit })).map((row) => ({
      ...{ hash: row.value_hash, contentHash: row.content_hash },
      ...{ via: row.via, url: row.url, seenFrom: row.seen_from },
      ...{ agents: row.agents, properties: row.properties },
      ...present({ manager: row.manager }),
    }));
  };
}

function versionsOf(param: Param<{ domain: string; file: DeclarationKind; limit: number }>) {
  return sql
    .selectFrom('source')
    .innerJoin('declaration', 'declaration.source', 'source.id')
    .select(['declaration.value_hash', 'declaration.via', 'declaration.manager', 'declaration.url'])
    .select(['declaration.agents', 'declaration.properties'])
    .select(['declaration.seen_from', 'declaration.content_hash'])
    .where('source.kind', '=', param('file'))
    .where('source.key', '=', param('domain'))
    .orderBy('declaration.id', 'desc')
    .limit(param('limit'));
}
