import type { DeclarationKind } from '../domain/declared-facts.ts';
import type { Finding } from '../domain/finding.ts';
import type { SourceKey, SourceState, VisitError } from '../domain/source.ts';

/** Whose file it is. */
export interface FileKey {
  readonly kind: DeclarationKind;
  readonly key: string;
}

/** The texts of files, as they came. */
export interface FileTexts {
  body(hash: string): Promise<Uint8Array | undefined>;
  /** The same of at most so many bytes; undefined for a longer one, which is not read. */
  bodyWithin(hash: string, most: number): Promise<Uint8Array | undefined>;
  /** Whether it is kept; it is not read. */
  hasBody(hash: string): Promise<boolean>;
  /** Where the live declaration of a file was read from, and how fresh it is; what it says is not read. */
  liveFile(key: FileKey): Promise<LiveFile | undefined>;
  /** The text of a file as it was last read, valid or not, and what was found in it. */
  lastReading(key: FileKey): Promise<LastReading | undefined>;
  /** The answers that brought a text, in the order of their ids behind `after`; of one domain's files, when it is named. */
  captured(after: number, limit: number, domain?: string): Promise<readonly CapturedText[]>;
}

/** An answer, and how long it has stayed the same: each visit that gets it again extends it. */
export interface StoredCapture {
  /** When it came first. */
  readonly at: number;
  /** When a visit got it last. */
  readonly lastSeenAt: number;
  /** How many visits in a row got it; at least 1. */
  readonly times: number;
  readonly requestedUrl: string;
  readonly finalUrl: string;
  readonly trail: readonly { readonly url: string; readonly status: number; readonly location?: string }[];
  readonly status?: number;
  /** Of a 200. */
  readonly bodyHash?: string;
  readonly bytes?: number;
  /** Of the last time, as the words of an error are. */
  readonly durationMs: number;
  readonly error?: VisitError;
}

/** An answer that brought a text. */
export interface CapturedText extends StoredCapture {
  readonly id: number;
  readonly source: SourceKey;
  readonly bodyHash: string;
}

/** A file as it was last looked for, and the one that counts. */
export interface LiveFile {
  readonly source: SourceState;
  /** Absent: no file counts. */
  readonly url?: string;
  /** What it was read from, while that is kept. */
  readonly body?: { readonly hash: string; readonly bytes: number };
}

/** What a visit last read of a file. */
export interface LastReading {
  readonly source: SourceState;
  /** The declaration of this text counts now; otherwise the text is newer than what counts. */
  readonly isLive: boolean;
  readonly findings: readonly Finding[];
  readonly url?: string;
  /** Absent: no text was ever read, or it is not kept any more. */
  readonly body?: { readonly hash: string; readonly bytes: number };
}
