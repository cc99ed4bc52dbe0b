import { type LiveRunOptions, runAgent } from '../../../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../../../src/compliance/run-result.ts';
import type { StepResult } from '../../../src/compliance/step-result.ts';
import type { Storyboard } from '../../../src/compliance/storyboard.ts';
import type { Bundle } from '../../../src/compliance/storyboards/bundle.ts';
import type { Group } from '../../../src/compliance/storyboards/needs.ts';
import { readStoryboard } from '../../../src/compliance/storyboards/read-storyboard.ts';
import { type McpAgent, mcpAgent } from '../../calling/support/mcp-agent.ts';
import { serve } from '../../calling/support/serve.ts';
import { loopbackFetcher, type SeenRequest } from '../../calling/support/test-fetcher.ts';

/** A storyboard from its YAML, which has to be usable. */
export function storyboard(yaml: string): Storyboard {
  const { storyboard: read, findings } = readStoryboard(yaml);
  if (read === undefined) throw new Error(JSON.stringify(findings));
  return read;
}

/** One with these phases, as YAML of two spaces. */
export function withPhases(phases: string, more = ''): Storyboard {
  return storyboard(`id: sample\ntitle: Sample\ntrack: core\n${more}\nphases:\n${phases}`);
}

export function bundleOf(...storyboards: readonly Storyboard[]): Bundle {
  return inGroup({ kind: 'universal' }, ...storyboards);
}

export function inGroup(group: Group, ...storyboards: readonly Storyboard[]): Bundle {
  return {
    version: '3.0.0',
    storyboards: storyboards.map((one) => ({ storyboard: one, group, file: `${one.id}.yaml` })),
    findings: [],
    digest: 'sha256:0',
  };
}

/** The capabilities of an agent that lets itself be tested. */
export const OPEN = {
  proto: {
    supported_versions: ['3.0'],
    major_versions: [3],
    idempotency: { supported: true, replay_ttl_seconds: 86_400 },
  },
  proto_version: '3.0.0',
  supported_protocols: ['media_buy'],
  specialisms: [],
  account: { sandbox: true },
};

export interface TestAgent {
  readonly tools?: readonly string[];
  readonly capabilities?: object;
  /** Names of its capabilities task; default: ours. */
  readonly named?: readonly string[];
  /** What a task answers: an object, or something that throws. */
  readonly answer?: (task: string, input: Record<string, unknown>) => unknown;
}

/** A task's answer as MCP has it. */
export function answered(data: object): object {
  return { structuredContent: data, content: [] };
}

/** A refusal as MCP has it. */
export function refusal(code: string, message = 'no'): object {
  return { isError: true, structuredContent: { error: { code, message } }, content: [] };
}

/** A real MCP agent; what it was called with is in `calls`. */
export async function startAgent({
  tools,
  capabilities = OPEN,
  named = ['get_proto_capabilities'],
  answer,
}: TestAgent): Promise<{
  readonly url: string;
  readonly calls: (readonly [string, Record<string, unknown>])[];
}> {
  const calls: (readonly [string, Record<string, unknown>])[] = [];
  const agent: McpAgent = {
    tools: [...named, ...(tools ?? ['get_products', 'create_media_buy', 'update_media_buy'])],
    answer: (task, input) => {
      calls.push([task, input as Record<string, unknown>]);
      if (named.includes(task)) return answered(capabilities);
      return answer?.(task, input as Record<string, unknown>) ?? answered({});
    },
  };
  return { url: `${await serve(mcpAgent(agent))}/`, calls };
}

/** Runs storyboards against an agent of loopback, with short times. */
export async function runAt(
  url: string,
  storyboards: Bundle | readonly Storyboard[],
  more: Partial<LiveRunOptions> = {},
): Promise<ComplianceRun & { readonly seen: readonly SeenRequest[] }> {
  const fetcher = loopbackFetcher();
  const run = await runAgent({
    url,
    bundle: 'storyboards' in storyboards ? storyboards : bundleOf(...storyboards),
    consent: 'operator',
    clock: { now: () => Date.now() },
    trigger: null,
    target: '3.0',
    version: '3.0.0',
    fetcher,
    protocols: ['mcp'],
    limits: { stepMs: 20_000, runMs: 60_000 },
    ...more,
  });
  return { ...run, seen: fetcher.seen };
}

/** `step: result` of all steps, with the reason of those that were skipped. */
export function resultsOf({ steps }: ComplianceRun): readonly string[] {
  return steps.map((step) => `${step.step_id}: ${step.skip_reason ?? step.result}`);
}

export function stepOf(run: ComplianceRun, id: string): StepResult {
  const step = run.steps.find(({ step_id }) => step_id === id);
  if (step === undefined) throw new Error(`no step ${id} in ${resultsOf(run).join(', ')}`);
  return step;
}
