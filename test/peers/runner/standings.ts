import { judgeRun } from '../../../src/compliance/verdict/verdict.ts';
import { FIELD_AGENTS, startFieldAgent } from './agents.ts';
import { ourRun, ownBundle } from './our-runner.ts';

/** Example agents that are failing because they break the field's own schemas, with what they break. */
const FAULTY: ReadonlyMap<string, string> = new Map([
  [
    'error-compliant-server',
    'get_adcp_capabilities has no adcp.idempotency, and the products of get_products have no reporting_capabilities',
  ],
]);

/**
 * Runs our own bundle on the example agents of the field and prints a line for each. None may be `failing` but those that
 * break the field's own schemas: what only we require is advice to them. Returns the names of the others that are.
 *
 * @param wanted Names to keep to; none: all.
 */
export async function tellStandings(wanted: readonly string[]): Promise<readonly string[]> {
  const bundle = await ownBundle();
  const failing: string[] = [];
  for (const agent of FIELD_AGENTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const { url, close } = await startFieldAgent(agent);
    try {
      const { status, headline } = judgeRun(await ourRun(bundle, { url, token: agent.token })).verdict;
      process.stdout.write(`${agent.name.padEnd(38)} ${status.padEnd(9)} by our own bundle. ${headline}\n`);
      const isFailing = status !== 'passing' && status !== 'degraded';
      const fault = FAULTY.get(agent.name);
      if (isFailing && fault !== undefined) process.stdout.write(`    as it must: ${fault}\n`);
      if (isFailing === (fault === undefined)) failing.push(agent.name);
    } finally {
      await close();
    }
  }
  return failing;
}
