import type { Random } from '../../../reference-agents/src/random.ts';
import type { Engines } from './engines.ts';

/** Something that goes wrong, and what must hold all the same. Each file of this folder exports one by default. */
export interface Fault {
  /** As on the command line: the name of its file. */
  readonly name: string;
  /** What must hold, for the table. */
  readonly sentence: string;
  /** Among the longest: it begins first, so that the lanes end at about the same time. */
  readonly isLong?: boolean;
  run(context: FaultContext): Promise<FaultResult>;
}

export interface FaultContext {
  /** 1: the counts of the table; CI takes a twentieth, and at least one of each. */
  readonly scale: number;
  readonly seed: number;
  /** Everything that is left to chance comes from here; its own for each fault, whichever others run. */
  readonly random: Random;
  readonly engines: Engines;
  /** An empty folder of the fault's own, removed after it. */
  readonly folder: string;
  /** What is going on, to standard error. */
  readonly log: (line: string) => void;
}

export interface FaultResult {
  /** How often, in figures: `50 kills, 5 crawls of 1000 domains`. */
  readonly counted: string;
  readonly held: boolean;
  /** What was seen; when it does not hold, what was expected and where to look. */
  readonly detail: string;
}

/** So many at this scale; at least one of everything. */
export function scaled(count: number, scale: number): number {
  return Math.max(1, Math.round(count * scale));
}

/** For how long an engine hangs: half a minute, and five seconds where only a part of the counts is wanted. */
export function freezeSeconds(scale: number): number {
  return scale >= 1 ? 30 : 5;
}

/** What was checked, one after the other; all of it must be true. */
export class Checks {
  readonly #failed: string[] = [];
  readonly #seen: string[] = [];

  /** Notes what does not hold. Returns whether it does. */
  that(what: string, holds: boolean, found?: unknown): boolean {
    if (!holds) this.#failed.push(found === undefined ? what : `${what} (found: ${shown(found)})`);
    return holds;
  }

  /** Whether all held until now. */
  hold(): boolean {
    return this.#failed.length === 0;
  }

  /** Notes a figure that belongs into the table. */
  note(figure: string): void {
    this.#seen.push(figure);
  }

  result(counted: string): FaultResult {
    const held = this.#failed.length === 0;
    const failed = this.#failed.map((what) => `does not hold: ${what}`);
    return { counted, held, detail: [...failed, ...this.#seen].join('; ') };
  }
}

function shown(found: unknown): string {
  return (typeof found === 'string' ? found : JSON.stringify(found)).slice(0, 1_500);
}
