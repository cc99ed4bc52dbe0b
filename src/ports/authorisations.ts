import type { PublisherFacts, Question } from '../domain/authorisation-question.ts';
import type { SourceState } from '../domain/source.ts';
import type { StoredDeclaration } from './visit-commits.ts';

/** Who may sell what, by the rows of the edges and of the publishers' properties. */
export interface AuthorisationStore {
  /**
   * What the live rows say to a question, its time left aside: of the publisher that it names; of the site that it asks
   * for and the domains above it; of whoever lists another identifier, one more than `MAX_PUBLISHERS` at most.
   */
  facts(question: Question): Promise<readonly StoredPublisher[]>;
  /** The entries by which a publisher authorised an agent at a moment. */
  entriesAt(publisher: string, agent: string, at: number): Promise<ReadonlySet<string>>;
  /** The declaration that stood for a publisher at a moment; one whose text is longer than `maxChars` is not read. */
  declarationAt(publisher: string, at: number, maxChars: number): Promise<DeclarationRead | undefined>;
}

export interface DeclarationRead {
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
