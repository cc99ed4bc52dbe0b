import { RegistryError } from '../../errors.ts';
import { PROGRAM } from '../command.ts';
import { visibleLines } from './visible.ts';

/**
 * One sentence on stderr, with the hint below it. An internal error shows its stack, so that it can be reported. What a
 * terminal could obey is escaped: a message may repeat the words of strangers.
 */
export function printError(thrown: unknown): void {
  const error = rootCause(thrown) ?? thrown;
  if (error instanceof RegistryError && error.code !== 'internal') {
    const hint = error.hint === undefined ? '' : `  hint: ${error.hint}\n`;
    process.stderr.write(visibleLines(`${PROGRAM}: ${error.message}\n${hint}`));
    return;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${PROGRAM}: internal error, please report it\n${visibleLines(text)}\n`);
}

/** A known error inside another one, for example a locked store inside a failed stage. */
export function rootCause(error: unknown): RegistryError | undefined {
  for (
    let cause = error instanceof Error ? error.cause : undefined;
    cause instanceof Error;
    cause = cause.cause
  ) {
    if (cause instanceof RegistryError) return cause;
  }
  return undefined;
}
