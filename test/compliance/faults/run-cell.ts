import { runAgent } from '../../../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../../../src/compliance/run-result.ts';
import type { StepResult } from '../../../src/compliance/step-result.ts';
import { type Bundle, shippedBundle } from '../../../src/compliance/storyboards/bundle.ts';
import { judgeRun } from '../../../src/compliance/verdict/verdict.ts';
import { systemClock } from '../../../src/compose/clock.ts';
import { composeFetcher } from '../../../src/compose/network.ts';
import { readConfig } from '../../../src/config.ts';
import type { JudgedRun } from '../../../src/domain/judged-run.ts';
import type { StartedAgent, TestedAgent } from './agents.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { CALL_LIMIT_MS } from './faults.ts';
import type { Cell, Expectation } from './matrix.ts';

export type Run = JudgedRun & ComplianceRun & { readonly hits: number };

/** What a cell came to: `wrong` is absent where it is as expected, and else says what is not. */
export interface Outcome {
  readonly cell: Cell;
  readonly wrong?: string;
}

export interface CellRunner {
  /** Runs the cell, narrowed to the storyboards that show it, or with the whole bundle. */
  judge(cell: Cell, breadth?: 'narrow' | 'whole'): Promise<Outcome>;
  /** Puts the proxy of the cell before its agent, and gives that to `use`. */
  behind<T>(cell: Pick<Cell, 'agent' | 'faults' | 'sessions'>, use: (at: Endpoint) => Promise<T>): Promise<T>;
  /** The run without a fault, which is made once for these storyboards. */
  cleanRun(agent: TestedAgent, only: readonly string[]): Promise<Run>;
  close(): Promise<void>;
}

export interface Endpoint {
  readonly url: string;
  /** How often a fault made a difference so far. */
  readonly hits: () => number;
  readonly token: string;
}

/** Calls with a fault that takes time are cut short; all others have time enough on a busy machine. */
const PATIENT_MS = 20_000;

/** Runs cells with our own bundle, each with an agent that has not seen another cell. */
export async function openCellRunner(): Promise<CellRunner> {
  const bundle: Bundle = await shippedBundle('3.0.0');
  const clean = new Map<string, Promise<Run>>();

  async function behind<T>(
    { agent, faults, sessions }: Pick<Cell, 'agent' | 'faults' | 'sessions'>,
    use: (at: Endpoint) => Promise<T>,
  ): Promise<T> {
    const started: StartedAgent = await agent.start();
    const proxy = await startFaultProxy({ ...started, faults, ...(sessions && { sessions }) });
    try {
      return await use({ url: proxy.origin + agent.path, token: started.token, hits: proxy.hits });
    } finally {
      await proxy.close();
      await started.close();
    }
  }

  function run(cell: Pick<Cell, 'agent' | 'faults' | 'sessions' | 'isSlow' | 'only'>): Promise<Run> {
    const { agent } = cell;
    return behind(cell, async ({ url, token, hits }) => {
      const fetcher = composeFetcher(readConfig({}), { connectTo: [] }, systemClock);
      try {
        const result = await runAgent({
          ...{ url, bundle, fetcher, clock: systemClock },
          ...{ consent: 'operator', trigger: 'manual', target: '3.0', version: '3.0.0' },
          openOrigin: url,
          auth: token,
          protocols: [agent.protocol],
          testKit: {
            agent_url: 'https://desk.example/agent',
            operator: agent.operator,
            brand: { domain: agent.brand },
          },
          only: cell.only,
          limits: { stepMs: cell.isSlow ? CALL_LIMIT_MS : PATIENT_MS },
        });
        return { ...result, ...judgeRun(result), hits: hits() };
      } finally {
        await fetcher.close();
      }
    });
  }

  function cleanRun(agent: TestedAgent, only: readonly string[]): Promise<Run> {
    const key = JSON.stringify([agent.name, only]);
    const made = clean.get(key) ?? run({ agent, faults: [], only });
    clean.set(key, made);
    return made;
  }

  return {
    behind,
    cleanRun,
    async judge(cell, breadth = 'narrow') {
      const only = breadth === 'narrow' ? cell.only : [];
      const without = await cleanRun(cell.agent, only);
      let seen = await run({ ...cell, only });
      // on a machine that is too busy to measure an agent, the runner rightly blames itself
      for (let again = 0; again < 3 && seen.inconclusive?.reason === 'own_deadline'; again += 1)
        seen = await run({ ...cell, only });
      const wrong =
        seen.hits === 0 && cell.faults.length > 0 && cell.of !== 'harmless'
          ? `the fault never made a difference; the agent is ${seen.verdict.status}`
          : wrongIn(cell.expected, without, seen);
      return { cell, ...(wrong !== undefined && { wrong }) };
    },
    async close() {
      await Promise.all(clean.values());
    },
  };
}

function wrongIn(expected: Expectation, without: Run, seen: Run): string | undefined {
  switch (expected.kind) {
    case 'fault':
      return wrongFault(expected, without, seen);
    case 'missing':
      return wrongMissing(expected, seen);
    case 'same':
      return wrongSame(without, seen);
    case 'inconclusive':
      return wrongInconclusive(expected, seen);
  }
}

function wrongFault(
  { task, shows }: Expectation & { readonly kind: 'fault' },
  without: Run,
  seen: Run,
): string | undefined {
  const { status } = seen.verdict;
  if (status !== 'failing' && status !== 'degraded')
    return `the agent is ${status}: ${seen.inconclusive?.detail ?? seen.verdict.headline}`;
  const before = new Map(without.steps.map((step) => [keyOf(step), failureOf(step)]));
  const fails = seen.steps.filter((step) => {
    const failure = failureOf(step);
    return failure !== undefined && failure !== before.get(keyOf(step));
  });
  const [root] = fails;
  if (root === undefined) return `the agent is ${status}, and no step fails for it`;
  if (occasionOf(root.task) !== task) return `${keyOf(root)} (${root.task}) fails first: ${failureOf(root)}`;
  const own = fails.filter((step) => occasionOf(step.task) === task);
  const told = own.map((step) => JSON.stringify([step.checks, step.evidence])).join('\n');
  const missing = shows.find((pattern) => !pattern.test(told));
  return missing && `${keyOf(root)} fails without ${missing}: ${failureOf(root)}`;
}

function wrongMissing(
  { shows }: Expectation & { readonly kind: 'missing' },
  { verdict, steps, storyboards, notices }: Run,
): string | undefined {
  if (verdict.status !== 'failing' && verdict.status !== 'degraded')
    return `the agent is ${verdict.status}: ${verdict.headline}`;
  const told = JSON.stringify([verdict.headline, steps, storyboards, notices]);
  const missing = shows.find((pattern) => !pattern.test(told));
  return missing && `${verdict.status} without ${missing}: ${verdict.headline}`;
}

function wrongSame(without: Run, seen: Run): string | undefined {
  const { status, headline } = seen.verdict;
  if (seen.outcome !== without.outcome || status !== without.verdict.status)
    return `${seen.outcome}, ${status} instead of ${without.verdict.status}: ${seen.inconclusive?.detail ?? headline}`;
  const before = new Map(without.steps.map((step) => [keyOf(step), resultOf(step)]));
  const changed = seen.steps.filter((step) => before.get(keyOf(step)) !== resultOf(step));
  const [one] = changed;
  if (one !== undefined)
    return `${changed.length} steps differ, the first is ${keyOf(one)}: ${resultOf(one)} ${failureOf(one) ?? one.skip_detail ?? ''}`;
  if (seen.steps.length !== without.steps.length)
    return `${seen.steps.length} steps instead of ${without.steps.length}`;
  return undefined;
}

function wrongInconclusive(
  { shows }: Expectation & { readonly kind: 'inconclusive' },
  seen: Run,
): string | undefined {
  if (seen.outcome !== 'inconclusive')
    return `${seen.outcome}, ${seen.verdict.status}: ${seen.verdict.headline}`;
  const detail = seen.inconclusive?.detail ?? '';
  const missing = shows.find((pattern) => !pattern.test(detail));
  return missing && `inconclusive without ${missing}: ${detail}`;
}

function keyOf({ storyboard_id, phase_id, step_id }: StepResult): string {
  return `${storyboard_id}/${phase_id}/${step_id}`;
}

function resultOf({ result, skip_reason, advice, tried }: StepResult): string {
  const words = [result, skip_reason, advice && 'advice', tried && 'tried'];
  return words.filter((word) => typeof word === 'string').join(' ');
}

/** Why a step failed; undefined when it did not. */
function failureOf({ result, checks }: StepResult): string | undefined {
  if (result !== 'fail') return undefined;
  return checks
    .filter((check) => check.result === 'fail')
    .map(({ message }) => message)
    .join('; ');
}

function occasionOf(task: string): string {
  return /^get_(proto|adcp)_capabilities$/.test(task) ? 'capabilities' : task;
}
