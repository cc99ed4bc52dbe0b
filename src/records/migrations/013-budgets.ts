/**
 * What callers have used of their budgets, in the words of the package `rate-limiter-flexible`, which reads and writes this
 * table in PostgreSQL; turns that work for callers holds, which yields to visits of the registry itself;
 * and requests for visits, which are counted there now.
 */
export const BUDGET_USE = `
CREATE TABLE budget_use (
  key TEXT PRIMARY KEY,
  points INTEGER NOT NULL,
  expire INTEGER -- epoch milliseconds
);
ALTER TABLE domain_turn ADD COLUMN yields INTEGER NOT NULL DEFAULT 0; -- 1: held by work for a caller
ALTER TABLE domain_turn ADD COLUMN wanted_until INTEGER NOT NULL DEFAULT 0; -- work for callers gets no turn before
DROP INDEX crawl_request_caller;
DROP INDEX crawl_request_site;
DROP INDEX crawl_request_group;
DROP INDEX crawl_request_new;
ALTER TABLE crawl_request DROP COLUMN registrable_domain;
ALTER TABLE crawl_request DROP COLUMN caller;
ALTER TABLE crawl_request DROP COLUMN is_member;
ALTER TABLE crawl_request DROP COLUMN is_new;
`;
