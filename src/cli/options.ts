import { type Command, InvalidArgumentError, Option } from 'commander';

/** Where the records are; see config.ts for the variable behind it. */
export interface StoreFlags {
  readonly store?: string;
}

/** How to reach hosts that are not where DNS says. */
export interface NetworkFlags {
  readonly connectTo: readonly string[];
  readonly connectToFile?: string;
  readonly ca?: string;
}

export interface JsonFlag {
  readonly json?: true;
}

/** Where a bearer token for an agent comes from. */
export interface CredentialFlags {
  readonly auth?: string;
  readonly authEnv?: string;
}

export interface LogFlags {
  readonly logLevel?: string;
}

/** Where a process that serves no registry shows its metrics and its health; no port, nowhere. */
export interface HttpFlags {
  readonly port?: number;
  readonly host: string;
}

/** Adds --store. */
export function withStore(command: Command): Command {
  return command.option(
    '--store <address>',
    'the records, sqlite:PATH or postgres://… (REGISTRY_STORE; default sqlite:.registry/registry.sqlite)',
  );
}

/** Where the state of the sandbox's agents is. */
export interface StateFlag {
  readonly state: string;
}

export const DEFAULT_STATE = 'sqlite:.registry/sandbox.sqlite';

/** Adds --state. */
export function withState(command: Command): Command {
  return command.option('--state <address>', "the state of the sandbox's agents, sqlite:PATH", DEFAULT_STATE);
}

/** Adds --connect-to, --connect-to-file and --ca. */
export function withNetwork(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--connect-to <host=origin>',
        'reach a host at another origin, as in news.example=http://127.0.0.1:4000; *.example= and *= too (repeatable)',
      )
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--connect-to-file <file>', 'the same, one mapping a line')
    .option('--ca <file>', 'PEM certificates to trust beside the usual ones');
}

/** Adds --json. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON, as in schemas/cli');
}

/** Adds --auth-env and --auth. */
export function withCredential(command: Command): Command {
  return command
    .option('--auth-env <name>', 'environment variable with a bearer token for the agent')
    .option(
      '--auth <@file>',
      'the same from a file, as @path (a bare token works, and shows in the process list)',
    );
}

/** Adds --log-level. */
export function withLog(command: Command): Command {
  return command.option(
    '--log-level <level>',
    'trace, debug, info, warn, error or silent (REGISTRY_LOG_LEVEL)',
  );
}

/** Adds --port and --host for the metrics and the health of the process. */
export function withHttp(command: Command): Command {
  return command
    .option(
      '--port <n>',
      'answer GET /metrics and GET /health there; 0 takes a free one and prints it',
      wholeNumber(0, 65_535),
    )
    .option('--host <address>', 'address for --port', '127.0.0.1');
}

/** For options that may be given again and again. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** A whole number within bounds; anything else is a usage error that says them. */
export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (value.trim() !== '' && Number.isInteger(number) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`a whole number from ${min} to ${max} is expected.`);
  };
}
