import type { Generated } from 'kysely';
import type { FileKind } from '../../domain/declaration.ts';
import type { AuthorisationVia } from '../../domain/declared-facts.ts';

type Text = string | null;
type Integer = number | null;

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
  /** Null: the edge log does not say yet how the row stands. */
  told_at: Generated<Integer>;
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
  file: FileKind;
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
