import type { TierTable } from '../../compliance/badges/conditions.ts';
import { invalidFile, parseChecked } from './checked-file.ts';

interface TiersFile {
  readonly tiers: readonly {
    readonly tier: string;
    readonly label: string;
    readonly grants_badges: boolean;
  }[];
  readonly subscription_statuses: readonly string[];
}

/** Reads the file that REGISTRY_TIERS names. Throws `input_invalid` with every place that is wrong. */
export function parseTiers(text: string, file: string): TierTable {
  const checked = { file, what: 'tiers file', schema: 'config/tiers.json' };
  const { tiers, subscription_statuses } = parseChecked<TiersFile>(text, checked);
  const names = tiers.map(({ tier }) => tier);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [`/tiers/${index}/tier: the tier '${name}' is there already`],
  );
  if (twice.length > 0) throw invalidFile(checked, twice);
  const entries = tiers.map(({ tier, label, grants_badges: apiAccess }) => [tier, { label, apiAccess }]);
  return { tiers: Object.fromEntries(entries), subscriptions: subscription_statuses };
}
