/**
 * A database with the table `budget_use`, as the package `rate-limiter-flexible` asks one: pg's `query` with a configuration
 * object. Rejects with a RegistryError `store_…` when the database does not answer.
 */
export interface BudgetStore {
  query(query: object): Promise<unknown>;
}
