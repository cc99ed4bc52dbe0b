import { randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { createAllowance } from '../../../base/allowance.ts';
import { registrableDomainOf } from '../../../domain/domain-name.ts';
import type { AgentExams } from '../../../domain/lab-report.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { LabReport } from '../../../ports/lab-reports.ts';
import type { Records } from '../../../ports/records.ts';
import { refuseWhile } from '../../callers.ts';
import { agentOf } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { LAB_PATH, LOST_MS } from '../../render/lab-report.ts';

/** Exams under way at once, of all callers together. */
const AT_ONCE = 4;
/** An agent is examined again after so long, whoever asks. */
const COOLDOWN_MS = 5 * 60_000;
/** Agents of one caller, and of one registrable domain, in a minute. */
const OF_CALLER = 3;
const OF_SITE = 5;
const ID_BYTES = 16;

export interface Lab {
  /** The exam that is under way now, begun for this caller or for somebody else. Throws HttpProblems. */
  begin(caller: string, address: string): Promise<LabReport>;
  /** Throws an HttpProblem where there is none. */
  find(id: string): Promise<LabReport>;
}

interface LabParts {
  readonly records: Pick<Records, 'agents' | 'lab'>;
  readonly clock: Clock;
  readonly logger: Pick<FastifyBaseLogger, 'warn'>;
  /** Absent: this process visits nobody. */
  readonly exams?: Pick<AgentExams, 'examine'>;
}

/** Exams for strangers: one at a time for a caller, a few at once for all, an agent once in five minutes whoever asks. */
export function createLab({ records, clock, logger, exams }: LabParts): Lab {
  const callerWaitMs = createAllowance({ clock, max: OF_CALLER, windowMs: 60_000 });
  const siteWaitMs = createAllowance({ clock, max: OF_SITE, windowMs: 60_000 });
  const running = new Map<string, { readonly report: LabReport; readonly caller: string }>();

  /** Counts an exam; gives what takes that back where none begins. Throws the HttpProblem of who has had enough. */
  function take(caller: string, site: string): () => void {
    refuseWhile(callerWaitMs(caller), `${OF_CALLER} exams`);
    const waitMs = siteWaitMs(site);
    if (waitMs > 0) callerWaitMs.giveBack(caller);
    refuseWhile(waitMs, `${OF_SITE} exams of this site`);
    return () => {
      callerWaitMs.giveBack(caller);
      siteWaitMs.giveBack(site);
    };
  }

  /** Ends with its report kept, or with none. */
  async function run(report: LabReport, url: string, by: Pick<AgentExams, 'examine'>): Promise<void> {
    try {
      await records.lab.finish(report.id, await by.examine(url));
    } catch (err) {
      logger.warn({ err, agent: report.agent }, 'an agent could not be examined');
      await records.lab.finish(report.id, undefined).catch(() => {}); // it is lost then, and says so
    } finally {
      running.delete(report.agent);
    }
  }

  return {
    async begin(caller, address) {
      if (exams === undefined)
        throw new HttpProblem('not_offered', 'this registry examines no agents; use `agent-registry probe`');
      const agent = agentOf(address, 'agent_url');
      const same = running.get(agent);
      if (same !== undefined) return same.report;
      if ([...running.values()].some((one) => one.caller === caller))
        throw wait('rate_limited', 'an agent is being examined for you; one is examined at a time', 10);
      if (running.size >= AT_ONCE)
        throw wait('overloaded', 'many agents are being examined; try again in a few seconds', 10);
      const id = randomBytes(ID_BYTES).toString('base64url');
      // from here on it holds its place: nothing is awaited between the look and this
      running.set(agent, { report: { id, agent, askedAt: clock.now() }, caller });
      try {
        const url = await records.agents.dialled(agent);
        const giveBack = take(caller, registrableDomainOf(agent));
        const wanted = { id, agent, freshMs: COOLDOWN_MS, lostMs: LOST_MS };
        const { begun, report } = await records.lab.begin(wanted, clock.now()).catch((error) => {
          giveBack();
          throw error;
        });
        if (begun) {
          void run(report, url, exams);
          return report;
        }
        giveBack();
        running.delete(agent);
        if (report.result === undefined) return report; // of another process
        throw cooldown(report, clock.now());
      } catch (error) {
        if (running.get(agent)?.report.id === id) running.delete(agent);
        throw error;
      }
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

function wait(code: 'rate_limited' | 'overloaded', detail: string, seconds: number): HttpProblem {
  return new HttpProblem(code, detail, {}, { 'retry-after': String(seconds) });
}
