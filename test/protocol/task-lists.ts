import type { TaskName } from '../../src/protocol/tasks.ts';

/** What the project adds to the specification's list. */
export const EXTENSIONS: readonly TaskName[] = [
  'get_rights',
  'acquire_rights',
  'sync_plans',
  'list_authorized_properties',
  'preview_creative',
  'validate_creative',
  'comply_test_controller',
];

/** Tasks for which the specification's table has an idempotency_key or whose text says that they change something. */
export const MUTATING: readonly TaskName[] = [
  'sync_accounts',
  'build_creative',
  'sync_creatives',
  'create_media_buy',
  'update_media_buy',
  'sync_audiences',
  'activate_signal',
  'log_event',
  'provide_performance_feedback',
  'sync_catalogs',
  'acquire_rights',
  'sync_plans',
];
