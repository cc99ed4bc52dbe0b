import type { Sign } from '../../src/compliance/conversation/identities.ts';
import { runAgent } from '../../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { readBundle, shippedBundle } from '../../src/compliance/storyboards/bundle.ts';
import { systemClock } from '../../src/compose/clock.ts';
import type { Protocol } from '../../src/domain/agent-type.ts';
import type { Fetcher } from '../../src/ports/fetcher.ts';
import { readSchemaSet } from '../../src/protocol/schema-set.ts';

const VERSION = '3.0.0';

/** An agent as it is declared, and how it is to be spoken to. */
export interface Subject {
  readonly url: string;
  readonly protocol: Protocol;
  /** Our requests are signed, which the bare calls are not. */
  readonly signed?: true;
}

/** The public bundle with its schemas, by their folders. */
export interface PublicSet {
  readonly bundle: string;
  readonly schemas: string;
}

interface RunnerOptions {
  /** Signs what is sent. */
  readonly sign?: Sign | undefined;
  /** In place of our own bundle; some of its steps ask for what no agent of the sandbox does. */
  readonly publicSet?: PublicSet | undefined;
}

/** Runs a whole bundle against an agent of the sandbox, as its own buyer. */
export async function runnerOf(
  fetcher: Fetcher,
  { sign, publicSet }: RunnerOptions = {},
): Promise<(subject: Subject) => Promise<ComplianceRun>> {
  const bundle =
    publicSet === undefined
      ? await shippedBundle(VERSION)
      : await readBundle(publicSet.bundle, await readSchemaSet(publicSet.schemas));
  const testKit = {
    agent_url: 'https://desk.example/agent',
    operator: 'desk.example',
    brand: { domain: 'tidewater-kayaks.example' },
  };
  return async ({ url, protocol }) => {
    const run = await runAgent({
      ...{ url, bundle, fetcher, testKit, auth: 'sandbox-desk', protocols: [protocol] },
      ...(sign && { sign }),
      ...(publicSet && { operator: 'desk.example' }),
      ...{ clock: systemClock, consent: 'operator', trigger: 'heartbeat', target: '3.0', version: VERSION },
    });
    const { failed, passed } = run.totals.steps;
    if (run.outcome !== 'complete' || passed === 0 || (failed > 0 && publicSet === undefined))
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
