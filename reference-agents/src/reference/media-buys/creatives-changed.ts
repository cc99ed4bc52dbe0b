import { takes } from '../creatives/formats.ts';
import { findCreative } from '../creatives/stored.ts';
import type { TaskCall } from '../handler.ts';
import { scopeOf } from './buyer-scope.ts';
import { buysUsing } from './creative-uses.ts';
import { findBuy, keepChanged } from './keep-buy.ts';
import { isFinal } from './life.ts';
import type { StoredAssignment, StoredMediaBuy, StoredPackage } from './stored.ts';

/** Whether a creative may run in a package. */
type MayRun = (part: StoredPackage) => boolean;

/**
 * Tells the caller's media buys that creatives of its library got another status or another form: those that waited
 * for one go on, packages that are left with none stand still. To be called once, with all of them, by whoever changes
 * them, in the same transaction.
 */
export function creativesChanged(
  call: Pick<TaskCall, 'agent' | 'caller' | 'now'>,
  creativeIds: readonly string[],
): void {
  const scope = scopeOf(call);
  const changed = new Map(creativeIds.map((id) => [id, mayRun(call, id)]));
  const buys = new Set(creativeIds.flatMap((id) => buysUsing(scope, id)));
  for (const id of buys) {
    const buy = findBuy(scope, id, '');
    if (!isFinal(buy.status)) keepChanged(scope, buy, judged(buy, changed));
  }
}

function mayRun(call: Pick<TaskCall, 'agent' | 'caller' | 'now'>, creativeId: string): MayRun {
  const { creative, status } = findCreative(call, creativeId, '');
  return ({ formats }) => status === 'approved' && takes(call, formats, creative.format_id);
}

function judged(buy: StoredMediaBuy, changed: ReadonlyMap<string, MayRun>): StoredMediaBuy {
  const isOf = ({ creativeId }: StoredAssignment) => changed.has(creativeId);
  const packages = buy.packages.map((part) =>
    part.assignments.some(isOf) ? { ...part, assignments: judgedIn(part, changed) } : part,
  );
  return { ...buy, packages };
}

function judgedIn(part: StoredPackage, changed: ReadonlyMap<string, MayRun>): readonly StoredAssignment[] {
  return part.assignments.map((one) => {
    const judge = changed.get(one.creativeId);
    return judge === undefined ? one : { ...one, approved: judge(part) };
  });
}
