import type { Observation } from '../../src/domain/observation.ts';
import type { Records } from '../../src/ports/records.ts';
import { publish } from '../../test/contract/records-steps.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A midnight. */
const START = Date.UTC(2027, 0, 4);
const BATCH = 1_000;
/** Agents that a publisher names. */
const OF_A_FILE = 250;
/** Of each hundred agents so many are away for three hours of a day: two rows of what changed. */
const AWAY = 5;

/** Bytes of tables with their indexes. */
export type TableBytes = (table: 'probe_today' | 'probe_day' | 'probe_change') => Promise<number> | number;

/**
 * Probes agents every hour of a day and once in the next hour, then 91 days later deletes what is old. One row of figures.
 */
export async function growProbes(records: Records, agents: number, bytes: TableBytes) {
  const keys = Array.from({ length: agents }, (_, n) => `https://sales-agent-${n}.seller.example/mcp`);
  for (let from = 0; from < agents; from += OF_A_FILE) {
    const authorized_agents = keys
      .slice(from, from + OF_A_FILE)
      .map((url) => ({ url, authorized_for: 'All of it' }));
    await publish(records, `publisher-${from}.example`, { authorized_agents }, START);
  }
  const begun = process.cpuUsage();
  for (let hour = 0; hour <= 24; hour += 1) await probeAll(records, START + hour * HOUR, hour);
  const { user, system } = process.cpuUsage(begun);
  const [past, latest, changes] = [
    await bytes('probe_day'),
    await bytes('probe_today'),
    await bytes('probe_change'),
  ];
  const prunedAt = performance.now();
  const { observations } = await records.prune(START + 91 * DAY + HOUR);
  return {
    agents,
    'µs of CPU a probe': Math.round((user + system) / agents / 25),
    'bytes an agent and day': Math.round(past / agents),
    'MB a day of 100,000': Number(((past / agents) * 0.1).toFixed(1)),
    'latest day, bytes once': Math.round(latest / agents),
    'bytes a change': Math.round(changes / (agents * (1 + (AWAY * 2) / 100))),
    'probes pruned': observations,
    'in seconds': Number(((performance.now() - prunedAt) / 1_000).toFixed(1)),
  };
}

async function probeAll({ sources }: Records, at: number, hour: number): Promise<void> {
  for (;;) {
    const works = await sources.takeDue('agent', BATCH, at, HOUR);
    if (works.length === 0) return;
    const visits = works.flatMap(({ key, sources: [leased] }) =>
      leased ? [{ key, lease: leased.lease }] : [],
    );
    await Promise.all(
      visits.map(({ key, lease }) => {
        const observation = seen(key, at, hour);
        const outcome = observation.health.online ? 'indexed' : 'unreachable';
        const visit = { lease, outcome, at, nextVisitAt: at + HOUR, failures: 0, found: [] } as const;
        return sources.commitProbe({ ...visit, observation });
      }),
    );
  }
}

function seen(agent: string, at: number, hour: number): Observation {
  const number = Number(/-(\d+)\./.exec(agent)?.[1]);
  const isAway = number % 100 < AWAY && hour >= 9 && hour < 12;
  const steps = ['initialize', 'tools/list', 'get_proto_capabilities'].map((step) => ({
    ...{ step, url: agent, durationMs: 12, ok: !isAway },
  }));
  const common = { agent, dialledUrl: agent, at, durationMs: 60, steps, findings: [] };
  if (isAway)
    return {
      ...common,
      health: { online: false, errorClass: 'timeout', error: 'no response within the time limit' },
    };
  const health = { online: true, responseTimeMs: 20 + ((number * 7 + hour * 13) % 200), toolsCount: 6 };
  return { ...common, health, protocol: 'mcp', endpoint: agent };
}
