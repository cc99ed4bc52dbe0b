import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { PROGRAM } from './command.ts';

const NAME = 'completion';
const EXAMPLES = `
Examples:
  ${PROGRAM} ${NAME} bash > ~/.local/share/bash-completion/completions/${PROGRAM}
  ${PROGRAM} ${NAME} zsh > ~/.zfunc/_${PROGRAM}
  ${PROGRAM} ${NAME} fish > ~/.config/fish/completions/${PROGRAM}.fish
`;

/** Adds `completion SHELL`, which prints a script for a shell, and `complete`, which that script asks at each press of the key. */
export function addCompletion(program: Command): void {
  tab(program, { completionCommandName: NAME });
  const added = program.commands.find((command) => command.name() === NAME);
  added?.description('Print a script that completes commands and flags in a shell.');
  added?.addHelpText('after', EXAMPLES);
}
