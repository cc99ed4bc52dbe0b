import type { Sign } from '../../src/compliance/conversation/identities.ts';
import { runAgent } from '../../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { bundleFolder, readBundle } from '../../src/compliance/storyboards/bundle.ts';
import { systemClock } from '../../src/compose.ts';
import type { Protocol } from '../../src/domain/agent-type.ts';
import type { Fetcher } from '../../src/ports/fetcher.ts';

const VERSION = '3.0.0';

/** An agent as it is declared, and how it is to be spoken to. */
export interface Subject {
  readonly url: string;
  readonly protocol: Protocol;
  /** Our requests are signed, which the bare calls are not. */
  readonly signed?: true;
}

/** Runs our whole bundle against an agent of the sandbox, as its own buyer; signs what is sent where it is told how. */
export async function runnerOf(
  fetcher: Fetcher,
  sign?: Sign,
): Promise<(subject: Subject) => Promise<ComplianceRun>> {
  const bundle = await readBundle(bundleFolder(VERSION), VERSION);
  const testKit = {
    agent_url: 'https://desk.example/agent',
    operator: 'desk.example',
    brand: { domain: 'tidewater-kayaks.example' },
  };
  return async ({ url, protocol }) => {
    const run = await runAgent({
      ...{ url, bundle, fetcher, testKit, auth: 'sandbox-desk', protocols: [protocol] },
      ...(sign && { sign }),
      ...{ clock: systemClock, consent: 'operator', trigger: 'heartbeat', target: '3.0', version: VERSION },
    });
    const { failed, passed } = run.totals.steps;
    if (run.outcome !== 'complete' || failed > 0)
      throw new Error(
        `${url}: ${run.outcome} ${run.unreachable?.message ?? run.inconclusive?.detail ?? ''}, ${passed} steps passed and ${failed} failed`,
      );
    return run;
  };
}

/** Steps that were run. */
export function stepsOf({ totals }: ComplianceRun): number {
  return totals.steps.passed + totals.steps.failed;
}
