import { runAgent } from '../../../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../../../src/compliance/run-result.ts';
import { readBundle } from '../../../src/compliance/storyboards/bundle.ts';
import { composeFetcher, systemClock } from '../../../src/compose.ts';
import { readConfig } from '../../../src/config.ts';
import { readSchemaSet } from '../../../src/protocol/schema-set.ts';
import { FIELD_BUNDLE, FIELD_SCHEMAS } from './agents.ts';

/** Our runner with the public bundle, as `registry check --bundle` runs it. */
export async function ourRun(url: string, token: string | undefined): Promise<ComplianceRun> {
  const bundle = await readBundle(FIELD_BUNDLE, '3.0.6', await readSchemaSet(FIELD_SCHEMAS));
  const fetcher = composeFetcher(readConfig({}), { connectTo: [] }, systemClock);
  try {
    return await runAgent({
      url,
      bundle,
      fetcher,
      consent: 'operator',
      clock: systemClock,
      trigger: 'manual',
      target: '3.0',
      version: '3.0.0',
      openOrigin: url,
      protocols: ['mcp'],
      testKit: {
        agent_url: 'https://desk.example/agent',
        operator: 'desk.example',
        brand: { domain: 'desk.example' },
      },
      ...(token !== undefined && { auth: token }),
    });
  } finally {
    await fetcher.close();
  }
}
