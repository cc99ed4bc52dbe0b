import { isDeepStrictEqual } from 'node:util';
import {
  type Problem,
  problem,
  type SyncAction,
  type SyncCatalogsRequest,
  type SyncCatalogsResponse,
} from '@agent-registry/surface/agent-kit';
import { findAccount } from '../accounts/find-account.ts';
import { handler, type TaskCall } from '../handler.ts';
import { businessNow } from '../test-controller/business-clock.ts';
import { type Catalog, faultOfCatalog, judgedCatalog, type StoredCatalog } from './catalog-rules.ts';

/** The catalogues of one account. In a dry run changes are only imagined, so that the answer is the same. */
interface CatalogShelf {
  get(id: string): StoredCatalog | undefined;
  ids(): readonly string[];
  put(id: string, catalog: StoredCatalog): void;
  delete(id: string): void;
}

/** Catalogues of one account. */
const MAX_CATALOGS = 100;

type Result = SyncCatalogsResponse['catalogs'][number];

export const syncCatalogs = handler('sync_catalogs', {
  description:
    'Stores catalogues of products, stores or offers; an invalid catalogue does not affect the others',
  callers: 'known',
  run: (request, call) => {
    const { accountId } = findAccount(call, request.account);
    const shelf = shelfOf(call, accountId, request.dry_run === true);
    const named = new Set<string>();
    const results = request.catalogs.map((catalog, index) => {
      const pointer = `/catalogs/${index}`;
      if (named.has(catalog.catalog_id)) return failed(catalog, twice(`${pointer}/catalog_id`));
      named.add(catalog.catalog_id);
      return synced(call, shelf, catalog, pointer);
    });
    return { catalogs: [...results, ...missing(request, shelf, named)] };
  },
});

function synced(call: TaskCall, shelf: CatalogShelf, catalog: Catalog, pointer: string): Result {
  const before = shelf.get(catalog.catalog_id);
  if (catalog.delete === true) return deleted(shelf, catalog, before, pointer);
  const fault = faultOfCatalog(catalog, before, pointer) ?? faultOfRoom(shelf, before, pointer);
  if (fault !== undefined) return failed(catalog, fault, before);
  const now = businessNow(call.agent.state, call.caller.id, call.now);
  const after = judgedCatalog(catalog, before, now);
  const action = actionOf(before, after);
  if (action !== 'unchanged') shelf.put(catalog.catalog_id, after);
  const shown = action === 'unchanged' && before !== undefined ? before : after;
  return { catalog_id: catalog.catalog_id, action, ...standingOf(shown, pointer) };
}

function actionOf(before: StoredCatalog | undefined, after: StoredCatalog): SyncAction {
  if (before === undefined) return 'created';
  return isDeepStrictEqual(before.catalog, after.catalog) ? 'unchanged' : 'updated';
}

function deleted(
  shelf: CatalogShelf,
  catalog: Catalog,
  before: StoredCatalog | undefined,
  pointer: string,
): Result {
  if (before === undefined) {
    const unknown = problem('REFERENCE_NOT_FOUND', 'unknown catalogue of this account', {
      pointer: `${pointer}/catalog_id`,
    });
    return failed(catalog, unknown);
  }
  shelf.delete(catalog.catalog_id);
  return { catalog_id: catalog.catalog_id, action: 'deleted' };
}

function faultOfRoom(
  shelf: CatalogShelf,
  before: StoredCatalog | undefined,
  pointer: string,
): Problem | undefined {
  if (before !== undefined || shelf.ids().length < MAX_CATALOGS) return undefined;
  return problem('INVALID_STATE', `an account has at most ${MAX_CATALOGS} catalogues`, {
    pointer,
    suggestion: 'delete a catalogue first',
  });
}

/** Deletes what the request does not name, when it asks for that. */
function missing(
  request: SyncCatalogsRequest,
  shelf: CatalogShelf,
  named: ReadonlySet<string>,
): readonly Result[] {
  if (request.delete_missing !== true) return [];
  const ids = shelf.ids().filter((id) => !named.has(id));
  for (const id of ids) shelf.delete(id);
  return ids.map((id) => ({ catalog_id: id, action: 'deleted' }));
}

function standingOf({ status, items, rejected, nextFetchAt, faults }: StoredCatalog, pointer: string) {
  const errors = faults.map((one) =>
    problem('VALIDATION_ERROR', one.message, { pointer: `${pointer}${one.at}` }),
  );
  return {
    status,
    ...(items !== undefined && { item_count: items }),
    ...(rejected > 0 && { items_rejected: rejected }),
    ...(nextFetchAt !== undefined && { next_fetch_at: new Date(nextFetchAt).toISOString() }),
    ...(errors.length > 0 && { errors }),
  };
}

function twice(pointer: string): Problem {
  return problem('VALIDATION_ERROR', 'duplicate catalogue', { pointer });
}

function failed({ catalog_id: id }: Catalog, fault: Problem, before?: StoredCatalog): Result {
  return {
    catalog_id: id,
    action: 'failed',
    ...(before !== undefined && { status: before.status }),
    errors: [fault],
  };
}

function shelfOf({ agent, caller }: TaskCall, accountId: string, dryRun: boolean): CatalogShelf {
  const kept = agent.state.collection<StoredCatalog>(`catalogs ${accountId}`, caller.id);
  const present = new Map(kept.list().map(({ key, document }) => [key, document]));
  return {
    get: (id) => present.get(id),
    ids: () => [...present.keys()],
    put: (id, catalog) => {
      present.set(id, catalog);
      if (!dryRun) kept.put(id, catalog);
    },
    delete: (id) => {
      present.delete(id);
      if (!dryRun) kept.delete(id);
    },
  };
}
