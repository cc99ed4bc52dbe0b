import { type Change, type ChangeKind, loggedRoles, loggedStage, loggedStatus } from '../../domain/change.ts';
import { timelineCursor } from '../history-pages.ts';

/** What may differ of an agent, in the words of its record. */
type ChangedPart =
  | 'accreditations'
  | 'badges'
  | 'capabilities'
  | 'compliance'
  | 'contact'
  | 'description'
  | 'endpoint'
  | 'inventory'
  | 'member'
  | 'metrics'
  | 'name'
  | 'protocol'
  | 'type';

/** By the members of the document; others are for the program alone. */
const PARTS: Readonly<Record<string, ChangedPart>> = {
  ...{ accreditations: 'accreditations', claims: 'accreditations', badges: 'badges', type: 'type' },
  ...{ capabilities: 'capabilities', compliance: 'compliance', contact: 'contact', member: 'member' },
  ...{ description: 'description', mcp_endpoint: 'endpoint', name: 'name', protocol: 'protocol' },
  ...{ inventory: 'inventory', properties: 'inventory', metricIds: 'metrics' },
};

export interface ChangeBody {
  readonly at: string;
  readonly kind: ChangeKind;
  readonly agent_url: string;
  /** What differs; empty for an agent that came or went. */
  readonly parts: readonly ChangedPart[];
  /** How its tests stand since then; absent when this change is not of them. */
  readonly compliance_status?: string;
  /** The stage that its owner gave it; absent when this change is not of that. */
  readonly lifecycle_stage?: string;
  /** Roles; absent when there are none, and when the log kept no more than their hash. */
  readonly badges_earned?: readonly string[];
  readonly badges_lost?: readonly string[];
}

export interface ChangeListBody {
  readonly changes: readonly ChangeBody[];
  readonly next_cursor: string | null;
}

/**
 * A page of the change log from one change more than fits in it. What most parts were and are is not repeated: the log keeps long
 * values as hashes.
 */
export function changeList(changes: readonly Change[], limit: number): ChangeListBody {
  const page = changes.slice(0, limit);
  const last = changes.length > limit ? page.at(-1) : undefined;
  return {
    changes: page.map((one) => ({
      at: new Date(one.at).toISOString(),
      kind: one.kind,
      agent_url: one.agent,
      parts: one.kind === 'changed' ? partsOf(one) : [],
      ...(one.kind !== 'delisted' && testsOf(one)),
    })),
    next_cursor: last === undefined ? null : timelineCursor({ id: last.seq }),
  };
}

function testsOf({ before, after }: Change) {
  const status = loggedStatus(after);
  const stage = loggedStage(before) && loggedStage(after);
  const [had, has] = [loggedRoles(before), loggedRoles(after)];
  const earned = had && has ? [...has].filter((role) => !had.has(role)) : [];
  const lost = had && has ? [...had].filter((role) => !has.has(role)) : [];
  return {
    ...(status !== undefined && { compliance_status: status }),
    ...(stage !== undefined && { lifecycle_stage: stage }),
    ...(earned.length > 0 && { badges_earned: earned }),
    ...(lost.length > 0 && { badges_lost: lost }),
  };
}

function partsOf({ before, after, withheld }: Change): readonly ChangedPart[] {
  const names = [before, after].flatMap((fields) => [
    ...Object.keys(fields ?? {}),
    ...Object.keys((fields?.base as object | undefined) ?? {}),
  ]);
  const parts = new Set(names.flatMap((name) => PARTS[name] ?? []));
  if (withheld) parts.delete('badges'); // would say that it had one
  return [...parts].sort();
}
