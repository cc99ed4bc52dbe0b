import type { Command } from 'commander';
import { type CommandFile, type Done, emptyProgram } from './command.ts';
import { COMMANDS } from './command-list.ts';
import { isReferenceCommand } from './reference-agents.ts';

const EXAMPLES = `
Examples:
  agent-registry crawl news.example                          read a domain and the agents it leads to
  agent-registry crawl --due                                 whatever is due, from cron
  agent-registry sources add --from domains.txt              what the scheduler is to visit
  agent-registry validate ./adagents.json                    before you publish it
  agent-registry probe http://127.0.0.1:3000/mcp             the agent that you are building
  agent-registry call http://127.0.0.1:3000/mcp get_products brief="coffee in Ghent"
  agent-registry check http://127.0.0.1:3000/mcp             what your agent passes, and what not
  agent-registry search viewability mrc                      the agents that fit best
  agent-registry search --type measurement --capabilities    the filters of the API
  agent-registry show https://a.example/mcp                  one agent in full
  agent-registry authorized https://a.example/mcp --property domain:news.example
                                                             may this agent sell this?
  agent-registry explain news.example                        what we know, and why
  agent-registry serve --port 8080                           GET /api/registry/agents
  agent-registry schedule                                    what is due onto the queue, for many machines
  agent-registry work --kinds crawl,probe                    do what is on the queue
  agent-registry heartbeat --once                            test the agents whose time has come
  agent-registry index status                                the generations of the index
  agent-registry members import members.yaml                 who agents may be registered to
  agent-registry agents register https://a.example/mcp --member nova
  agent-registry agents prove URL --member nova              whose agent it is, shown by its domain
  agent-registry keys create --member nova                   an API key for its owner
  agent-registry audit                                       who did what
  agent-registry runs list https://a.example/mcp             how its tests went
  agent-registry badges list https://a.example/mcp           what it is verified for, and why
  agent-registry keys generate --kind request                a key that signs requests
  agent-registry sign request.json --json > signed.json      sign a request with a key of yours
  agent-registry verify signed.json --jwks jwks.json         does this signature hold, and if not, why
  agent-registry webhooks listen --jwks jwks.json            receive and verify webhooks
  agent-registry campaign --connect-to '*.example=http://127.0.0.1:4000'
                                                             buy a campaign from the sandbox's agents
  agent-registry approvals list                              what a governance agent leaves to a human
  agent-registry match serve --packages packages.json        match packages to a page
  agent-registry sandbox                                     a small advertising web to try it on
  agent-registry prune                                       delete history that is past its time
  agent-registry migrate --from sqlite:PATH --to-env NAME    move the records to PostgreSQL
  agent-registry schema --runtime-role registry              the tables in PostgreSQL, and who may do what
  agent-registry doctor                                      is everything there?
`;

/**
 * The command line as far as the arguments need it: the command that they name, or the names of all for the help. Without
 * arguments it is whole.
 */
export async function createRegistryProgram(done: Done, args?: readonly string[]): Promise<Command> {
  const program = emptyProgram().addHelpText('after', EXAMPLES);
  const named = namedIn(args);
  const files = named === undefined ? Object.values(COMMANDS) : [named];
  const loaded = await Promise.all(files.map(async (file) => (await file()).default));
  const isWhole = named !== undefined || args === undefined;
  for (const command of loaded.flat()) await command.addTo(program, done, isWhole);
  return program;
}

/** The command of `agent-registry NAME …` or `agent-registry help NAME`. */
function namedIn(args: readonly string[] = []): CommandFile | undefined {
  const name = args[0] === 'help' ? args[1] : args[0];
  return name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

/**
 * `help NAME …` as `NAME … --help`, which is the same text, for the commands whose flags only the reference agents know:
 * theirs is then asked for it.
 */
export function routeHelp(args: readonly string[]): readonly string[] {
  const [help, name, ...rest] = args;
  return help === 'help' && isReferenceCommand(name) ? [name, ...rest, '--help'] : args;
}
