import { hash } from 'node:crypto';
import { type Db, listOf } from '../database.ts';

const HOUR_MS = 3_600_000;
/** Referrers are counted in this many groups, so that many referrers make no more rows. */
const GROUPS = 32;

/** The hour of a moment, counted from the epoch: the value of `probe_budget.hour`. */
export function hourOf(now: number): number {
  return Math.floor(now / HOUR_MS);
}

/**
 * Spends one probe of a domain's hour; false, with nothing spent, if none is left. A referrer may use of the hour what the
 * others leave: for each other referrer the number that it wanted in this hour or the last is reserved, up to an equal share.
 * So a stranger who names a thousand agents of a domain does not keep the agents of other referrers from being probed, and a
 * single referrer has the whole hour.
 */
export async function spendProbe(
  db: Db,
  domain: string,
  { now, perHour, referrer }: { readonly now: number; readonly perHour: number; readonly referrer: string },
): Promise<boolean> {
  const hour = hourOf(now);
  const ownKey = groupKey(domain, hour, referrer);
  const wanted = (await countOne(db, ownKey, hour, Number.MAX_SAFE_INTEGER)) ?? 1;
  const reserved = await reservedForOthers(db, { domain, hour, perHour, referrer });
  if (wanted > perHour - reserved) return false;
  return (await countOne(db, domain, hour, perHour)) !== undefined;
}

async function reservedForOthers(
  db: Db,
  {
    domain,
    hour,
    perHour,
    referrer,
  }: { readonly domain: string; readonly hour: number; readonly perHour: number; readonly referrer: string },
): Promise<number> {
  const keys = Array.from({ length: GROUPS }, (_, group) => keyOf(domain, group));
  const hours = [hour, hour - 1];
  const rows = await db
    .selectFrom('probe_budget')
    .select(['registrable_domain', 'hour', 'spent'])
    .where('registrable_domain', 'in', listOf(db, keys))
    .where('hour', 'in', hours)
    .execute();
  const sums = hours.map((each) => {
    const own = groupKey(domain, each, referrer);
    const others = rows.filter((row) => row.hour === each && row.registrable_domain !== own);
    const share = Math.floor(perHour / (others.length + 1));
    return others.reduce((sum, { spent }) => sum + Math.min(spent, share), 0);
  });
  return Math.max(...sums);
}

/** The key of a referrer's group: another one each hour, so that a name found to share its victim's group does so for an hour. */
function groupKey(domain: string, hour: number, referrer: string): string {
  return keyOf(
    domain,
    Number.parseInt(hash('sha256', `${hour} ${referrer}`, 'hex').slice(0, 8), 16) % GROUPS,
  );
}

/** A domain name has no space. */
function keyOf(domain: string, group: number): string {
  return `${domain} ${group}`;
}

/** Adds one; returns the sum, or undefined, with nothing added, when `most` was reached. */
async function countOne(db: Db, key: string, hour: number, most: number): Promise<number | undefined> {
  const row = await db
    .insertInto('probe_budget')
    .values({ registrable_domain: key, hour, spent: 1 })
    .onConflict((known) =>
      known
        .columns(['registrable_domain', 'hour'])
        .doUpdateSet((each) => ({ spent: each('probe_budget.spent', '+', 1) }))
        .where('probe_budget.spent', '<', most),
    )
    .returning('spent')
    .executeTakeFirst();
  return row?.spent;
}
