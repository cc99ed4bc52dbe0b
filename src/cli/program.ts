import { Command } from 'commander';
import { VERSION } from '../version.ts';
import type { DefineCommand, Done } from './command.ts';
import { defineAgents } from './commands/agents.ts';
import { defineCrawl } from './commands/crawl.ts';
import { defineDoctor } from './commands/doctor.ts';
import { defineExplain } from './commands/explain.ts';
import { defineIndex } from './commands/index.ts';
import { defineMembers } from './commands/members.ts';
import { defineProbe } from './commands/probe.ts';
import { definePrune } from './commands/prune.ts';
import { defineSandbox } from './commands/sandbox.ts';
import { defineSearch } from './commands/search.ts';
import { defineServe } from './commands/serve.ts';
import { defineValidate } from './commands/validate.ts';

const COMMANDS: readonly DefineCommand[] = [
  defineCrawl,
  defineValidate,
  defineProbe,
  defineSearch,
  defineExplain,
  defineServe,
  defineIndex,
  defineMembers,
  defineAgents,
  defineSandbox,
  definePrune,
  defineDoctor,
];

/** The whole command line. Usage errors and --help leave as CommanderErrors, so that the caller sets the exit code. */
export function createProgram(done: Done): Command {
  const program = new Command('registry')
    .description('Finds, probes, indexes and serves the agents that publishers and brands declare.')
    .version(VERSION)
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nStart here:\n  registry sandbox            a small advertising web on this machine\n  registry crawl news.example read a domain and the agents it leads to\n  registry serve              answer GET /api/registry/agents\n',
    );
  for (const define of COMMANDS) define(program, done);
  for (const command of program.commands) inherit(command, program);
  return program;
}

function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent).showHelpAfterError('(see --help)').exitOverride();
  for (const child of command.commands) inherit(child, parent);
}
