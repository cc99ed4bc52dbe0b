import type { InstalledBundle, InstalledBundles } from '../../ports/bundles.ts';
import { lockAlone } from '../locks.ts';
import { auditDeed } from '../owners/audit.ts';
import type { BundleTable } from '../schema-agents.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { all, first, run, sql } from '../statements.ts';

/**
 * The installed bundles. They change seldom, so each statement is built when it runs, and changes wait for each other and
 * for runs that are being stored.
 */
export function createInstalledBundles(store: SqlStore): InstalledBundles {
  function* add(
    { version, line, vocabulary, digest, aliases }: Parameters<InstalledBundles['add']>[0],
    actor: Parameters<InstalledBundles['add']>[1],
    now: number,
  ): SqlTask<'added' | 'known' | 'other_digest'> {
    yield* call((db) => lockAlone(db, 'contents'));
    const known = yield* find(store, version);
    if (known !== undefined && known.digest !== digest) return 'other_digest';
    for (const other of yield* listed(store)) {
      const left = other.aliases.filter((alias) => !aliases.includes(alias));
      if (other.version === version || left.length === other.aliases.length) continue;
      yield* change(store, other.version, { aliases: JSON.stringify(left) });
    }
    const details = { digest, aliases };
    if (known === undefined) {
      const row = { version, line, vocabulary, digest, stage: 'preview' as const, added_at: now };
      yield* run(store, sql.insertInto('bundle').values({ ...row, aliases: JSON.stringify(aliases) }));
    } else if (aliases.length > 0) {
      yield* change(store, version, { aliases: JSON.stringify(aliases) });
    }
    yield* auditDeed(store, { at: now, actor, action: 'bundle.add', subject: version, details });
    return known === undefined ? 'added' : 'known';
  }
  function* setStage(
    version: string,
    stage: InstalledBundle['stage'],
    actor: Parameters<InstalledBundles['setStage']>[2],
    now: number,
  ): SqlTask<boolean> {
    yield* call((db) => lockAlone(db, 'contents'));
    const known = yield* find(store, version);
    if (known === undefined) return false;
    if (stage === 'default') {
      const rivals = sql
        .updateTable('bundle')
        .set({ stage: 'off' })
        .where('line', '=', known.line)
        .where('vocabulary', '=', known.vocabulary)
        .where('stage', '=', 'default')
        .where('version', '!=', version);
      yield* run(store, rivals);
    }
    yield* change(store, version, { stage });
    const details = { before: known.stage, after: stage };
    yield* auditDeed(store, { at: now, actor, action: 'bundle.stage', subject: version, details });
    return true;
  }
  function* remove(
    version: string,
    actor: Parameters<InstalledBundles['remove']>[1],
    now: number,
  ): SqlTask<'removed' | 'unknown' | 'default'> {
    yield* call((db) => lockAlone(db, 'contents'));
    const known = yield* find(store, version);
    if (known === undefined) return 'unknown';
    if (known.stage === 'default') return 'default';
    yield* run(store, sql.deleteFrom('bundle').where('version', '=', version));
    yield* run(store, sql.deleteFrom('bundle_standing').where('version', '=', version));
    const details = { digest: known.digest };
    yield* auditDeed(store, { at: now, actor, action: 'bundle.remove', subject: version, details });
    return 'removed';
  }
  return {
    list: () => store.read(() => listed(store)),
    add: (bundle, actor, now) => store.durably(() => add(bundle, actor, now)),
    setStage: (version, stage, actor, now) => store.durably(() => setStage(version, stage, actor, now)),
    remove: (version, actor, now) => store.durably(() => remove(version, actor, now)),
  };
}

function* listed(store: SqlStore): SqlTask<readonly InstalledBundle[]> {
  const rows = yield* all(store, sql.selectFrom('bundle').selectAll().orderBy('version'));
  return rows.map(bundleOf);
}

function* find(store: SqlStore, version: string): SqlTask<InstalledBundle | undefined> {
  const row = yield* first(store, sql.selectFrom('bundle').selectAll().where('version', '=', version));
  return row && bundleOf(row);
}

function* change(store: SqlStore, version: string, set: Partial<BundleTable>): SqlTask<void> {
  yield* run(store, sql.updateTable('bundle').set(set).where('version', '=', version));
}

function bundleOf({ aliases, added_at: addedAt, ...row }: BundleTable): InstalledBundle {
  return { ...row, aliases: JSON.parse(aliases) as string[], addedAt };
}
