import { type DestinationStream, destination, type LevelWithSilent, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type { Logger } from 'pino';

export interface LogOptions {
  readonly level: LevelWithSilent;
  /** For people: one coloured line each. Otherwise JSON lines. */
  readonly pretty: boolean;
}

/** Members that never reach a log, wherever they stand in the fields. */
const SECRETS = [
  'auth',
  'authorization',
  'headers.authorization',
  'headers.cookie',
  '*.auth',
  '*.authorization',
];

/** A logger on stderr: data goes to stdout, and a pipe must not mix the two. */
export function createLog({ level, pretty: isPretty }: LogOptions): Logger {
  return pino({ level, base: null, redact: { paths: SECRETS, censor: '[redacted]' } }, stream(isPretty));
}

function stream(isPretty: boolean): DestinationStream {
  if (!isPretty) return destination({ dest: 2, sync: true });
  return pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' });
}
