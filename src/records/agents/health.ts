import { present } from '../../base/json.ts';
import {
  type DayHealth,
  HEALTH_HOLDS_MS,
  type HealthHistory,
  type HealthPeriod,
  healthHistory,
} from '../../domain/health-history.ts';
import type { JudgedRun, RunOutcome } from '../../domain/judged-run.ts';
import type { Observation, ProbeStep } from '../../domain/observation.ts';
import { type Db, listOf, type RecordsDatabase } from '../database.ts';
import {
  dayOf,
  healthCode,
  type KeptProbe,
  type PackedDay,
  readProbeLog,
  unpacked,
} from '../probes/probe-log.ts';

/** A probe or run of an agent; times are epoch milliseconds. */
export type AgentContact = { readonly id: string; readonly at: number; readonly error?: string } & (
  | {
      readonly kind: 'probe';
      readonly online: boolean;
      readonly responseTimeMs?: number;
      /** Only if the result differs from the previous probe. */
      readonly steps?: readonly ProbeStep[];
    }
  | { readonly kind: 'run'; readonly outcome: RunOutcome; readonly durationMs: number }
);

/** How agents answered our planned probes, and all that we asked of an agent: its probes, and the runs that were made here. */
export function createHealthStore(database: RecordsDatabase) {
  return {
    /**
     * The agent's health, from planned probes without an error on our side; the cost has a bound. Empty for an unknown
     * agent.
     */
    health: (agent: string, period: HealthPeriod) => database.read((db) => readHealth(db, agent, period)),
    /**
     * Of each agent, for each day from `from`, a midnight, to `now`: whether it answered. One statement, whose cost is bounded by
     * agents and days.
     */
    healthDays: (agents: readonly string[], { from, now }: Omit<HealthPeriod, 'stepMs'>) =>
      database.read((db) => readHealthDays(db, agents, from, now)),
    /** Our probes and runs of the agent since a moment, newest first, and their total number. Only for the owner. */
    contacts: (
      agent: string,
      period: { readonly since: number; readonly now: number; readonly limit: number },
    ) => database.read((db) => readContacts(db, agent, period)),
  };
}

async function readHealth(db: Db, agent: string, period: HealthPeriod): Promise<HealthHistory> {
  const { probes, isCut } = await readProbeLog(db, agent, {
    from: period.from - HEALTH_HOLDS_MS,
    until: period.now,
  });
  const planned = probes.filter(({ asked }) => !asked);
  return { ...healthHistory(planned, period), isCut };
}

/** The health of each agent on each day from the first to the last. */
async function readHealthDays(
  db: Db,
  agents: readonly string[],
  from: number,
  now: number,
): Promise<ReadonlyMap<string, readonly DayHealth[]>> {
  const [first, last] = [dayOf(from), dayOf(now)];
  const days = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const past = await db
    .selectFrom('probe_day')
    .select(['agent', 'day', 'health'])
    .where('day', 'in', days)
    .where('agent', 'in', listOf(db, agents))
    .execute();
  // the latest day of each agent is not packed yet; a day has both parts if a clock was put back
  const latest = await db
    .selectFrom('probe_today')
    .select(['agent', 'day', 'probes'])
    .where('agent', 'in', listOf(db, agents))
    .where('day', '>=', first)
    .where('day', '<=', last)
    .unionAll(
      db
        .selectFrom('probe_day')
        .select(['agent', 'day', 'probes'])
        .where('day', '=', last)
        .where('agent', 'in', listOf(db, agents)),
    )
    .execute();
  const pastOf = Map.groupBy(past, ({ agent }) => agent);
  const latestOf = Map.groupBy(latest, ({ agent }) => agent);
  return new Map(
    agents.map((agent) => {
      const codes = new Map(pastOf.get(agent)?.map(({ day, health }) => [day, health]));
      const health = days.map((day) => {
        const code = codes.get(day) ?? null;
        const parts = latestOf.get(agent)?.filter((part) => part.day === day) ?? [];
        if (parts.length === 0) return dayHealth(code);
        return dayHealth(ofBoth(day < last ? code : null, codeUntil(parts, now)));
      });
      return [agent, health];
    }),
  );
}

/** By the code of a day. */
const DAYS: readonly DayHealth[] = ['never', 'sometimes', 'always'];

function dayHealth(code: number | null): DayHealth {
  return code === null ? 'unknown' : (DAYS[code] ?? 'unknown');
}

function codeUntil(days: readonly PackedDay[], now: number): number | null {
  return healthCode(unpacked(days).filter(({ at }) => at <= now));
}

/** The code of a day that is stored in two parts. */
function ofBoth(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return one === other ? one : 1;
}

async function readContacts(
  db: Db,
  agent: string,
  { since, now, limit }: { readonly since: number; readonly now: number; readonly limit: number },
): Promise<{ readonly contacts: readonly AgentContact[]; readonly total: number }> {
  const { probes } = await readProbeLog(db, agent, { from: since, until: now });
  // as many changes as probes at most, and the one before them
  const changes = await db
    .selectFrom('probe_change')
    .select(['at', 'value'])
    .where('agent', '=', agent)
    .where('at', '<=', now)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const runs = db
    .selectFrom('compliance_run')
    .where('agent', '=', agent)
    .where('started_at', '>=', since)
    .where('imported', '=', 0);
  const rows = await runs
    .select(['id', 'started_at', 'finished_at', 'judged'])
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const { n } = await runs.select((row) => row.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const contacts = [
    ...probes.slice(-limit).map((probe) => probeContact(probe, changes)),
    ...rows.map(runContact),
  ];
  return {
    contacts: contacts.toSorted((a, b) => b.at - a.at).slice(0, limit),
    total: probes.length + n,
  };
}

function runContact(row: {
  readonly id: string;
  readonly started_at: number;
  readonly finished_at: number;
  readonly judged: string;
}): AgentContact {
  const { outcome, inconclusive, unreachable } = JSON.parse(row.judged) as JudgedRun;
  const { id, started_at: at, finished_at: finishedAt } = row;
  const error = inconclusive?.detail ?? unreachable?.message;
  return { kind: 'run', id, at, durationMs: finishedAt - at, outcome, ...present({ error }) };
}

/** A probe with the message of the first one that found the same; with its steps only if it is that one. */
function probeContact(
  { at, online, responseTimeMs, errorClass }: KeptProbe,
  changes: readonly { readonly at: number; readonly value: string }[],
): AgentContact {
  const change = changes.find((one) => one.at <= at);
  const first = change && (JSON.parse(change.value) as Pick<Observation, 'health' | 'steps'>);
  const known = first?.health.errorClass === errorClass ? first?.health : undefined;
  const error =
    known?.error === undefined ? undefined : [known.error, known.words].filter(Boolean).join(': ');
  return {
    kind: 'probe',
    id: String(at),
    at,
    online,
    ...present({ responseTimeMs, error }),
    ...(change?.at === at && first && { steps: first.steps }),
  };
}
