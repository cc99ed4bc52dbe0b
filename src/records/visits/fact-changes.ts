import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { EdgeMark } from './declaration-rows.ts';
import type { AgentChanges } from './named-agents.ts';

/** A file of a domain. */
export interface Declarer {
  readonly domain: string;
  readonly file: DeclarationKind;
}

/** What the files of one visit change beyond their own rows. It is written once, after the last file. */
export interface FactChanges {
  readonly agents: AgentChanges;
  readonly marks: EdgeMark[];
}

export interface FactsOptions {
  readonly at: number;
  /** A declaration was live until now, so there may be rows to compare with. */
  readonly hadRows: boolean;
  readonly changes: FactChanges;
  /** The same declaration at another time: its properties and references are the same. */
  readonly isRederived?: true;
}
