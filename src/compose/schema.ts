export { SCHEMA_VERSION } from '../adapters/sql/migrations/migrations.ts';
/** What brings a store's tables up to date or copies them, for the commands `schema` and `migrate`. */
export { moveStore } from '../adapters/sql/move/move-store.ts';
export { grantRuntime, upgradeSchema } from '../adapters/sql/postgres/runtime-role.ts';
