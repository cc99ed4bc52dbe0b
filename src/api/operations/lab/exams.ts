import { randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Budgets, Job, Party } from '../../../budgets/budgets.ts';
import { registrableDomainOf } from '../../../domain/domain-name.ts';
import type { AgentExams } from '../../../domain/lab-report.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { LabReport } from '../../../ports/lab-reports.ts';
import type { Records } from '../../../ports/records.ts';
import { agentOf } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { LAB_PATH, LOST_MS } from '../../render/lab-report.ts';
import { shareWork } from '../shared-answers.ts';

/** An exam takes 40 s at most. */
const EXAM: Job = { running: 'runningExams', counted: ['exams'], seconds: 40 };
/** An agent is examined again after so long, whoever asks. */
const COOLDOWN_MS = 5 * 60_000;
const AGES = { freshMs: COOLDOWN_MS, lostMs: LOST_MS };
const ID_BYTES = 16;

export interface Lab {
  /** The exam that is under way now, begun for this caller or for somebody else. Throws HttpProblems and BudgetExceeded. */
  begin(party: Party, address: string): Promise<LabReport>;
  /** Throws an HttpProblem where there is none. */
  find(id: string): Promise<LabReport>;
}

interface LabParts {
  readonly records: Pick<Records, 'lab'> & { readonly agents: Pick<Records['agents'], 'dialled'> };
  readonly clock: Clock;
  readonly logger: Pick<FastifyBaseLogger, 'warn'>;
  readonly budgets: Budgets;
  /** Absent: this process visits nobody. */
  readonly exams?: Pick<AgentExams, 'examine'>;
}

/** Exams for callers, within their budgets; an agent once in five minutes, whoever asks. */
export function createLab({ records, clock, logger, budgets, exams }: LabParts): Lab {
  const running = new Map<string, Promise<LabReport>>();

  /** The exam that another process is at. Throws an HttpProblem where the agent was examined a moment ago. */
  async function underWay(agent: string): Promise<LabReport | undefined> {
    const report = await records.lab.fresh({ agent, ...AGES }, clock.now());
    if (report?.result !== undefined) throw cooldown(report, clock.now());
    return report;
  }

  /** Calls `onBegun` when the exam is under way. Rejects without having called it when none is begun. */
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
    if (!begun) return; // another process is at it
    try {
      await records.lab.finish(id, await by(await records.agents.dialled(agent)));
    } catch (err) {
      logger.warn({ err, agent }, 'agent could not be examined');
      await records.lab.finish(id, undefined).catch(() => {}); // it is reported as lost then
      throw err;
    }
  }

  return {
    async begin(party, address) {
      if (exams === undefined)
        throw new HttpProblem('not_offered', 'this registry examines no agents; use `agent-registry probe`');
      const agent = agentOf(address, 'agent_url');
      return shareWork(running, agent, () => {
        const { promise, resolve, reject } = Promise.withResolvers<LabReport>();
        const use = { party, site: registrableDomainOf(agent) };
        underWay(agent)
          .then((report) =>
            // what is there already costs nobody anything
            report ? resolve(report) : budgets.run(EXAM, use, () => examine(agent, exams, resolve)),
          )
          .finally(() => running.delete(agent))
          .catch(reject); // does nothing once it was begun
        return promise;
      });
    },
    async find(id) {
      const report = id.length > 100 ? undefined : await records.lab.find(id, clock.now());
      if (report !== undefined) return report;
      throw new HttpProblem(
        'not_found',
        'there is no such report: it is too old, or the agent could not be visited',
        { parameter: 'id' },
      );
    },
  };
}

/** With the address of the report that is there. */
function cooldown({ id, askedAt }: LabReport, now: number): HttpProblem {
  const again = askedAt + COOLDOWN_MS;
  const seconds = Math.max(1, Math.ceil((again - now) / 1_000));
  return new HttpProblem(
    'run_cooldown',
    `it was examined at ${timeOfDay(askedAt)}, and may be again from ${timeOfDay(again)}, in ${seconds} s; the report is ${LAB_PATH}/${id}`,
    {},
    { 'retry-after': String(seconds), location: `${LAB_PATH}/${id}` },
  );
}

function timeOfDay(at: number): string {
  return `${new Date(at).toISOString().slice(11, 19)} UTC`;
}
