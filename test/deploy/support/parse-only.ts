import type { Command } from 'commander';
import { createRegistryProgram } from '../../../src/cli/run-cli.ts';

/** Parses a command line as the program does, without running it; throws where it would be refused. */
export async function parseOnly(args: readonly string[]): Promise<void> {
  const program = await createRegistryProgram(() => {});
  for (const command of program.commands) silence(command);
  program.parse([...args], { from: 'user' });
}

function silence(command: Command): void {
  command.configureOutput({ writeErr: () => {} }).action(() => {});
  for (const child of command.commands) silence(child);
}
