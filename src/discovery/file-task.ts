import type { Capture, KeptHeaders, Validator } from '../domain/capture.ts';
import type { AdagentsDeclaration, Revocation } from '../domain/declaration.ts';
import type { AuthorisationVia, DeclarationKind } from '../domain/declared-facts.ts';
import type { Finding } from '../domain/finding.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { FileMemory, LocationMove, SourceState, VisitError } from '../domain/source.ts';
import type { Visit } from '../ports/fetcher.ts';
import type { FileBounds } from './read-document.ts';
import type { SharedFiles } from './shared-files.ts';

/** One file of one domain to be fetched within a visit. */
export interface FileTask {
  readonly domain: string;
  readonly kind: DeclarationKind;
  /** What is known of it from the last visit. */
  readonly source: SourceState;
  /** This visit looks for every file of the domain, and none of them was ever read. */
  readonly neverPublished?: boolean;
  readonly visit: Visit;
  readonly shared: SharedFiles;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What counts of earlier readings of the adagents.json of another domain. */
  readonly memoryOf?: (domain: string) => Promise<FileMemory | undefined>;
  /** How much a file that is read from this host may bring in. */
  readonly bounds: (host: string) => FileBounds;
}

/** What fetching ended with. */
export type FetchEnd =
  | {
      readonly type: 'content';
      readonly body: Uint8Array;
      /** The URL whose bytes these are. */
      readonly url: string;
      readonly via: AuthorisationVia;
      /** The domain of the manager whose file it is. */
      readonly manager?: string;
    }
  | { readonly type: 'unchanged' }
  | {
      readonly type: 'unusable';
      readonly outcome: Outcome;
      readonly error: VisitError;
      /** The publisher has taken its word back in so many words, so what stood ends without the grace of a lost file. */
      readonly isWithdrawn?: true;
    };

export interface FileFetch {
  readonly task: FileTask;
  readonly captures: readonly Capture[];
  readonly validators: readonly Validator[];
  /** Of the last answer: they say when to come back. */
  readonly headers: KeptHeaders;
  readonly end: FetchEnd;
  /** The `last_updated` of the pointers that were read on the way, by URL. */
  readonly said: ReadonlyMap<string, string | undefined>;
  /** A pointer that waits; null: none does any more; absent: nobody looked. */
  readonly move?: LocationMove | null;
  /** What the pointer itself says, where it has content beside its `authoritative_location`. */
  readonly beside?: AdagentsDeclaration;
  /** What the pointer itself revokes. */
  readonly revoked?: readonly Revocation[];
  /** What was found in the files that only lead to another one. */
  readonly told: readonly Finding[];
}
