import { SANDBOX_AGENTS, type TestedAgent } from './agents.ts';
import type { Fault, Occasion } from './fault-proxy.ts';
import {
  CONTENT_FAULTS,
  HARMLESS,
  openToEverybody,
  PASSING_TROUBLE,
  RESET_AFTER,
  TOOL_PAGES,
  UNREADABLE,
  USELESS,
  WIRE_FAULTS,
} from './faults.ts';

/** What a run has to come to. */
export type Expectation =
  /** A fault of the agent: not passing, and the first step that fails on account of it calls this task. */
  | { readonly kind: 'fault'; readonly task: Occasion; readonly shows: readonly RegExp[] }
  /** A task that the agent owes: not passing, and the report names it as missing. */
  | { readonly kind: 'missing'; readonly shows: readonly RegExp[] }
  /** The status and the results of all steps are those of a run without the fault. */
  | { readonly kind: 'same' }
  /** Nothing can be said of the agent, and the detail names the request and what came of it. */
  | { readonly kind: 'inconclusive'; readonly shows: readonly RegExp[] };

export interface Cell {
  readonly name: string;
  /** The class, by which cells are counted and chosen. */
  readonly of: CellClass;
  readonly agent: TestedAgent;
  readonly faults: readonly Fault[];
  readonly sessions?: true;
  /** The storyboards that are enough to see it; the whole bundle says no more. */
  readonly only: readonly string[];
  /** A run with it waits for calls that do not come back in time. */
  readonly isSlow?: true;
  readonly expected: Expectation;
}

export type CellClass = 'wire' | 'useless' | 'content' | 'passing' | 'session' | 'declaration' | 'harmless';

/** The storyboards that call a task of a seller. */
const STORYBOARDS_OF: Readonly<Record<string, readonly string[]>> = {
  capabilities: ['capability_discovery'],
  get_products: ['media_buy_products'],
  list_authorized_properties: ['media_buy_properties'],
  sync_accounts: ['media_buy_accounts'],
  list_accounts: ['authentication', 'media_buy_accounts'],
  list_creative_formats: ['media_buy_creatives'],
  sync_creatives: ['media_buy_creatives'],
  create_media_buy: ['media_buy_idempotency', 'media_buy'],
  update_media_buy: ['media_buy_idempotency', 'media_buy', 'media_buy_test_controller'],
  get_media_buy_delivery: ['media_buy_reporting'],
  provide_performance_feedback: ['media_buy_reporting'],
  log_event: ['media_buy_reporting'],
  sync_catalogs: ['media_buy_catalogs'],
  sync_audiences: ['media_buy_audiences'],
  comply_test_controller: ['media_buy_test_controller'],
};

const first = (nth: number) => nth === 1;
const SLOW: ReadonlySet<string> = new Set(['a call that is too slow', 'a call that never ends']);

/** No valid answer of a task, whatever is asked of it. */
export function wireCells(agent: TestedAgent): readonly Cell[] {
  return agent.tasks
    .filter((task) => task !== 'capabilities') // without it there is nothing to select: see declarationCells
    .flatMap((task) =>
      Object.entries(WIRE_FAULTS).map(([name, { shows, ...trouble }]) => ({
        ...cellOf(agent, 'wire', `${name} on ${task}`, task),
        faults: [{ on: [task], ...trouble }],
        ...(SLOW.has(name) && { isSlow: true as const }),
        expected: { kind: 'fault' as const, task, shows },
      })),
    );
}

/** Answers of the protocol with which a task does nothing. */
export function uselessCells(agent: TestedAgent): readonly Cell[] {
  return agent.tasks
    .filter((task) => task !== 'capabilities' && agent.broken?.includes(task) !== true)
    .flatMap((task) =>
      Object.entries(USELESS).map(([name, trouble]) => ({
        ...cellOf(agent, 'useless', `${name} of ${task}`, task),
        faults: [{ on: [task], ...trouble }],
        expected: { kind: 'fault' as const, task, shows: [] },
      })),
    );
}

/** Answers with wrong content. */
export function contentCells(agent: TestedAgent): readonly Cell[] {
  return Object.entries(CONTENT_FAULTS)
    .filter(
      ([, { task, vocabulary }]) =>
        agent.tasks.includes(task) &&
        agent.broken?.includes(task) !== true &&
        (vocabulary === undefined || vocabulary === agent.vocabulary),
    )
    .map(([name, { fault, task, shows, isOfTheWhole }]) => ({
      ...cellOf(agent, 'content', name, task),
      ...(isOfTheWhole && { only: [] }),
      faults: [fault],
      expected:
        isOfTheWhole === true
          ? { kind: 'missing', shows: [new RegExp(`missing tools?: [^;]*${task}`)] }
          : { kind: 'fault', task, shows: shows === undefined ? [] : [shows] },
    }));
}

/** Tasks that need credentials and answer without them. */
export function openCells(token: string): readonly Cell[] {
  const { seller, publicSeller, governance, creative, rights } = SANDBOX_AGENTS;
  const cases = [
    [seller, 'list_accounts'],
    [publicSeller, 'list_accounts'],
    [governance, 'get_plan_audit_logs'],
    [creative, 'build_creative'],
    [rights, 'acquire_rights'],
  ] as const;
  return cases.map(([agent, task]) => ({
    ...cellOf(agent, 'content', `${task} is open to everybody`, task),
    only:
      task.startsWith('list_') || task.startsWith('get_') ? ['authentication'] : ['authentication_changes'],
    faults: [openToEverybody(task, token).fault],
    expected: { kind: 'fault', task, shows: [] },
  }));
}

/** The requests before the first task. Over A2A the card is the handshake and the list in one. */
const HANDSHAKE = {
  mcp: ['initialize', 'notifications/initialized', 'tools/list'],
  a2a: ['card'],
} as const;

/** One refused call at each place where a run could stumble. */
export function passingCells(agent: TestedAgent): readonly Cell[] {
  const places = [...HANDSHAKE[agent.protocol], ...agent.tasks];
  const cells = places.flatMap((on) =>
    Object.entries(PASSING_TROUBLE)
      // a reset says nothing of what was done: only what reads, or has a key, may be sent again
      .filter(([name]) => on !== 'comply_test_controller' || name !== 'a reset connection')
      .map(([name, trouble]) => sameCell(agent, `${name} on the first call of ${on}`, on, trouble)),
  );
  const answered = agent.tasks
    .filter((task) => task !== 'comply_test_controller')
    .map((on) => sameCell(agent, `the first answer of ${on} is lost by a reset`, on, RESET_AFTER));
  const later =
    agent.protocol === 'a2a'
      ? []
      : [2, 3].map((nth) => ({
          ...sameCell(agent, `503 on handshake ${nth}, without or with wrong credentials`, 'initialize', {
            ...PASSING_TROUBLE['503'],
          }),
          only: ['authentication'],
          faults: [{ on: ['initialize'], calls: (at: number) => at === nth, ...PASSING_TROUBLE['503'] }],
        }));
  const page =
    agent.protocol === 'a2a'
      ? []
      : Object.entries(PASSING_TROUBLE).map(([name, trouble]) => ({
          ...sameCell(agent, `${name} on the second page of tools/list`, 'tools/list', {}),
          faults: [TOOL_PAGES, { on: ['tools/list'], calls: (nth: number) => nth === 2, ...trouble }],
        }));
  return [...cells, ...answered, ...later, ...page];
}

/** The server ends the session once, at each place where it can. */
export function sessionCells(agent: TestedAgent): readonly Cell[] {
  const places = ['notifications/initialized', 'tools/list', ...agent.tasks];
  return [
    {
      ...sameCell(agent, 'sessions that last', 'get_products', {}),
      faults: [],
      sessions: true,
      of: 'session',
    },
    ...places.map((on) => ({
      ...sameCell(agent, `the session is lost at the first call of ${on}`, on, { forgetsSession: true }),
      of: 'session' as const,
      sessions: true as const,
    })),
  ];
}

/** What selects storyboards is never read. */
export function declarationCells(agent: TestedAgent): readonly Cell[] {
  const places =
    agent.protocol === 'mcp' ? (['capabilities', 'tools/list'] as const) : (['capabilities'] as const);
  const cells: Cell[] = places.flatMap((on) =>
    Object.entries(UNREADABLE).map(([name, { shows, ...trouble }]) => ({
      ...cellOf(agent, 'declaration', `${name} on ${on}`, on),
      faults: [{ on: [on], ...trouble }],
      ...(name === 'no end of the call' && { isSlow: true as const }),
      expected: { kind: 'inconclusive' as const, shows: [NAMES_OF[on], ...shows] },
    })),
  );
  const onPage = Object.entries(UNREADABLE).map(([name, { shows, ...trouble }]) => ({
    ...cellOf(agent, 'declaration', `${name} on the second page of tools/list`, 'tools/list'),
    faults: [TOOL_PAGES, { on: ['tools/list'], calls: (nth: number) => nth > 1, ...trouble }],
    ...(name === 'no end of the call' && { isSlow: true as const }),
    expected: { kind: 'inconclusive' as const, shows: [NAMES_OF['tools/list'], ...shows] },
  }));
  if (agent.protocol === 'mcp') return [...cells, ...onPage];
  // a card that is no card is no agent; one that could not be read may be there tomorrow
  const onCard = (['429 for ever', '503 for ever'] as const).flatMap((name) => {
    const { shows, ...trouble } = UNREADABLE[name] ?? { shows: [] };
    return {
      ...cellOf(agent, 'declaration', `${name} on card`, 'card'),
      faults: [{ on: ['card'], ...trouble }],
      expected: { kind: 'inconclusive' as const, shows: [NAMES_OF.card, ...shows] },
    };
  });
  return [...cells, ...onCard];
}

const NAMES_OF = { capabilities: /capabilities/, 'tools/list': /tools\/list/, card: /card/ } as const;

/** What every client has to live with. */
export function harmlessCells(agent: TestedAgent): readonly Cell[] {
  return Object.entries(HARMLESS).map(([name, fault]) => ({
    ...cellOf(agent, 'harmless', name, 'get_products'),
    only: ['capability_discovery', 'media_buy_idempotency', 'media_buy_reporting'],
    faults: [fault],
    expected: { kind: 'same' },
  }));
}

/** The whole matrix of one seller. */
export function cellsOf(agent: TestedAgent): readonly Cell[] {
  if (agent.protocol === 'a2a')
    return [...wireCells(agent), ...passingCells(agent), ...declarationCells(agent)];
  return [
    ...wireCells(agent),
    ...uselessCells(agent),
    ...contentCells(agent),
    ...passingCells(agent),
    ...sessionCells(agent),
    ...declarationCells(agent),
    ...harmlessCells(agent),
  ];
}

function sameCell(
  agent: TestedAgent,
  name: string,
  on: Occasion,
  trouble: Omit<Fault, 'on' | 'calls'>,
): Cell {
  return {
    ...cellOf(agent, 'passing', name, on),
    faults: [{ on: [on], calls: first, ...trouble }],
    expected: { kind: 'same' },
  };
}

function cellOf(agent: TestedAgent, of: CellClass, name: string, on: Occasion) {
  return { agent, of, name, only: STORYBOARDS_OF[on] ?? ['capability_discovery', 'media_buy_products'] };
}
