import type { Actor } from '../../domain/actor.ts';
import type { BundleStage, InstalledBundle } from '../../domain/bundle.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { lockAlone } from '../locks.ts';
import { audit, recordedDetails } from '../owners/audit.ts';
import type { BundleTable } from '../tables.ts';

/**
 * The installed bundles of a registry. Their files are in a folder of each machine (REGISTRY_BUNDLES). Changes wait for
 * each other and for runs that are being stored.
 */
export function createInstalledBundles(database: RecordsDatabase) {
  return {
    /** By version. */
    list: () => database.read(listBundles),
    /**
     * Installs a bundle in preview. `other_digest`: a bundle of this version with another digest is installed, and
     * stays. An alias moves to the new bundle.
     */
    add: (bundle: Omit<InstalledBundle, 'stage' | 'addedAt'>, actor: Actor, now: number) =>
      database.durably((db) => addBundle(db, bundle, actor, now)),
    /** Changes the stage; the default of the same line and vocabulary, if it is another, becomes `off`. False for an unknown version. */
    setStage: (version: string, stage: BundleStage, actor: Actor, now: number) =>
      database.durably((db) => setStage(db, { version, stage, actor }, now)),
    /**
     * Removes a bundle with the standings from its runs; the runs themselves stay. `default`: it is a default bundle,
     * and stays.
     */
    remove: (version: string, actor: Actor, now: number) =>
      database.durably((db) => removeBundle(db, version, actor, now)),
  };
}

export type InstalledBundles = ReturnType<typeof createInstalledBundles>;

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
  { version, line, vocabulary, digest, aliases }: Omit<InstalledBundle, 'stage' | 'addedAt'>,
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
  await audit(db, { at: now, actor, action: 'bundle.add', subject: version, details });
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
  await audit(db, { at: now, actor, action: 'bundle.stage', subject: version, details });
  return true;
}

async function removeBundle(
  db: Db,
  version: string,
  actor: Actor,
  now: number,
): Promise<'removed' | 'unknown' | 'default'> {
  const action = { at: now, actor, action: 'bundle.remove', subject: version };
  await lockAlone(db, 'contents');
  const known = await findBundle(db, version);
  if (known === undefined) return (await recordedDetails(db, action)) === undefined ? 'unknown' : 'removed';
  if (known.stage === 'default') return 'default';
  await db.deleteFrom('bundle').where('version', '=', version).execute();
  await db.deleteFrom('bundle_standing').where('version', '=', version).execute();
  await audit(db, { ...action, details: { digest: known.digest } });
  return 'removed';
}

function bundleOf({ aliases, added_at: addedAt, ...row }: BundleTable): InstalledBundle {
  return { ...row, aliases: JSON.parse(aliases) as string[], addedAt };
}
