import { SETTINGS } from '../../config/settings.ts';
import type { AgentTestSetup } from '../../domain/compliance.ts';
import type { EvidencedRun } from '../../records/runs/compliance-runs.ts';

/** As whom a registry tests, and how a command on its machine reaches what is not at its own address. */
export interface Tester {
  /** The operator's `REGISTRY_TEST_AGENT`, `REGISTRY_TEST_OPERATOR` (absent or empty: its host) and `REGISTRY_TEST_BRAND`. */
  readonly testAgent: string;
  readonly testOperator?: string;
  readonly testBrand: string;
  /** The file of the key that it signs with; absent or empty: it signs nothing, or this is told to nobody. */
  readonly testKey?: string;
  /** What `--connect-to` takes for a host that the operator leads to this machine, as a demo does. */
  readonly localWay?: (host: string) => string | undefined;
}

/** Where no setting says otherwise. */
export const DEFAULT_TESTER: Tester = {
  testAgent: SETTINGS.testAgent.fallback,
  testBrand: SETTINGS.testBrand.fallback,
  testKey: '',
};

/** A flag of a command with its value. */
export type CommandOption = readonly [flag: string, value: string];

export interface RepeatFacts {
  readonly tester: Tester;
  readonly hasCredential: boolean;
  /** The buyer that the agent's owner has configured; for the owner and the operator only. */
  readonly setup?: AgentTestSetup | undefined;
}

/** What `agent-registry check` takes beside the agent and the storyboard, to do again what a kept run did. */
export function checkOptions(
  agent: string,
  { requested_compliance_target: target }: Pick<EvidencedRun, 'requested_compliance_target'>,
  { tester, hasCredential, setup = {} }: RepeatFacts,
): readonly CommandOption[] {
  const { testAgent, testOperator = '', testKey = '', localWay } = tester;
  const operator = setup.operator ?? testOperator;
  const brand = setup.brand?.domain ?? tester.testBrand;
  const options: readonly (readonly [string, string | undefined])[] = [
    ['--target', target === null || target === '3.0' ? undefined : target],
    ['--auth-env', hasCredential ? 'TOKEN' : undefined],
    ['--as', testAgent === DEFAULT_TESTER.testAgent ? undefined : testAgent],
    ['--operator', operator === '' ? undefined : operator],
    ['--brand', brand === DEFAULT_TESTER.testBrand ? undefined : brand],
    ['--account', setup.account?.account_id],
    ['--sign', testKey === '' ? undefined : testKey],
    ['--connect-to', localWay?.(new URL(agent).hostname)],
  ];
  return options.filter((option): option is CommandOption => option[1] !== undefined);
}
