import { randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Budgets, Job, Party } from '../../../budgets/budgets.ts';
import { registrableDomainOf } from '../../../domain/domain-name.ts';
import type { AgentExams } from '../../../domain/lab-report.ts';
import { isLoopbackHost } from '../../../domain/ownership.ts';
import { shellWord } from '../../../domain/shell-word.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import type { LabReport } from '../../../records/sources/lab-reports.ts';
import { agentOf } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { LAB_PATH, LOST_MS } from '../../render/lab-report.ts';
import { shareWork } from '../shared-answers.ts';

/** An exam takes 40 s at most. */
const EXAM: Job = { running: 'runningExams', counted: ['exams'], seconds: 40 };
/** The pause between two exams of one agent, for all callers together. */
const COOLDOWN_MS = 5 * 60_000;
const AGES = { freshMs: COOLDOWN_MS, lostMs: LOST_MS };
const ID_BYTES = 16;

export interface Lab {
  /** Begins an exam, or returns the one that is running for another caller. Throws HttpProblems and BudgetExceeded. */
  begin(party: Party, address: string): Promise<LabReport>;
  /** Throws an HttpProblem when the report does not exist. */
  find(id: string): Promise<LabReport>;
}

interface LabParts {
  readonly records: Pick<Records, 'lab'> & { readonly agents: Pick<Records['agents'], 'dialled'> };
  readonly clock: Clock;
  readonly logger: Pick<FastifyBaseLogger, 'warn'>;
  readonly budgets: Budgets;
  /** Absent: this process contacts no agents. */
  readonly exams?: Pick<AgentExams, 'examine'>;
}

/** Exams for callers, within their budgets; each agent at most once in five minutes. */
export function createLab({ records, clock, logger, budgets, exams }: LabParts): Lab {
  const running = new Map<string, Promise<LabReport>>();

  /** The exam that another process is running. Throws an HttpProblem when the agent was examined less than five minutes ago. */
  async function underWay(agent: string): Promise<LabReport | undefined> {
    const report = await records.lab.fresh({ agent, ...AGES }, clock.now());
    if (report?.result !== undefined) throw cooldown(report, clock.now());
    return report;
  }

  /** Calls `onBegun` when the exam is running. Rejects without having called it when none was begun. */
  async function examine(
    agent: string,
    { examine: by }: Pick<AgentExams, 'examine'>,
    onBegun: (report: LabReport) => void,
  ): Promise<void> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const wanted = { id, agent, ...AGES };
    const { begun, report } = await records.lab.begin(wanted, clock.now());
    if (!begun && report.result !== undefined) throw cooldown(report, clock.now());
    onBegun(report);
    if (!begun) return; // another process runs it
    try {
      await records.lab.finish(id, await by(await records.agents.dialled(agent)));
    } catch (err) {
      logger.warn({ err, agent }, 'agent could not be examined');
      await records.lab.finish(id, undefined).catch(() => {}); // then it is reported as lost
      throw err;
    }
  }

  return {
    async begin(party, address) {
      if (exams === undefined)
        throw new HttpProblem(
          'not_offered',
          'this registry does not check agents; use `agent-registry probe` on your machine',
        );
      const agent = agentOf(address, 'agent_url');
      if (isLoopbackHost(new URL(agent).hostname)) throw onCallersMachine(agent);
      return shareWork(running, agent, () => {
        const { promise, resolve, reject } = Promise.withResolvers<LabReport>();
        const use = { party, site: registrableDomainOf(agent) };
        underWay(agent)
          .then((report) =>
            // an existing report costs no budget
            report ? resolve(report) : budgets.run(EXAM, use, () => examine(agent, exams, resolve)),
          )
          .finally(() => running.delete(agent))
          .catch(reject); // has no effect once the exam has begun
        return promise;
      });
    },
    async find(id) {
      const report = id.length > 100 ? undefined : await records.lab.find(id, clock.now());
      if (report !== undefined) return report;
      throw new HttpProblem(
        'not_found',
        'report not found: it has expired, or the agent could not be visited',
        { parameter: 'id' },
      );
    },
  };
}

/** A loopback address is the registry's own machine here, and the caller means theirs. */
function onCallersMachine(agent: string): HttpProblem {
  return new HttpProblem(
    'bad_agent_url',
    `this registry cannot reach an agent on your machine; run \`agent-registry probe ${shellWord(agent)}\` there`,
    { parameter: 'agent_url' },
  );
}

/** With the address of the existing report. */
function cooldown({ id, askedAt }: LabReport, now: number): HttpProblem {
  const again = askedAt + COOLDOWN_MS;
  const seconds = Math.max(1, Math.ceil((again - now) / 1_000));
  return new HttpProblem(
    'run_cooldown',
    `this agent was checked at ${timeOfDay(askedAt)}; the next check is possible at ${timeOfDay(again)}, in ${seconds} s; the report is ${LAB_PATH}/${id}`,
    {},
    { 'retry-after': String(seconds), location: `${LAB_PATH}/${id}` },
  );
}

function timeOfDay(at: number): string {
  return `${new Date(at).toISOString().slice(11, 19)} UTC`;
}
