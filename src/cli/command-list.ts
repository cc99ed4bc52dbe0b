import type { CommandFile } from './command.ts';
import { referenceCommand } from './reference-agents.ts';

/** The commands that people start with, each with the words of `agent-registry --help`. */
export const FIRST_COMMANDS: Readonly<Record<string, string>> = {
  init: 'write the settings of a new registry',
  crawl: 'visit domains and the agents that they lead to',
  search: 'find agents by words and filters',
  show: 'show one agent in full',
  explain: 'say what is known of a domain or an agent, and why',
  validate: 'check an adagents.json or a brand.json, and mend it',
  probe: 'look at an agent over MCP or A2A',
  check: 'run the storyboards that an agent must pass',
  serve: 'serve the pages and the API',
  doctor: 'check that everything is there, and say what to do',
};

/** All others, by what they are for. */
export const MORE_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'ask and call': ['authorized', 'call', 'runs', 'badges'],
  'look after agents': ['members', 'agents', 'keys', 'audit'],
  'run at night': ['sources', 'heartbeat', 'schedule', 'work', 'export', 'prune'],
  'grow and move': ['index', 'schema', 'migrate', 'completion'],
  'sign and deliver': ['sign', 'verify', 'webhooks', 'match'],
  'try it out': ['sandbox', 'campaign', 'approvals'],
};

/** Every command in the order of the reference page, but `completion`, which stands in completion.ts. */
export const COMMANDS: Readonly<Record<string, CommandFile>> = {
  init: () => import('./commands/init.ts'),
  crawl: () => import('./commands/crawl/command.ts'),
  sources: () => import('./commands/sources.ts'),
  validate: () => import('./commands/validate/command.ts'),
  probe: () => import('./commands/probe.ts'),
  call: () => import('./commands/call/command.ts'),
  check: () => import('./commands/check/command.ts'),
  search: () => import('./commands/search/command.ts'),
  show: () => import('./commands/show/command.ts'),
  authorized: () => import('./commands/authorized.ts'),
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
  audit: () => import('./commands/audit/command.ts'),
  sign: () => import('./commands/sign.ts'),
  verify: () => import('./commands/verify.ts'),
  match: () => import('./commands/match/command.ts'),
  webhooks: () => import('./commands/webhooks/command.ts'),
  sandbox: referenceCommand('sandbox'),
  campaign: referenceCommand('campaign'),
  approvals: referenceCommand('approvals'),
  export: () => import('./commands/export.ts'),
  prune: () => import('./commands/prune.ts'),
  migrate: () => import('./commands/migrate.ts'),
  schema: () => import('./commands/schema.ts'),
  doctor: () => import('./commands/doctor.ts'),
};
