/** What brings a store's tables up to date or copies them, for the commands `schema` and `migrate`. */
export { copyStore } from '../records/copy-store.ts';
export { SCHEMA_VERSION } from '../records/migrate.ts';
export { grantRuntime, upgradeSchema } from '../records/postgres/runtime-role.ts';
