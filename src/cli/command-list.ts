import type { CommandFile } from './command.ts';
import { referenceCommand } from './reference-agents.ts';

/** Every command, in the order of `agent-registry --help`. */
export const COMMANDS: Readonly<Record<string, CommandFile>> = {
  crawl: () => import('./commands/crawl/command.ts'),
  sources: () => import('./commands/sources.ts'),
  validate: () => import('./commands/validate.ts'),
  probe: () => import('./commands/probe.ts'),
  call: () => import('./commands/call/command.ts'),
  check: () => import('./commands/check/command.ts'),
  search: () => import('./commands/search.ts'),
  explain: () => import('./commands/explain/command.ts'),
  serve: () => import('./commands/serve.ts'),
  schedule: () => import('./commands/schedule/command.ts'),
  work: () => import('./commands/work.ts'),
  heartbeat: () => import('./commands/heartbeat.ts'),
  index: () => import('./commands/index/command.ts'),
  members: () => import('./commands/members/command.ts'),
  agents: () => import('./commands/agents/command.ts'),
  keys: () => import('./commands/keys/command.ts'),
  runs: () => import('./commands/runs/command.ts'),
  badges: () => import('./commands/badges/command.ts'),
  audit: () => import('./commands/audit.ts'),
  sign: () => import('./commands/sign.ts'),
  verify: () => import('./commands/verify.ts'),
  match: () => import('./commands/match/command.ts'),
  webhooks: () => import('./commands/webhooks/command.ts'),
  sandbox: referenceCommand(
    'sandbox',
    'Start the reference agents in a small advertising web on this machine.',
  ),
  campaign: referenceCommand('campaign', "Buy one campaign from the sandbox's agents."),
  approvals: referenceCommand(
    'approvals',
    "Answer the checks that the sandbox's governance agent leaves to a human.",
  ),
  prune: () => import('./commands/prune.ts'),
  migrate: () => import('./commands/migrate.ts'),
  doctor: () => import('./commands/doctor.ts'),
};
