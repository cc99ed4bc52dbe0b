import type { Call } from '../handler.ts';
import type { StoredCatalog } from './catalog-rules.ts';

/** The catalogues of one account. In a dry run changes are only imagined, so that the answer is the same. */
export interface CatalogShelf {
  get(id: string): StoredCatalog | undefined;
  ids(): readonly string[];
  put(id: string, catalog: StoredCatalog): void;
  delete(id: string): void;
}

export function shelfOf({ agent, caller }: Call, accountId: string, dryRun: boolean): CatalogShelf {
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
