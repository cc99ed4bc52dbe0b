import { createRequire } from 'node:module';
import { type DestinationStream, destination, type LevelWithSilent, type Logger, pino } from 'pino';
import { UNSEEN, unicodeEscape } from '../domain/text.ts';

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

/** Pretty output for terminals only; services write JSON. */
const prettyPrinter = () => createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');

function stream(isPretty: boolean): DestinationStream {
  if (!isPretty) return destination({ dest: 2, sync: true });
  const lines = prettyPrinter()({
    destination: 2,
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
  });
  // it leaves in fields what a terminal may obey; twice escaped, as it reads the line once more
  const shown = (text: string) => unicodeEscape(text).replaceAll('\\', '\\\\');
  return { write: (line) => void lines.write(line.replace(UNSEEN, shown)) };
}
