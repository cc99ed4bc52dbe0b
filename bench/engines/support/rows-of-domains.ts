import type { Dialect } from '../../../src/records/sql-tasks.ts';
import { agentNumbered, type Filled, PUBLISHES, type Rows } from './rows-of-agents.ts';

const DAY = 86_400_000;
const MONTH = 30 * DAY;
/** One publisher in so many had another file until some day of the last month. */
const CHANGED = 10;
/** A prime near the golden ratio of 2^32: times lie apart, and the same in each run. */
const SPREAD = 2_654_435_761;
/** Numbers of the earlier declarations are behind it. */
const EARLIER = 1_000_000_000;

const KEY = "'d' || n || '.example'";
const PUBLISHER = `n % ${PUBLISHES} = 0`;
const HAS_CHANGED = `n % ${PUBLISHES * CHANGED} = 0`;

/** What visits leave of domains: all of them, those that publish, and the files that some had before. */
export function rowsOfDomains(dialect: Dialect, { now, agents }: Filled): readonly Rows[] {
  const first = now - 90 * DAY;
  const visited = `${now} - (n * ${SPREAD}) % ${MONTH}`;
  const agent = agentNumbered(`(n / ${PUBLISHES} % ${agents} + 1)`);
  const hash = (n: string) =>
    dialect === 'postgres' ? `lpad((${n})::text, 64, 'a')` : `printf('%064d', ${n})`;
  const bytes = (text: string) =>
    dialect === 'postgres' ? `convert_to(${text}, 'UTF8')` : `CAST(${text} AS BLOB)`;
  const mark = (n: string) => `${hash(n)} || '@6,500,10000'`;
  const text = `'{"authorized_agents":[{"url":"' || ${agent} || '","authorized_for":"All of it"}],"of":"' || ${KEY} || '"}'`;
  const value = `'{"kind":"adagents","variant":"legacy","entries":[{"pointer":"/authorized_agents/0","url":"' || ${agent} ||
    '","agent":"' || ${agent} || '","authorizedFor":"All of it","scope":{"type":"all"},"limits":{},"signingKeys":[]}],' ||
    '"properties":[],"revokedPublisherDomains":[],"catalogue":{"collections":0,"placements":0,"formats":0,"signals":0}}'`;
  /** A file that was read: its text, what it says, and when. */
  const file = (of: string, n: string, id: string, from: number, until: string): readonly Rows[] => [
    { table: 'body', of, values: { hash: hash(n), bytes: bytes(text) } },
    { table: 'declared_value', of, values: { hash: hash(n), value, findings: "'[]'" } },
    {
      ...{ table: 'declaration', of },
      values: {
        ...{ id, source: 'n * 2 - 1', value_hash: hash(n), via: "'own'", url: urlOf('adagents') },
        ...{ content_hash: mark(n), seen_from: from, seen_until: until, agents: 1 },
      },
    },
  ];
  const captured = { bytes: 120, duration_ms: 80, times: 12 };
  return [
    ...(['adagents', 'brand'] as const).map((kind): Rows => {
      const either = (there: string | number, not: string | number) =>
        kind === 'brand' ? not : `CASE WHEN ${PUBLISHER} THEN ${there} ELSE ${not} END`;
      const error = `'{"code":"http_404","detail":"' || ${urlOf(kind)} || ' answered 404"}'`;
      const validators = `'[{"url":"' || ${urlOf(kind)} || '","etag":"1","bodyHash":"' || ${hash('n')} || '"}]'`;
      return {
        table: 'source',
        values: {
          ...{ id: idOf(kind), kind: `'${kind}'`, key: KEY, visit: "'domain'", registrable_domain: KEY },
          ...{ found_via: "'rank >1000000'", first_seen_at: first, next_visit_at: `${visited} + ${MONTH}` },
          ...{ last_visit_at: visited, last_success_at: either(visited, 'NULL') },
          ...{ last_outcome: either("'unchanged'", "'absent'"), last_error: either('NULL', error) },
          ...{ failures: either(0, 12), validators: either(validators, "'[]'") },
          ...{ content_hash: either(mark('n'), 'NULL'), absent_since: either('NULL', first) },
          ...{ absent_visits: either(0, 12), findings: "'[]'", declaration: either('n', 'NULL') },
          ...{ fence: 26, memory: "'{}'" },
        },
      };
    }),
    ...(['adagents', 'brand'] as const).map((kind): Rows => {
      const answer =
        kind === 'adagents' ? { status: 200, body_hash: hash('n') } : { status: 404, body_hash: 'NULL' };
      const from = { source: idOf(kind), at: first, requested_url: urlOf(kind) };
      return {
        ...{ table: 'capture', of: PUBLISHER },
        values: { ...from, ...answer, ...captured, last_seen_at: visited },
      };
    }),
    {
      ...{ table: 'capture', of: HAS_CHANGED },
      values: {
        ...{ source: idOf('adagents'), at: first - DAY, requested_url: urlOf('adagents'), status: 200 },
        // a thirtieth of them was seen for the last time a month ago: that is what a day's prune finds
        ...{ body_hash: hash('-n'), ...captured, last_seen_at: `${now - MONTH - 1} + n / 200 % 30 * ${DAY}` },
      },
    },
    ...file(PUBLISHER, 'n', 'n', first, 'NULL'),
    ...file(HAS_CHANGED, '-n', `n + ${EARLIER}`, first - DAY, String(first)),
    {
      ...{ table: 'authorisation', of: PUBLISHER },
      values: {
        ...{ id: 'n', publisher: KEY, agent, entry: "'/authorized_agents/0'", declared_url: agent },
        ...{
          via: "'own'",
          authorized_for: "'All of it'",
          scope: "'all'",
          count_by_type: "'{}'",
          tags: "'[]'",
        },
        ...{ covers: `'{"all":"inventory"}'`, seen_from: first },
      },
    },
    {
      ...{ table: 'edge_log', of: PUBLISHER },
      values: { authorisation: 'n', agent, publisher: KEY, scope: "'all'", at: first },
    },
  ];
}

function idOf(kind: 'adagents' | 'brand'): string {
  return kind === 'adagents' ? 'n * 2 - 1' : 'n * 2';
}

function urlOf(kind: string): string {
  return `'https://' || ${KEY} || '/.well-known/${kind}.json'`;
}
