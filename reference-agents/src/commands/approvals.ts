import { collect, type DefineCommand, examples, withJson, withState } from 'agent-registry/command-line';
import { type Command, InvalidArgumentError } from 'commander';
import type { ApprovalsFlags, ApproveFlags, DecideFlags } from './run-approvals.ts';

/** `registry approvals list | approve | deny | release`. */
export const defineApprovals: DefineCommand = (program, done) => {
  const approvals = program
    .command('approvals')
    .description('What a governance agent leaves to a human: look, approve, deny, while it is running.');
  const list = approvals.command('list').description('The checks that wait for an answer.');
  withAgents(list).action(async (flags: ApprovalsFlags) => {
    const { listApprovals } = await import('./run-approvals.ts');
    done(listApprovals(flags));
  });
  const approve = withCheck(approvals.command('approve'))
    .description('Approve a check; the agent that asked gets its approval when it asks again.')
    .option('--condition <text>', 'what has to be kept (repeatable)', collect, [])
    .option('--up-to <amount>', 'what it may cost, where nothing else says so', amount);
  withAgents(approve).action(async (checkId: string, flags: ApproveFlags) => {
    const { answerCommand } = await import('./run-approvals.ts');
    done(answerCommand(checkId, flags, true));
  });
  const deny = withCheck(approvals.command('deny')).description('Deny a check.');
  withAgents(deny).action(async (checkId: string, flags: DecideFlags) => {
    const { answerCommand } = await import('./run-approvals.ts');
    done(answerCommand(checkId, { ...flags, condition: [] }, false));
  });
  const release = withCheck(approvals.command('release')).description(
    'Give back to its plan what an approval committed, when it ran out and nobody used it.',
  );
  withAgents(release).action(async (checkId: string, flags: DecideFlags) => {
    const { releaseCommand } = await import('./run-approvals.ts');
    done(releaseCommand(checkId, flags));
  });
  const approving = 'registry approvals approve chk_1 --as "head of media" --condition "not at night"';
  examples(approvals, 'registry approvals list', approving);
  examples(list, 'registry approvals list --json');
  examples(approve, approving);
  examples(deny, 'registry approvals deny chk_1 --as "head of media" --reason "too loud"');
  examples(release, 'registry approvals release chk_1 --as "head of media" --reason "never bought"');
};

function withCheck(command: Command): Command {
  return command
    .argument('<check>', 'its id, as `approvals list` prints it')
    .option(
      '--as <name>',
      'who decides; one of the approvers where the plan names them (default: your user name)',
    )
    .option('--reason <text>', 'why, for the log');
}

function withAgents(command: Command): Command {
  return withJson(
    withState(command).option('--agent <url>', 'only of this agent (default: all in the state)'),
  );
}

function amount(value: string): number {
  if (/^\d{1,12}(\.\d{1,2})?$/.test(value)) return Number(value);
  throw new InvalidArgumentError('an amount with at most two decimals is expected.');
}
