import type { Generated } from 'kysely';
import type { AuthorisationVia, DeclarationKind } from '../domain/declared-facts.ts';
import type { VisitKind } from '../domain/source.ts';

type Integer = number | null;

export interface CrawlRequestTable {
  id: string;
  visit: VisitKind;
  key: string;
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

type Text = string | null;

export interface AuthorisationTable {
  id: Generated<number>;
  publisher: string;
  agent: string;
  entry: string;
  declared_url: string;
  via: AuthorisationVia;
  authorized_for: Text;
  claimed_protocol: Text;
  claimed_capabilities: Text;
  scope: string;
  count_by_type: string;
  tags: string;
  /** Null: an earlier version wrote the row. */
  covers: Text;
  limits: Text;
  signing_keys: Text;
  /** 0: no property is covered, so the publisher is not one of the agent's. 1 in rows of earlier versions. */
  sells: number;
  seen_from: number;
  seen_until: Integer;
}

/** A row says that an entry of a file began or ended, or that the file of a publisher did. */
export interface EdgeLogTable {
  seq: Generated<number>;
  /** 0: the row is of a file. */
  authorisation: number;
  agent: string;
  publisher: string;
  scope: string;
  /** Null: it began. */
  ended_at: Integer;
  at: number;
  /** Of the publisher's file; null: the row is of an entry. */
  declaration: Generated<Integer>;
}

export interface MentionTable {
  id: Generated<number>;
  declarer: string;
  file: DeclarationKind;
  agent: string;
  entry: string;
  declared_url: string;
  own: number;
  details: string;
  seen_from: number;
  seen_until: Integer;
}

export interface PropertyTable {
  id: Generated<number>;
  publisher: string;
  /** Null: it is in the file's catalogue. */
  entry: Text;
  property_id: Text;
  property_type: string;
  name: Text;
  identifiers: string;
  tags: string;
}
