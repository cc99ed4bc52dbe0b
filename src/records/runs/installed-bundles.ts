import type { InstalledBundle, InstalledBundles } from '../../ports/bundles.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { lockAlone } from '../locks.ts';
import { auditDeed } from '../owners/audit.ts';
import type { BundleTable } from '../tables.ts';

type Actor = Parameters<InstalledBundles['remove']>[1];

/** The installed bundles. Changes wait for each other and for runs that are being stored. */
export function createInstalledBundles(database: RecordsDatabase): InstalledBundles {
  return {
    list: () => database.read(listBundles),
    add: (bundle, actor, now) => database.durably((db) => addBundle(db, bundle, actor, now)),
    setStage: (version, stage, actor, now) =>
      database.durably((db) => setStage(db, { version, stage, actor }, now)),
    remove: (version, actor, now) => database.durably((db) => removeBundle(db, version, actor, now)),
  };
}

async function listBundles(db: Db): Promise<readonly InstalledBundle[]> {
  const rows = await db.selectFrom('bundle').selectAll().orderBy('version').execute();
  return rows.map(bundleOf);
}

async function findBundle(db: Db, version: string): Promise<InstalledBundle | undefined> {
  const row = await db.selectFrom('bundle').selectAll().where('version', '=', version).executeTakeFirst();
  return row && bundleOf(row);
}

async function changeBundle(db: Db, version: string, set: Partial<BundleTable>): Promise<void> {
  await db.updateTable('bundle').set(set).where('version', '=', version).execute();
}

async function addBundle(
  db: Db,
  { version, line, vocabulary, digest, aliases }: Parameters<InstalledBundles['add']>[0],
  actor: Actor,
  now: number,
): Promise<'added' | 'known' | 'other_digest'> {
  await lockAlone(db, 'contents');
  const known = await findBundle(db, version);
  if (known !== undefined && known.digest !== digest) return 'other_digest';
  for (const other of await listBundles(db)) {
    const left = other.aliases.filter((alias) => !aliases.includes(alias));
    if (other.version === version || left.length === other.aliases.length) continue;
    await changeBundle(db, other.version, { aliases: JSON.stringify(left) });
  }
  if (known === undefined) {
    const row = { version, line, vocabulary, digest, stage: 'preview' as const, added_at: now };
    await db
      .insertInto('bundle')
      .values({ ...row, aliases: JSON.stringify(aliases) })
      .execute();
  } else if (aliases.length > 0) {
    await changeBundle(db, version, { aliases: JSON.stringify(aliases) });
  }
  const details = { digest, aliases };
  await auditDeed(db, { at: now, actor, action: 'bundle.add', subject: version, details });
  return known === undefined ? 'added' : 'known';
}

interface StageChange {
  readonly version: string;
  readonly stage: InstalledBundle['stage'];
  readonly actor: Actor;
}

async function setStage(db: Db, { version, stage, actor }: StageChange, now: number): Promise<boolean> {
  await lockAlone(db, 'contents');
  const known = await findBundle(db, version);
  if (known === undefined) return false;
  if (stage === 'default')
    await db
      .updateTable('bundle')
      .set({ stage: 'off' })
      .where('line', '=', known.line)
      .where('vocabulary', '=', known.vocabulary)
      .where('stage', '=', 'default')
      .where('version', '!=', version)
      .execute();
  await changeBundle(db, version, { stage });
  const details = { before: known.stage, after: stage };
  await auditDeed(db, { at: now, actor, action: 'bundle.stage', subject: version, details });
  return true;
}

async function removeBundle(
  db: Db,
  version: string,
  actor: Actor,
  now: number,
): Promise<'removed' | 'unknown' | 'default'> {
  await lockAlone(db, 'contents');
  const known = await findBundle(db, version);
  if (known === undefined) return 'unknown';
  if (known.stage === 'default') return 'default';
  await db.deleteFrom('bundle').where('version', '=', version).execute();
  await db.deleteFrom('bundle_standing').where('version', '=', version).execute();
  const details = { digest: known.digest };
  await auditDeed(db, { at: now, actor, action: 'bundle.remove', subject: version, details });
  return 'removed';
}

function bundleOf({ aliases, added_at: addedAt, ...row }: BundleTable): InstalledBundle {
  return { ...row, aliases: JSON.parse(aliases) as string[], addedAt };
}
