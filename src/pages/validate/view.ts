import type { AuthorisationLimits } from '../../domain/declaration.ts';
import type { Finding } from '../../domain/finding.ts';

/** What a check found, as far as its page shows it. Lists show `most` items at most. */
export interface ValidateView {
  readonly report: CheckView;
  /** The domain whose file it is; absent: a text that was sent. */
  readonly domain?: string;
  /** When the file was read, RFC 3339. */
  readonly at: string;
  readonly most: number;
}

export interface CheckView {
  readonly valid: boolean;
  /** The verdict in words, as `valid: 1 of 3 agents may sell today`. */
  readonly verdict: string;
  readonly kind: string;
  readonly variant?: string;
  readonly agents: readonly string[];
  readonly findings: readonly AdvisedFinding[];
  readonly trail: readonly { readonly url: string; readonly status?: number; readonly error?: string }[];
  readonly fixed?: string;
  /** Errors of the corrected file. */
  readonly errorsLeft?: number;
  readonly excerpt?: { readonly given: readonly ShownLine[]; readonly fixed: readonly ShownLine[] };
  readonly summary: {
    readonly basis: string;
    readonly publishers: readonly {
      readonly publisher: string | null;
      readonly onlyIf?: string;
      readonly sellers: readonly ShownSeller[];
      readonly revoked?: true;
    }[];
    readonly outOfTime: readonly ShownEntry[];
    readonly withoutEffect: readonly string[];
    readonly agents: readonly { readonly agent: string; readonly type: string }[];
    readonly more: number;
  };
  readonly isCut: boolean;
}

export interface AdvisedFinding extends Finding {
  readonly frame?: string;
  readonly allowed?: readonly string[];
  readonly fix?: { readonly title: string };
}

export interface ShownLine {
  readonly line: number;
  readonly text: string;
  readonly changed?: true;
  readonly cut?: true;
}

interface ShownEntry {
  readonly agent: string;
  readonly entry: string;
  readonly limits: AuthorisationLimits;
}

export interface ShownSeller extends ShownEntry {
  readonly sells: string;
  readonly lenient?: string;
}
