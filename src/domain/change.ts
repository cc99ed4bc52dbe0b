/** What happened to an agent that the world can see. */
export type ChangeKind = 'listed' | 'changed' | 'delisted';

/** One row of the change log, appended in the transaction of the change itself. */
export interface Change {
  /**
   * Its number in the log, without gaps, and the version of the document that it made. A reader that has seen one has
   * seen all below it.
   */
  readonly seq: number;
  readonly agent: string;
  readonly kind: ChangeKind;
  /** The document's fields that differ, as they were; null when it was not listed. Long values are cut to a hash. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Of the visit that led to it. */
  readonly trace?: string;
  /** The owner of the agent has opted out of tests, so the row no longer says how its tests or badges stood. */
  readonly withheld?: true;
}

/** In place of badges that are no longer told, like the hash of a long value: readers treat them as unknown. */
const WITHHELD = '(withheld)';

/**
 * A row of the log after the owner of its agent has opted out of tests: verdicts and badges count no more, in rows from
 * before the opt-out too. A row that changed either reads as one that changed both, so that nobody can tell an agent that
 * held a badge from one that never did. The lifecycle stage stays.
 */
export function withoutResults(change: Change): Change {
  return { ...change, before: redacted(change.before), after: redacted(change.after), withheld: true };
}

function redacted(fields: Change['before']): Change['before'] {
  if (fields === null) return null;
  const { compliance, badges, ...others } = fields;
  if (compliance === undefined && badges === undefined) return others;
  const { lifecycle_stage } = (compliance ?? {}) as { readonly lifecycle_stage?: unknown };
  return {
    ...others,
    compliance: { status: 'opted_out', ...(lifecycle_stage !== undefined && { lifecycle_stage }) },
    badges: WITHHELD,
  };
}

/** The roles of the badges among logged fields; undefined when the log kept only their hash. */
export function loggedRoles(fields: Change['before']): ReadonlySet<string> | undefined {
  const { badges = [] } = (fields ?? {}) as { badges?: readonly { role: string }[] | string };
  return typeof badges === 'string' ? undefined : new Set(badges.map(({ role }) => role));
}

/** How the tests stood, among logged fields; undefined when that did not change. */
export function loggedStatus(fields: Change['before']): string | undefined {
  return (fields as { compliance?: { status?: string } } | null)?.compliance?.status;
}

/** The stage that its owner gave it, among logged fields; undefined when that did not change. */
export function loggedStage(fields: Change['before']): string | undefined {
  return (fields as { compliance?: { lifecycle_stage?: string } } | null)?.compliance?.lifecycle_stage;
}
