import { judgeRun } from '../../../src/compliance/verdict/verdict.ts';
import { FIELD_AGENTS, startFieldAgent } from './agents.ts';
import { BUNDLES, ourRun } from './our-runner.ts';

/**
 * What our own bundle makes of the example agents of the field, a line for each. None may be `failing`: what only we ask for
 * is advice to them. Returns the names of those that are.
 *
 * @param wanted Names to keep to; none: all.
 */
export async function tellStandings(wanted: readonly string[]): Promise<readonly string[]> {
  const bundle = await BUNDLES.own();
  const failing: string[] = [];
  for (const agent of FIELD_AGENTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const { url, close } = await startFieldAgent(agent);
    try {
      const { status, headline } = judgeRun(await ourRun(bundle, { url, token: agent.token })).verdict;
      process.stdout.write(`${agent.name.padEnd(38)} ${status.padEnd(9)} by our own bundle. ${headline}\n`);
      if (status !== 'passing' && status !== 'degraded') failing.push(agent.name);
    } finally {
      await close();
    }
  }
  return failing;
}
