import type { Generated } from 'kysely';
import type { VisitKind } from '../../domain/source.ts';

type Integer = number | null;

export interface CrawlRequestTable {
  id: string;
  visit: VisitKind;
  key: string;
  registrable_domain: string;
  caller: string;
  is_member: number;
  is_new: number;
  asked_at: number;
}

export interface CrawlRunTable {
  id: Generated<number>;
  fingerprint: string;
  started_at: number;
  /** When an item was last done. */
  progressed_at: number;
  finished_at: Integer;
  pending_domains: Generated<number>;
  worker: string;
  pending_agents: Generated<number>;
  agents_found: Generated<number>;
  done: Generated<number>;
}

export interface CrawlFrontierTable {
  id: Generated<number>;
  run: number;
  kind: VisitKind;
  key: string;
  depth: number;
  done: Generated<number>;
}
