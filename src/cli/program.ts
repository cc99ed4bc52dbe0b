import type { Command } from 'commander';
import { createProgram, type DefineCommand, type Done } from './command.ts';
import { defineAgents } from './commands/agents.ts';
import { defineAudit } from './commands/audit.ts';
import { defineBadges } from './commands/badges.ts';
import { defineCall } from './commands/call.ts';
import { defineCheck } from './commands/check.ts';
import { defineCrawl } from './commands/crawl.ts';
import { defineDoctor } from './commands/doctor.ts';
import { defineExplain } from './commands/explain.ts';
import { defineHeartbeat } from './commands/heartbeat.ts';
import { defineIndex } from './commands/index.ts';
import { defineKeys } from './commands/keys.ts';
import { defineMatch } from './commands/match.ts';
import { defineMembers } from './commands/members.ts';
import { defineMigrate } from './commands/migrate.ts';
import { defineProbe } from './commands/probe.ts';
import { definePrune } from './commands/prune.ts';
import { defineRuns } from './commands/runs.ts';
import { defineSchedule } from './commands/schedule.ts';
import { defineSearch } from './commands/search.ts';
import { defineServe } from './commands/serve.ts';
import { defineSign } from './commands/sign.ts';
import { defineSources } from './commands/sources.ts';
import { defineValidate } from './commands/validate.ts';
import { defineVerify } from './commands/verify.ts';
import { defineWebhooks } from './commands/webhooks.ts';
import { defineWork } from './commands/work.ts';
import { defineReferenceCommands } from './reference-agents.ts';

const COMMANDS: readonly DefineCommand[] = [
  defineCrawl,
  defineSources,
  defineValidate,
  defineProbe,
  defineCall,
  defineCheck,
  defineSearch,
  defineExplain,
  defineServe,
  defineSchedule,
  defineWork,
  defineHeartbeat,
  defineIndex,
  defineMembers,
  defineAgents,
  defineKeys,
  defineRuns,
  defineBadges,
  defineAudit,
  defineSign,
  defineVerify,
  defineMatch,
  defineWebhooks,
  defineReferenceCommands,
  definePrune,
  defineMigrate,
  defineDoctor,
];

const EXAMPLES = `
Examples:
  registry crawl news.example                          read a domain and the agents it leads to
  registry crawl --due                                 whatever is due, from cron
  registry sources add --from domains.txt              what the scheduler is to visit
  registry validate ./adagents.json                    before you publish it
  registry probe http://127.0.0.1:3000/mcp             the agent that you are building
  registry call http://127.0.0.1:3000/mcp get_products brief="coffee in Ghent"
  registry check http://127.0.0.1:3000/mcp             what your agent passes, and what not
  registry search --type measurement --capabilities    the filters of the API
  registry explain news.example                        what we know, and why
  registry serve --port 8080                           GET /api/registry/agents
  registry schedule                                    what is due onto the queue, for many machines
  registry work --kinds crawl,probe                    do what is on the queue
  registry heartbeat --once                            test the agents whose time has come
  registry index status                                the generations of the index
  registry members import members.yaml                 who agents may be registered to
  registry agents register https://a.example/mcp --member nova
  registry agents prove URL --member nova              whose agent it is, shown by its domain
  registry keys create --member nova                   an API key for its owner
  registry audit                                       who did what
  registry runs list https://a.example/mcp             how its tests went
  registry badges list https://a.example/mcp           what it is verified for, and why
  registry keys generate --kind request                a key that signs requests
  registry verify signed.json --jwks jwks.json         does this signature hold, and if not, why
  registry webhooks listen --jwks jwks.json            receive and verify webhooks
  registry campaign --connect-to '*.example=http://127.0.0.1:4000'
                                                       buy a campaign from the sandbox's agents
  registry approvals list                              what a governance agent leaves to a human
  registry match serve --packages packages.json        packages for a page, apart from who sees it
  registry sandbox                                     a small advertising web to try it on
  registry prune                                       delete history that is past its time
  registry migrate --from sqlite:PATH --to-env NAME    move the records to PostgreSQL
  registry doctor                                      is everything there?
`;

/** The whole command line. Usage errors and --help leave as CommanderErrors, so that the caller sets the exit code. */
export function createRegistryProgram(done: Done): Command {
  return createProgram(COMMANDS, done).addHelpText('after', EXAMPLES);
}
