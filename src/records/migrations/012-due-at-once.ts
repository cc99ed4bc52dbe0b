/**
 * In PostgreSQL a statement about 200 sources writes their due times in one statement too, and not in 200. Rows that it
 * left alone are not written. A plan is kept while the tables grow, so it is told what holds for tables of any size: each
 * due time is found by its key. With room in a page a lease is written beside the row, and the index is left alone.
 */
export const DUE_AT_ONCE = `
/* postgres: ALTER TABLE visit_due SET (fillfactor = 70); */
/* postgres: DROP TRIGGER source_added ON source; */
/* postgres: DROP TRIGGER source_planned ON source; */
/* postgres: DROP TRIGGER source_gone ON source; */
/* postgres: CREATE OR REPLACE FUNCTION source_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
INSERT INTO visit_due (visit, at, source, lease_until, key, registrable_domain, found_via)
  SELECT visit, next_visit_at, id, lease_until, key, registrable_domain, found_via FROM added;
RETURN NULL; END $$; */
/* postgres: CREATE OR REPLACE FUNCTION source_planned() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$ BEGIN
UPDATE visit_due SET at = planned.at, lease_until = planned.lease_until, found_via = planned.found_via
  FROM (
    SELECT id, max(visit) AS visit, max(was_at) AS was_at, max(at) AS at, max(lease_until) AS lease_until, max(found_via) AS found_via
    FROM (
      SELECT id, visit, next_visit_at AS was_at, NULL::bigint AS at, NULL::bigint AS lease_until, NULL AS found_via FROM before
      UNION ALL SELECT id, NULL, NULL, next_visit_at, lease_until, found_via FROM after
    ) AS sides GROUP BY id
  ) AS planned
  WHERE visit_due.visit = planned.visit AND visit_due.at = planned.was_at AND visit_due.source = planned.id
    AND (visit_due.at, visit_due.lease_until, visit_due.found_via)
      IS DISTINCT FROM (planned.at, planned.lease_until, planned.found_via);
RETURN NULL; END $$; */
/* postgres: CREATE OR REPLACE FUNCTION source_gone() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$ BEGIN
DELETE FROM visit_due USING gone
  WHERE visit_due.visit = gone.visit AND visit_due.at = gone.next_visit_at AND visit_due.source = gone.id;
RETURN NULL; END $$; */
/* postgres: CREATE TRIGGER source_added AFTER INSERT ON source REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION source_added(); */
/* postgres: CREATE TRIGGER source_planned AFTER UPDATE ON source REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION source_planned(); */
/* postgres: CREATE TRIGGER source_gone AFTER DELETE ON source REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION source_gone(); */
`;
