import type { Validator } from './capture.ts';
import type { DeclarationKind } from './declared-facts.ts';
import { registrableDomain } from './domain-name.ts';
import type { Outcome } from './outcome.ts';

/** A reason to look somewhere: a file kind with its domain, or an agent with its canonical URL. */
export type SourceKind = DeclarationKind | 'agent';

/** What is visited at once: a domain with its files, or an agent. */
export type VisitKind = 'domain' | 'agent';

/** The source kinds that one visit covers. */
export const KINDS_OF_VISIT: Readonly<Record<VisitKind, readonly SourceKind[]>> = {
  domain: ['adagents', 'ard', 'brand'],
  agent: ['agent'],
};

export interface SourceKey {
  readonly kind: SourceKind;
  /** A domain (A-labels, lower case) or a canonical agent URL. */
  readonly key: string;
}

/** Somewhere to look that may or may not be known already. */
export interface NewVisit {
  readonly kind: VisitKind;
  readonly key: string;
  /** For an agent: as it is declared; what is dialled is for `dialledUrl` to say. */
  readonly url?: string;
  /** Where it was found, for example `operator`, `news.example adagents`, `agent_claim https://…`. */
  readonly foundVia: string;
  /** When it is due first, epoch milliseconds; at once when it is left out. */
  readonly dueAt?: number;
  /** Of a domain: its `ard.json` is looked at, too. */
  readonly ard?: true;
}

export interface VisitError {
  /** A fetch error code, an HTTP status as `http_404`, a finding code, `probe_budget` or `own_network`. */
  readonly code: string;
  readonly detail: string;
}

export interface SourceState extends SourceKey {
  readonly foundVia: string;
  readonly firstSeenAt: number;
  /** When to come back, epoch milliseconds. */
  readonly nextVisitAt: number;
  readonly lastVisitAt?: number;
  readonly lastSuccessAt?: number;
  readonly lastOutcome?: Outcome;
  readonly lastError?: VisitError;
  /** Visits in a row that brought nothing usable. */
  readonly failures: number;
  /** One for each URL on the way to the content, in order. */
  readonly validators: readonly Validator[];
  /** Of everything that the live declaration was read from; equal hash, equal declaration. */
  readonly contentHash?: string;
  /** Since when the file is known to be gone: it answered 404 or 410, and no visit found it since. */
  readonly absentSince?: number;
  /** Visits that found it gone, without a break; 0 after one that learnt nothing. */
  readonly absentVisits: number;
  readonly memory?: FileMemory;
}

/** A pointer that has begun to lead to another site. */
export interface LocationMove {
  readonly location: string;
  readonly since: number;
  /** Visits that found it so, the first included. */
  readonly visits: number;
}

/** What counts of earlier readings of a file, whatever it says now. Times are epoch milliseconds. */
export interface FileMemory {
  /** The `last_updated` of each file on the way, as far as that time had passed. No object by URL: V8 keeps a class for each. */
  readonly updated?: readonly { readonly url: string; readonly at: number }[];
  /** Since when it is refused, as it has gone back in time. */
  readonly olderSince?: number;
  /** By the files of which registrable domains its publisher was revoked; with `until`, when that has vanished. */
  readonly revoked?: readonly {
    readonly site: string;
    readonly since: number;
    readonly until?: number;
    readonly reason?: string;
  }[];
  /** Which other publishers the domain's own file revokes; with a time, until when one holds that has vanished. */
  readonly revokes?: Readonly<Record<string, number | null>>;
  /** The target of its pointer that was read last, and since when it is no pointer any more. */
  readonly last?: { readonly url: string; readonly leftAt?: number };
  readonly move?: LocationMove;
}

/** The right to visit a source until `until`; a commit under an older fence is refused. */
export interface Lease extends SourceKey {
  readonly fence: number;
  readonly until: number;
}

export interface LeasedSource {
  readonly source: SourceState;
  readonly lease: Lease;
}

/** One visit to make, with the sources it covers. */
export interface VisitWork {
  readonly kind: VisitKind;
  readonly key: string;
  /** Links away from what the operator named; 0 in a run over due sources. */
  readonly depth: number;
  readonly sources: readonly LeasedSource[];
  /** What first named it, as in its source. */
  readonly foundVia?: string;
  /** Names the work in the logs of every process that has to do with it. */
  readonly trace?: string;
}

/**
 * Who is behind what named a source (`news.example adagents`, `agent_claim https://sales.nova.example/mcp`): the registrable
 * domain, however many hosts, files and agents it has; anything else as it is.
 */
export function namerOf(foundVia: string): string {
  const [first = '', second = ''] = foundVia.split(' ');
  const host = URL.parse(second)?.hostname ?? first;
  return host.includes('.') ? registrableDomain(host) : foundVia;
}

/** Sources that are alike, of a part of all. */
export interface SourceTally {
  readonly kind: SourceKind;
  /** Null: never visited. */
  readonly outcome: Outcome | null;
  /** What it says counts now. */
  readonly counts: boolean;
  /** Whole minutes since it was last read; null for never. */
  readonly minutes: number | null;
  /** The last visit came to nothing as our own network did not work. */
  readonly isOwnFault: boolean;
  readonly n: number;
  /** The greatest id among them. */
  readonly last: number;
}
