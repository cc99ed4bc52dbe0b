import { InvalidArgumentError, Option } from 'commander';
import { withNearest } from '../base/near-names.ts';

/** A flag with the type of its value; undefined in the type when it may be left out. */
export interface Flag<Value> {
  readonly option: Option;
  /** Never there: it carries the type. */
  readonly value?: Value;
}

/** Flags by the names of their values: `--dry-run` is `dryRun`. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

type ValueOf<One> = One extends Flag<infer Value> ? Value : never;

/** What `run` gets: the value of each flag of a table. */
export type FlagValues<Table extends FlagTable> = {
  readonly [Name in keyof Table as undefined extends ValueOf<Table[Name]> ? never : Name]: ValueOf<
    Table[Name]
  >;
} & {
  readonly [Name in keyof Table as undefined extends ValueOf<Table[Name]> ? Name : never]?: Exclude<
    ValueOf<Table[Name]>,
    undefined
  >;
};

/** `--due`: true, or absent. */
export function toggle(flags: string, description: string): Flag<true | undefined> {
  return { option: new Option(flags, description) };
}

/** `--no-validate`: true without it. */
export function negation(flags: string, description: string): Flag<boolean> {
  return { option: new Option(flags, description) };
}

export function textFlag(flags: string, description: string): Flag<string | undefined>;
export function textFlag(flags: string, description: string, fallback: string): Flag<string>;
export function textFlag(flags: string, description: string, fallback?: string): Flag<string | undefined> {
  return { option: new Option(flags, description).default(fallback) };
}

/** A text without which the command does not run. */
export function requiredFlag(flags: string, description: string): Flag<string> {
  return { option: new Option(flags, description).makeOptionMandatory() };
}

/** One of a few words. */
export function choiceFlag<const Word extends string>(
  flags: string,
  description: string,
  words: readonly Word[],
): Flag<Word | undefined>;
export function choiceFlag<const Word extends string>(
  flags: string,
  description: string,
  words: readonly Word[],
  fallback: NoInfer<Word>,
): Flag<Word>;
export function choiceFlag<const Word extends string>(
  flags: string,
  description: string,
  words: readonly Word[],
  fallback?: Word,
): Flag<Word | undefined> {
  const option = new Option(flags, description).choices(words).default(fallback);
  // the words stay for the help and for the completion
  option.argParser((value) => {
    if (words.includes(value as Word)) return value;
    throw new InvalidArgumentError(
      `${withNearest(`Allowed choices are ${words.join(', ')}`, value, words)}.`,
    );
  });
  return { option };
}

/** A text that may be given again and again; `none` is what the help says of the default. */
export function listFlag(flags: string, description: string, none = 'none'): Flag<readonly string[]> {
  return { option: new Option(flags, description).argParser(collect).default([], none) };
}

/** For options that may be given again and again. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** A whole number within bounds; anything else is a usage error that says them. */
export function integerFlag(flags: string, description: string, bounds: Bounds): Flag<number | undefined>;
export function integerFlag(
  flags: string,
  description: string,
  bounds: Bounds,
  fallback: number,
): Flag<number>;
export function integerFlag(
  flags: string,
  description: string,
  [min, max]: Bounds,
  fallback?: number,
): Flag<number | undefined> {
  return parsedFlag(flags, description, wholeNumber(min, max), fallback);
}

type Bounds = readonly [min: number, max: number];

export const PORTS: Bounds = [0, 65_535];

/** Reads a whole number from `min` to `max`. Anything else is a usage error that names the bounds. */
export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (value.trim() !== '' && Number.isInteger(number) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}

/** A value of its own kind; `parse` throws an InvalidArgumentError that says what is expected. */
export function parsedFlag<Value>(
  flags: string,
  description: string,
  parse: (text: string) => Value & {},
  fallback: Value & {},
): Flag<Value>;
export function parsedFlag<Value>(
  flags: string,
  description: string,
  parse: (text: string) => Value & {},
  fallback?: Value,
): Flag<Value | undefined>;
export function parsedFlag<Value>(
  flags: string,
  description: string,
  parse: (text: string) => Value,
  fallback?: Value,
): Flag<Value | undefined> {
  const typed = Array.isArray(fallback) ? fallback.join(',') : undefined;
  return { option: new Option(flags, description).argParser(parse).default(fallback, typed) };
}

/** The flag, which cannot stand beside those that have these names. */
export function conflicting<Value>(flag: Flag<Value>, names: readonly string[]): Flag<Value> {
  flag.option.conflicts([...names]);
  return flag;
}
