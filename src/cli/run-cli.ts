import { CommanderError } from 'commander';
import { RegistryError } from '../errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { printError, rootCause } from './output/print-error.ts';
import { createRegistryProgram, routeHelp } from './program.ts';

/**
 * Runs one command line; returns the exit code. Every error ends here, as one sentence with a hint. `before` is called before a
 * command runs, and not for help.
 */
export async function runCli(given: readonly string[], before: () => void = () => {}): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const setCode = (result: ExitCode) => {
    code = result;
  };
  const args = routeHelp(given);
  try {
    const program = await createRegistryProgram(setCode, args);
    program.hook('preAction', before);
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    printError(error);
    return exitCodeOf(error);
  }
}

function exitCodeOf(thrown: unknown): ExitCode {
  const error = rootCause(thrown) ?? thrown;
  if (!(error instanceof RegistryError)) return EXIT.findings;
  if (/^(store|index|queue)_/.test(error.code)) return EXIT.store;
  if (error.code === 'usage' || error.code === 'port_in_use') return EXIT.usage;
  return error.code === 'interrupted' ? EXIT.interrupted : EXIT.findings;
}
