import type { AuthorisingEntry, PublisherFacts, Question } from '../domain/authorisation-question.ts';
import type { ListedProperty } from '../domain/declared-facts.ts';
import type { SourceState } from '../domain/source.ts';
import type { StoredDeclaration } from '../domain/visit.ts';

/** Who may sell what, by the rows of the edges and of the publishers' properties. */
export interface AuthorisationStore {
  /**
   * What the live rows say to a question about these agents, in one read and in their order: about as many of them as 4 MiB
   * have room for, the first one at least. They are: of the publisher that it names; of the site that it asks
   * for and the domains above it; of whoever lists another identifier, one more than `MAX_PUBLISHERS` at most.
   */
  facts(question: QuestionOfMany, agents: readonly string[]): Promise<readonly FactsOfAgent[]>;
  /** Known agents of a host, whatever the scheme, port and path of their URLs; each of the four kinds of URL has room for `limit`. */
  agentsOnHost(host: string, limit: number): Promise<readonly string[]>;
  /** The entries by which a publisher authorised an agent at a moment. */
  entriesAt(publisher: string, agent: string, at: number): Promise<ReadonlySet<string>>;
  /** The declaration that stood for a publisher at a moment; one whose text is longer than `maxChars` is not read. */
  declarationAt(publisher: string, at: number, maxChars: number): Promise<DeclarationRead | undefined>;
}

/** What is asked for one agent or for many, now. */
export type QuestionOfMany = Pick<Question, 'publisher' | 'property'>;

interface FactsOfAgent {
  readonly agent: string;
  readonly publishers: readonly StoredPublisher[];
}

interface DeclarationRead {
  /** Characters that were read; none: it is too long. */
  readonly chars: number;
  readonly declaration?: StoredDeclaration;
}

/** A publisher as the rows have it; `url` is where its file was read, `source` says how fresh that is. */
export interface StoredPublisher extends Omit<PublisherFacts, 'file'> {
  readonly url?: string;
  /** What was read of entries and properties; one question reads 4 MiB at most, and whoever asks many counts them. */
  readonly bytes: number;
  readonly source: Pick<
    SourceState,
    'failures' | 'nextVisitAt' | 'lastVisitAt' | 'lastSuccessAt' | 'firstSeenAt'
  >;
}

/** What a copy of the directory is made of, publisher by publisher. */
export interface Copies {
  /**
   * The next publishers behind a domain whose file counts now, in the order of their bytes: as many as have about 4 MiB of
   * file together, one at least, none at the end. One with a long file comes without its content, for which `contentOf` is.
   */
  publishersBehind(after: string): Promise<readonly CopiedPublisher[]>;
  /** One of them without its content; undefined when no file of it counts now. */
  publisher(domain: string): Promise<CopiedPublisher | undefined>;
  /**
   * What its live rows say, in pieces of about 256 KiB: first its entries, then its properties. Each piece is a read of its
   * own, so a visit in between may change what comes behind it.
   */
  contentOf(domain: string): AsyncGenerator<CopiedContent>;
  /** Publishers whose file counts, and live entries, as of now. */
  count(): Promise<{ readonly publishers: number; readonly entries: number }>;
}

/** A publisher whose file counts. */
export interface CopiedPublisher extends Pick<StoredPublisher, 'publisher' | 'source'> {
  /** Where its file was read. */
  readonly url: string;
  /** All that the answers about it are made of. */
  readonly content?: CopiedContent;
}

export interface CopiedContent {
  readonly properties: readonly ListedProperty[];
  /** Of all agents, in the order in which they began. */
  readonly entries: readonly CopiedEntry[];
}

export interface CopiedEntry extends Pick<AuthorisingEntry, 'entry' | 'covers' | 'limits'> {
  readonly agent: string;
}
