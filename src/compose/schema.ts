export { SCHEMA_VERSION } from '../records/migrations/migrations.ts';
/** What brings a store's tables up to date or copies them, for the commands `schema` and `migrate`. */
export { moveStore } from '../records/move/move-store.ts';
export { grantRuntime, upgradeSchema } from '../records/postgres/runtime-role.ts';
