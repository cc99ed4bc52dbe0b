import type { AuthorisingEntry } from '../domain/authorisation-question.ts';
import type { ListedProperty } from '../domain/declared-facts.ts';
import type { StoredPublisher } from './authorisations.ts';

/** What a copy of the directory is made of, publisher by publisher. */
export interface Copies {
  /**
   * The next publishers behind a domain whose file counts now, in the order of their bytes, with all that their live rows
   * say: as many as have about 4 MiB of file together, one at least, none at the end.
   */
  publishersBehind(after: string): Promise<readonly CopiedPublisher[]>;
  /** One of them; undefined when no file of it counts now. */
  publisher(domain: string): Promise<CopiedPublisher | undefined>;
  /** Publishers whose file counts, and live entries, as of now. */
  count(): Promise<{ readonly publishers: number; readonly entries: number }>;
}

/** All that the answers about a publisher are made of. */
export interface CopiedPublisher extends Pick<StoredPublisher, 'publisher' | 'source'> {
  /** Where its file was read. */
  readonly url: string;
  readonly properties: readonly ListedProperty[];
  /** Of all agents, in the order in which they began. */
  readonly entries: readonly CopiedEntry[];
}

export interface CopiedEntry extends Pick<AuthorisingEntry, 'entry' | 'covers' | 'limits'> {
  readonly agent: string;
}
