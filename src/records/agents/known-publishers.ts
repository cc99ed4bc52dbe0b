import { sql as rawSql } from 'kysely';
import { present } from '../../base/json.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { KnownPublisher } from '../../ports/graph.ts';
import { type Param, sql } from '../statements.ts';

interface PublisherRow {
  readonly key: string;
  readonly declaration: number | null;
  readonly last_visit_at: number | null;
  readonly last_success_at: number | null;
  readonly last_outcome: Outcome | null;
  readonly lacking: 'absent' | 'broken' | null;
  readonly via: KnownPublisher['via'] | null;
  readonly manager: string | null;
  readonly url: string | null;
  readonly content_hash: string | null;
  readonly agents: number | null;
  readonly properties: number | null;
}

/** A domain as its adagents.json was last found. */
export function knownPublisher(row: PublisherRow): KnownPublisher {
  return {
    domain: row.key,
    isValid: row.declaration !== null,
    agents: row.agents ?? 0,
    properties: row.properties ?? 0,
    ...present({
      via: row.via,
      manager: row.manager,
      url: row.url,
      contentHash: row.content_hash,
      lastVisitAt: row.last_visit_at,
      lastSuccessAt: row.last_success_at,
      lastOutcome: row.last_outcome,
      lacking: row.lacking,
    }),
  };
}

/** What a visit did not learn, it does not change: neither column is touched by one that came to nothing. */
const lacking = rawSql<
  PublisherRow['lacking']
>`CASE WHEN source.absent_since IS NOT NULL THEN 'absent' WHEN source.findings <> '[]' THEN 'broken' END`;

function publisherRows() {
  return sql
    .selectFrom('source')
    .leftJoin('declaration', 'declaration.id', 'source.declaration')
    .select(['source.key', 'source.declaration', 'source.last_visit_at', 'source.last_success_at'])
    .select(lacking.as('lacking'))
    .select(['source.last_outcome', 'declaration.via', 'declaration.manager', 'declaration.url'])
    .select(['declaration.agents', 'declaration.properties', 'declaration.content_hash'])
    .where('source.kind', '=', 'adagents');
}

/** Those whose file counts, after one of them. */
export function publishersInOrder(param: Param<{ after: string; limit: number }>) {
  return publisherRows()
    .where('source.declaration', 'is not', null)
    .where('source.key', '>', param('after'))
    .orderBy('source.key')
    .limit(param('limit'));
}

/** Those of these domains that are known. */
export function publishersNamed(param: Param<{ domains: readonly string[] }>) {
  return publisherRows().where('source.key', 'in', param.list('domains')).orderBy('source.key');
}
