// The module `agent-registry/client/directory`: nothing in it or below it needs Node.
import type { Answer } from '../../domain/authorisation-question.ts';
import type { PublisherToCopy } from '../../domain/copy-lines.ts';
import type { CallOptions, RegistryClient } from '../client.ts';
import { answerFrom, type Shelf } from './answer.ts';
import { changesBehind } from './follow.ts';
import { type Card, Packed } from './packed.ts';
import { type LocalQuestion, readLocalQuestion } from './question.ts';
import { EXPORT_BOUNDS, type ExportBounds, readExport } from './read-export.ts';
import { type SavedHead, savedBytes, unpackSaved } from './saved.ts';
import { shelved } from './shelf.ts';

export type { Answer, Because } from '../../domain/authorisation-question.ts';
export type { LocalQuestion } from './question.ts';
export type { ExportBounds } from './read-export.ts';

/** A copy of a registry that answers without it. */
export interface LocalDirectory {
  /** The cursor of the feed, to continue from. */
  readonly cursor: string;
  /** Start time of the export that the copy was loaded from; RFC 3339. */
  readonly generatedAt: string;
  /** An agent by its canonical URL, as in the feed; undefined if it is not listed. */
  agent(url: string): Card | undefined;
  /**
   * Whether an agent may sell a property. The answer is that of the registry; the reason of a no may have less detail. Throws a
   * `RegistryFailure` `bad_agent_url` or `invalid_value` for an invalid question.
   */
  isAuthorized(question: LocalQuestion): Answer;
  /**
   * Applies the changes since `cursor`, page by page; returns the number of changed agents and publishers. Throws a
   * `RegistryFailure`; after `feed_cursor_gone`, load a new export.
   */
  follow(registry: Pick<RegistryClient, 'call' | 'pages'>, options?: CallOptions): Promise<number>;
  /** The whole copy, for `openDirectory`. */
  save(): Uint8Array<ArrayBuffer>;
}

export interface DirectoryOptions extends Partial<ExportBounds> {
  /** The current time, epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
}

/** Loads the latest export of a registry, and applies the feed to its end. Throws a `RegistryFailure`. */
export async function loadDirectory(
  registry: Pick<RegistryClient, 'call' | 'pages' | 'open'>,
  options: DirectoryOptions & CallOptions = {},
): Promise<LocalDirectory> {
  const answer = await registry.open('getExport', {}, options);
  const directory = await readDirectory(answer.body ?? new Blob([]).stream(), options);
  await directory.follow(registry, options);
  return directory;
}

/** Reads an export from a stream; call `follow` before you ask. Throws a `RegistryFailure`. */
export async function readDirectory(
  stream: ReadableStream<Uint8Array>,
  { now, ...bounds }: DirectoryOptions = {},
): Promise<LocalDirectory> {
  const { packed, ...head } = await readExport(stream, { ...EXPORT_BOUNDS, ...bounds });
  return directoryOf(packed, head, now);
}

/** Opens the bytes of `save`, without copying them. Throws a `RegistryFailure` `not_understood` for anything else. */
export function openDirectory(saved: Uint8Array, { now }: DirectoryOptions = {}): LocalDirectory {
  const { packed, ...head } = unpackSaved(saved);
  return directoryOf(packed, head, now);
}

function directoryOf(base: Packed, head: SavedHead, now: () => number = Date.now): LocalDirectory {
  const agents = new Map<string, Card | undefined>();
  const publishers = new Map<string, PublisherToCopy | undefined>();
  let { cursor } = head;
  const shelf: Shelf = {
    find(domain) {
      if (!publishers.has(domain)) return base.find(domain);
      const line = publishers.get(domain);
      return line && shelved(line);
    },
    listing(type, value, most) {
      const isListed = (one: { readonly type: string; readonly value: string }) =>
        one.type === type && one.value === value;
      const changed = [...publishers].flatMap(([domain, line]) =>
        line?.properties.some(({ identifiers }) => identifiers.some(isListed)) ? domain : [],
      );
      const others = base.listing(type, value, most + publishers.size);
      return [...changed, ...others.filter((domain) => !publishers.has(domain))].slice(0, most);
    },
  };
  return {
    get cursor() {
      return cursor;
    },
    generatedAt: head.generatedAt,
    agent: (url) => (agents.has(url) ? agents.get(url) : base.agent(url)),
    isAuthorized: (question) => answerFrom(shelf, readLocalQuestion(question, now())),
    async follow(registry, options = {}) {
      let changes = 0;
      for await (const page of changesBehind(registry, cursor, options)) {
        for (const [url, card] of page.agents) agents.set(url, card);
        for (const [domain, line] of page.publishers) publishers.set(domain, line);
        changes += page.agents.size + page.publishers.size;
        cursor = page.cursor;
      }
      return changes;
    },
    save() {
      if (agents.size + publishers.size === 0) return savedBytes(base, { ...head, cursor });
      const packed = new Packed();
      for (const [url, card] of base.agents()) if (!agents.has(url)) packed.addAgent(url, card);
      for (const [url, card] of agents) if (card !== undefined) packed.addAgent(url, card);
      for (const line of base.publishers.lines())
        if (!publishers.has(line.publisher)) packed.addPublisher(line);
      for (const line of publishers.values()) if (line !== undefined) packed.addPublisher(line);
      return savedBytes(packed, { ...head, cursor });
    },
  };
}
