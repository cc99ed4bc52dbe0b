import type { FinishedRun } from '../../../src/compliance/run-result.ts';
import { of } from '../../compliance/support/badge-story.ts';
import { declaring } from '../../compliance/support/judged-runs.ts';
import { keepRun } from '../../contract/compliance-fixtures.ts';
import { PROBED_AT } from './registry.ts';
import { AGENT, tested } from './tested-agent.ts';

export const HOUR = 3_600_000;
export const OPERATOR = { kind: 'operator' } as const;

/** A run with a bundle of an agent that declares 3.0, 3.1 and 3.2. */
export function withBundle(version: string, result: 'pass' | 'fail'): Partial<FinishedRun> {
  return {
    ...of({ 'sales-guaranteed': result }),
    agent: { ...declaring('sales-guaranteed'), supported_versions: ['3.0', '3.1', '3.2'] },
    proto_version: version,
    requested_compliance_target: version.slice(0, 3),
  };
}

/** It fails with 3.1.2, which decides, passes with 3.0.0, and passes with 3.2.0, which is in preview. */
export async function testedInLines() {
  const registry = await tested();
  const { records } = registry;
  for (const [version, line] of [
    ['3.1.2', '3.1'],
    ['3.2.0', '3.2'],
  ] as const) {
    const bundle = { version, line, vocabulary: 'proto', digest: 'sha256:0', aliases: [] } as const;
    await records.bundles.add(bundle, OPERATOR, PROBED_AT);
  }
  await records.bundles.setStage('3.1.2', 'default', OPERATOR, PROBED_AT);
  const keep = (hours: number, run: Partial<FinishedRun>, role?: 'line' | 'preview') =>
    keepRun(records, PROBED_AT + hours * HOUR, run, { agent: AGENT, ...(role && { role }) });
  await keep(1, withBundle('3.0.0', 'pass'), 'line');
  await keep(2, withBundle('3.2.0', 'pass'), 'preview');
  await keep(3, withBundle('3.1.2', 'fail'));
  return { ...registry, keep };
}
