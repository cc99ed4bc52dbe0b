import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/compose/clock.ts';
import { composeFetcher } from '../../../src/compose/network.ts';
import { readConfig } from '../../../src/config.ts';
import type { Observation } from '../../../src/domain/observation.ts';
import { probeAgent } from '../../../src/probe/probe.ts';
import { SANDBOX_AGENTS, type TestedAgent } from './agents.ts';
import type { Fault } from './fault-proxy.ts';
import { HARMLESS, PASSING_TROUBLE, TOOL_PAGES } from './faults.ts';
import { type CellRunner, openCellRunner } from './run-cell.ts';

let runner: CellRunner;

beforeAll(async () => {
  runner = await openCellRunner();
});

afterAll(() => runner.close());

const { publicSeller, a2aSeller } = SANDBOX_AGENTS;

/** What a probe says of the agent behind these faults, without the proxy's own address. */
function probed(
  agent: TestedAgent,
  faults: readonly Fault[],
  sessions = false,
): Promise<Pick<Observation, 'exposed'> & { readonly online: boolean }> {
  return runner.behind({ agent, faults, ...(sessions && { sessions }) }, async ({ url, token }) => {
    const fetcher = composeFetcher(readConfig({}), { connectTo: [] }, systemClock);
    try {
      const { health, exposed } = await probeAgent({
        ...{ url, key: url, fetcher, clock: systemClock, openOrigin: url, auth: token },
        hints: { protocol: agent.protocol },
      });
      return { online: health.online, ...(exposed && { exposed }) };
    } finally {
      await fetcher.close();
    }
  });
}

const clean = new Map<TestedAgent, ReturnType<typeof probed>>();

/** The probe without a fault, made once for each agent. */
function cleanProbe(agent: TestedAgent): ReturnType<typeof probed> {
  const made = clean.get(agent) ?? probed(agent, []);
  clean.set(agent, made);
  return made;
}

const PLACES = [
  ...['initialize', 'notifications/initialized', 'tools/list', 'capabilities'].map(
    (on) => [publicSeller, on] as const,
  ),
  ...['card', 'capabilities'].map((on) => [a2aSeller, on] as const),
];

const TROUBLES = PLACES.flatMap(([agent, on]) =>
  Object.entries(PASSING_TROUBLE).map(([name, trouble]) => [name, on, agent.name, agent, trouble] as const),
);

describe('a probe keeps what an agent declares', () => {
  it.concurrent.each(TROUBLES)(
    'after %s on the first %s of the %s',
    async (_name, on, _agent, agent, trouble) => {
      const once: Fault = { on: [on], calls: (nth) => nth === 1, ...trouble };
      const [without, seen] = [await cleanProbe(agent), await probed(agent, [once])];
      expect(without.exposed).toBeDefined();
      expect(seen).toEqual(without);
    },
  );

  it.concurrent.each(Object.entries(PASSING_TROUBLE))(
    'after %s on the second page of the tool list',
    async (_name, trouble) => {
      const once: Fault = { on: ['tools/list'], calls: (nth) => nth === 2, ...trouble };
      expect(await probed(publicSeller, [TOOL_PAGES, once])).toEqual(await cleanProbe(publicSeller));
    },
  );

  it.concurrent.each(['notifications/initialized', 'tools/list', 'capabilities'])(
    'after the session was lost at the first %s',
    async (on) => {
      const once: Fault = { on: [on], calls: (nth) => nth === 1, forgetsSession: true };
      expect(await probed(publicSeller, [once], true)).toEqual(await cleanProbe(publicSeller));
    },
  );

  it.concurrent.each(Object.entries(HARMLESS).filter(([name]) => !name.startsWith('extra fields in all')))(
    'of an agent that answers with %s',
    async (_name, fault) => {
      expect(await probed(publicSeller, [fault])).toEqual(await cleanProbe(publicSeller));
    },
  );
});

describe('a declaration that could not be read', () => {
  it.concurrent.each([
    ['429', { on: ['capabilities'], ...PASSING_TROUBLE['429 with Retry-After'] }],
    ['503', { on: ['capabilities'], ...PASSING_TROUBLE['503'] }],
    ['a page', { on: ['capabilities'], write: (response) => void response.writeHead(200).end('<p>hello') }],
  ] as const satisfies readonly (readonly [string, Fault])[])(
    'is not an empty one when every answer is %s: the agent is online, and nothing replaces what is known',
    async (_name, fault) => {
      expect(await probed(publicSeller, [fault])).toEqual({ online: true });
    },
  );
});
