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

/**
 * What the script for bash takes from the package bash-completion, for a shell without it: the words up to the cursor. An address
 * stays one word there, where bash breaks it at its colon.
 */
const WITHOUT_PACKAGE = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
  _get_comp_words_by_ref() {
    read -ra words <<< "\${COMP_LINE:0:COMP_POINT}"
    [[ \${COMP_LINE:0:COMP_POINT} == *' ' ]] && words+=('')
    cword=$((\${#words[@]} - 1))
    cur=\${words[cword]}
    prev=\${words[cword - 1]}
  }
fi
`;

/** Adds `completion SHELL`, which prints a script for a shell, and `complete`, which that script asks at each press of the key. */
export function addCompletion(program: Command): void {
  tab(program, { completionCommandName: NAME });
  const added = program.commands.find((command) => command.name() === NAME);
  added?.description('Print a shell script that completes commands and flags.');
  added?.addHelpText('after', EXAMPLES);
  added?.hook('preAction', (_, { args: [shell] }) => {
    if (shell === 'bash') process.stdout.write(WITHOUT_PACKAGE);
  });
}
