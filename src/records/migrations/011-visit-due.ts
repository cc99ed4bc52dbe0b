/** Fills the table of due times from the sources, in its own order, so that what is due together lies together. */
export const FILL_VISIT_DUE = `
INSERT INTO visit_due (visit, at, source, lease_until, key, registrable_domain, found_via)
  SELECT visit, next_visit_at, id, lease_until, key, registrable_domain, found_via FROM source
  ORDER BY visit, next_visit_at, id`;

/** What keeps the table of due times as the sources say, whoever writes them. */
export const KEEP_VISIT_DUE = `
CREATE TRIGGER source_added AFTER INSERT ON source BEGIN
  INSERT INTO visit_due (visit, at, source, lease_until, key, registrable_domain, found_via)
    VALUES (NEW.visit, NEW.next_visit_at, NEW.id, NEW.lease_until, NEW.key, NEW.registrable_domain, NEW.found_via);
END;
CREATE TRIGGER source_planned AFTER UPDATE OF next_visit_at, lease_until, found_via ON source BEGIN
  UPDATE visit_due SET at = NEW.next_visit_at, lease_until = NEW.lease_until, found_via = NEW.found_via
    WHERE visit = OLD.visit AND at = OLD.next_visit_at AND source = OLD.id;
END;
CREATE TRIGGER source_gone AFTER DELETE ON source BEGIN
  DELETE FROM visit_due WHERE visit = OLD.visit AND at = OLD.next_visit_at AND source = OLD.id;
END;
`;

/**
 * An index by hand: what is looked at to find the next visits, in the order of their times. A batch is then one range, where
 * an index leads to a page of the sources for each row. Sources have no index left that a visit rewrites, so PostgreSQL
 * writes a visited row beside the old one. What was visited leaves dead entries before those that are due, and each look
 * passes them, so PostgreSQL cleans up when they are one in 200, not one in five.
 */
export const VISIT_DUE = `
CREATE TABLE visit_due (
  visit TEXT NOT NULL,
  at INTEGER NOT NULL, -- when the next visit is due
  source INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  key TEXT NOT NULL,
  registrable_domain TEXT NOT NULL,
  found_via TEXT NOT NULL,
  PRIMARY KEY (visit, at, source)
) WITHOUT ROWID /* postgres: WITH (autovacuum_vacuum_scale_factor = 0.005) */;
${FILL_VISIT_DUE};
DROP INDEX source_due;
${KEEP_VISIT_DUE}`;
