import { dayOf, type KeptProbe, withProbe } from '../../../src/records/probes/probe-log.ts';
import type { Dialect } from '../../../src/records/sql-tasks.ts';

export interface Filled {
  readonly domains: number;
  readonly agents: number;
  /** All times are around it, epoch milliseconds. */
  readonly now: number;
}

/** Rows of a table: a row for each number `n` of the series. */
export interface Rows {
  readonly table: string;
  /** Of each column an expression. */
  readonly values: Readonly<Record<string, string | number>>;
  /** Which numbers; default all. */
  readonly of?: string;
  readonly join?: string;
}

/** One domain in so many publishes a file; the others never did, as most that are known. */
export const PUBLISHES = 20;
const HOUR = 3_600_000;
/** The oldest of them is what a day's prune finds. */
const DAYS = 91;
/** What probes of one day may have found. */
const PATTERNS = 100;
/** Rows of what a probe found anew, for each agent. */
const CHANGES = 10;
/** Numbers of the agents' sources are behind it. */
const SOURCES = 10_000_000_000;

export function agentNumbered(n: string): string {
  return `'https://sales-agent-' || ${n} || '.seller.example/mcp'`;
}

/** A table of days as probes leave them: every twentieth has three hours without an answer. */
export function patternsOfDays(dialect: Dialect): readonly string[] {
  const rows = Array.from({ length: PATTERNS }, (_, number) => {
    const away = (hour: number) => number % 20 === 0 && hour >= 9 && hour < 12;
    const bytes = Array.from({ length: 24 }, (_, hour): KeptProbe => {
      const at = hour * HOUR + number * 1_000;
      if (away(hour)) return { at, online: false, errorClass: 'timeout', asked: false };
      return { at, online: true, responseTimeMs: 20 + ((number * 7 + hour * 13) % 200), asked: false };
    }).reduce<Uint8Array>(withProbe, new Uint8Array());
    const hex = Buffer.from(bytes).toString('hex');
    return `(${number}, ${number % 20 === 0 ? 1 : 2}, ${dialect === 'postgres' ? `'\\x${hex}'::bytea` : `x'${hex}'`})`;
  });
  const type = dialect === 'postgres' ? 'BYTEA' : 'BLOB';
  return [
    `CREATE TEMPORARY TABLE pattern (number INTEGER, health INTEGER, probes ${type})`,
    `INSERT INTO pattern VALUES ${rows.join(', ')}`,
  ];
}

/** What probes leave of agents, a row each, and one for each of their days. */
export function rowsOfAgents({ now, domains, agents }: Filled): readonly Rows[] {
  const agent = agentNumbered('n');
  const publishers = publishersOf(Math.floor(domains / PUBLISHES), agents);
  const first = now - DAYS * 24 * HOUR;
  const today = dayOf(now);
  const health = `'{"online":true,"responseTimeMs":120,"toolsCount":6}'`;
  const steps = ['initialize', 'tools/list', 'get_proto_capabilities']
    .map((step) => `'{"step":"${step}","url":"' || ${agent} || '","durationMs":12,"ok":true}'`)
    .join(" || ',' || ");
  const value = `'{"dialledUrl":"' || ${agent} || '","durationMs":60,"steps":[' || ${steps} ||
    '],"findings":[],"health":' || ${health} || ',"protocol":"mcp","endpoint":"' || ${agent} || '"}'`;
  const pattern = (of: string) => `JOIN pattern ON pattern.number = (${of}) % ${PATTERNS}`;
  return [
    {
      table: 'source',
      values: {
        ...{ id: `n + ${SOURCES}`, kind: "'agent'", key: agent, visit: "'agent'", url: agent },
        ...{ registrable_domain: "'seller' || n % 5000 || '.example'", found_via: "'d20.example adagents'" },
        ...{ first_seen_at: first, next_visit_at: `${now} + n % 3600 * 1000`, last_visit_at: now - HOUR },
        ...{ last_success_at: now - HOUR, last_outcome: "'indexed'", fence: 2_184 },
      },
    },
    {
      table: 'agent',
      values: {
        ...{
          agent,
          first_seen_at: first,
          revision: 2,
          stitched_revision: 2,
          authorisation_count: publishers,
        },
        ...{
          publisher_count: publishers,
          authorised_from: first,
          last_seen_at: now - HOUR,
          last_checked_at: now - HOUR,
        },
        ...{ health, protocol: "'mcp'", endpoint: agent, good_at: now - HOUR, good_protocol: "'mcp'" },
        ...{
          seen_text: '\'"first_seen_at":"2027-01-04T00:00:00.000Z",\'',
          health_text: `',"health":' || ${health}`,
        },
      },
    },
    {
      ...{ table: 'probe_today', join: pattern('n') },
      values: { agent, day: today, found: "'sR0KsdZci1KkWzyVrXqIYQ'", probes: 'probes' },
    },
    // as they come: those of a day lie together, and each day some agents change
    ...Array.from({ length: CHANGES }, (_, change): Rows => {
      const at = `${first + change * 9 * 24 * HOUR} + n * 9 / ${agents + 1} * ${24 * HOUR}`;
      return { table: 'probe_change', values: { agent, at, value } };
    }),
    ...Array.from({ length: DAYS }, (_, ago): Rows => {
      const day = today - 1 - ago;
      return {
        ...{ table: 'probe_day', join: pattern(`n * 7 + ${day}`) },
        values: { day, agent, health: 'pattern.health', probes: 'probes' },
      };
    }),
  ];
}

/** How many of so many publishers name the agent `n`: they take the agents in turn. */
function publishersOf(publishers: number, agents: number): string {
  const all = Math.floor(publishers / agents);
  return `CASE WHEN n - 1 BETWEEN 1 AND ${publishers % agents} THEN ${all + 1} ELSE ${all} END`;
}
