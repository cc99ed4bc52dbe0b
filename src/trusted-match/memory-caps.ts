import type { CapStore, Exposure, ExposureOutcome, ShownPackage } from '../ports/cap-store.ts';

export interface MemoryCapsOptions {
  /** Exposures that are kept at most; beyond it the oldest go first. Default 500,000, some 150 MB. */
  readonly max?: number;
  /** Called when one goes that still counted: a cap is too loose from then on. */
  readonly onForgotten?: () => void;
}

/** Looked at with each new exposure, so that what is over goes faster than new ones come. */
const SWEPT_AT_ONCE = 4;

/** The exposures in the memory of this process: bounded, and gone with it. */
export function createMemoryCaps({ max = 500_000, onForgotten }: MemoryCapsOptions = {}): CapStore {
  // a Map keeps the order in which exposures came
  const byId = new Map<string, Exposure>();
  const byToken = new Map<string, readonly Exposure[]>();

  const forget = (exposure: Exposure): void => {
    byId.delete(exposure.id);
    const rest = (byToken.get(exposure.token) ?? []).filter(({ id }) => id !== exposure.id);
    if (rest.length === 0) byToken.delete(exposure.token);
    else byToken.set(exposure.token, rest);
  };
  const makeRoom = (now: number): void => {
    for (const exposure of byId.values().take(SWEPT_AT_ONCE).toArray())
      if (exposure.until <= now) forget(exposure);
    const oldest = byId.values().next().value;
    if (byId.size < max || oldest === undefined) return;
    forget(oldest);
    onForgotten?.();
  };
  const trim = ({ token, packageId, keep }: Exposure): void => {
    const shown = (byToken.get(token) ?? []).filter((one) => one.packageId === packageId);
    for (const exposure of shown.slice(0, Math.max(0, shown.length - keep))) forget(exposure);
  };
  const record = (exposure: Exposure): ExposureOutcome => {
    const known = byId.get(exposure.id);
    if (known !== undefined && known.until > exposure.at) return isSame(known, exposure);
    if (known !== undefined) forget(known);
    makeRoom(exposure.at);
    byId.set(exposure.id, exposure);
    byToken.set(exposure.token, [...(byToken.get(exposure.token) ?? []), exposure]);
    trim(exposure);
    return 'recorded';
  };
  return {
    record,
    shownTo: (token, now): readonly ShownPackage[] =>
      byToken.get(token)?.filter(({ until }) => until > now) ?? [],
    close() {
      byId.clear();
      byToken.clear();
    },
  };
}

function isSame(known: Exposure, { token, packageId }: Exposure): ExposureOutcome {
  return known.token === token && known.packageId === packageId ? 'repeated' : 'conflict';
}
