/**
 * What is wrong, or odd, in something that was read. Content never throws: a reader returns its normal form
 * and the findings beside it, so that one bad entry costs none of its neighbours.
 */
export type Severity = 'error' | 'warning';

export interface Finding {
  readonly severity: Severity;
  /** Stable, snake_case, for example `duplicate_key` or `url_not_https`. */
  readonly code: string;
  /** JSON pointer (RFC 6901) to the place; '' is the whole document. */
  readonly pointer: string;
  /** 1-based, where the text is known. */
  readonly line?: number;
  /** 1-based, counted in UTF-16 units as editors do. */
  readonly column?: number;
  /** One sentence, lower case, no full stop. */
  readonly message: string;
  /** What the author should do. */
  readonly hint?: string;
  /** What may have been meant: a guess, for the author to judge. */
  readonly didYouMean?: string;
}

/** True when any finding is an error. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error');
}
