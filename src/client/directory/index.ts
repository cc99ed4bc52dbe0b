// The module `agent-registry/client/directory`: nothing in it or below it needs Node.
import type { Answer } from '../../domain/authorisation-question.ts';
import type { CallOptions, RegistryClient } from '../client.ts';
import { answerFrom, type LocalQuestion, readLocalQuestion } from './answer.ts';
import type { Card, Copy } from './copy.ts';
import { EXPORT_BOUNDS, type ExportBounds, readExport, writeExport } from './export-file.ts';
import { followFeed } from './follow.ts';

export type { Answer, Because } from '../../domain/authorisation-question.ts';
export type { LocalQuestion } from './answer.ts';
export type { ExportBounds } from './export-file.ts';

/** A copy of a registry in memory, which answers without it. Meant for up to 100,000 agents and 1,000,000 entries. */
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
   * Applies the changes since `cursor`, page by page; returns the number of changed agents and publishers. A second call waits
   * for the first. Throws a `RegistryFailure`; after `feed_cursor_gone`, load a new export.
   */
  follow(registry: Pick<RegistryClient, 'call' | 'pages'>, options?: CallOptions): Promise<number>;
  /** The whole copy as a gzipped export with the current `cursor`, for `openDirectory`. */
  save(): Promise<Uint8Array<ArrayBuffer>>;
}

export interface DirectoryOptions extends Partial<ExportBounds> {
  /** The current time, epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
}

/** Loads the latest export of a registry, and applies the feed to its end. Throws a `RegistryFailure`, or the reason of the signal. */
export async function loadDirectory(
  registry: Pick<RegistryClient, 'call' | 'pages' | 'open'>,
  options: DirectoryOptions & CallOptions = {},
): Promise<LocalDirectory> {
  const answer = await registry.open('getExport', {}, options);
  const body = answer.body ?? new Blob([]).stream();
  const directory = await readDirectory(body, options).catch((error: unknown) => {
    options.signal?.throwIfAborted(); // an aborted download looks like a truncated export
    throw error;
  });
  await directory.follow(registry, options);
  return directory;
}

/** Reads an export from a stream; call `follow` before you ask. Throws a `RegistryFailure`. */
export async function readDirectory(
  stream: ReadableStream<Uint8Array>,
  { now = Date.now, ...bounds }: DirectoryOptions = {},
): Promise<LocalDirectory> {
  return directoryOf(await readExport(stream, { ...EXPORT_BOUNDS, ...bounds }), now);
}

/** Reads an export, or the bytes of `save`, from memory. Throws a `RegistryFailure`. */
export async function openDirectory(
  bytes: Uint8Array,
  options: DirectoryOptions = {},
): Promise<LocalDirectory> {
  return readDirectory(new Blob([bytes as Uint8Array<ArrayBuffer>]).stream(), options);
}

function directoryOf(copy: Copy, now: () => number): LocalDirectory {
  let following: Promise<unknown> = Promise.resolve();
  return {
    get cursor() {
      return copy.cursor;
    },
    generatedAt: copy.generatedAt,
    agent: (url) => copy.agents.get(url),
    isAuthorized: (question) => answerFrom(copy, readLocalQuestion(question, now())),
    follow(registry, options = {}) {
      // one after the other: a slower call could replace newer publishers with older ones
      const changes = following.then(() => followFeed(copy, registry, options));
      following = changes.catch(() => undefined);
      return changes;
    },
    save: () => writeExport(copy),
  };
}
