import { run } from '../../cli/support/cli.ts';
import type { TestedAgent } from './agents.ts';
import { CALL_LIMIT_MS } from './faults.ts';
import type { Cell } from './matrix.ts';
import type { CellRunner } from './run-cell.ts';

/** Lines of a terminal that nobody has made larger. */
const SCREEN = 24;

interface Shown {
  readonly code: number | null;
  readonly screen: string;
}

/** What `agent-registry check` has to do with a cell: its exit code, and what its first screen names. */
export function openCommandJudge(runner: CellRunner) {
  const clean = new Map<string, Promise<Shown>>();

  function check(cell: Pick<Cell, 'agent' | 'faults' | 'sessions' | 'isSlow' | 'only'>): Promise<Shown> {
    const { protocol, operator, brand } = cell.agent;
    return runner.behind(cell, async ({ url, token }) => {
      const { code, stdout } = await run(
        ...['check', url, '--auth', token, '--protocol', protocol, '--operator', operator, '--brand', brand],
        ...['--as', 'https://desk.example/agent', '--progress', 'none'],
        ...['--timeout', cell.isSlow ? `${CALL_LIMIT_MS / 1_000}` : '20'],
        ...cell.only.flatMap((id) => ['--only', id]),
      );
      return { code, screen: stdout.split('\n').slice(0, SCREEN).join('\n') };
    });
  }

  function cleanCheck(agent: TestedAgent, only: readonly string[]): Promise<Shown> {
    const key = JSON.stringify([agent.name, only]);
    const made = clean.get(key) ?? check({ agent, faults: [], only });
    clean.set(key, made);
    return made;
  }

  /** Undefined when the command did what it has to. */
  return async (cell: Cell, breadth: 'narrow' | 'whole'): Promise<string | undefined> => {
    const only = breadth === 'narrow' ? cell.only : [];
    const without = await cleanCheck(cell.agent, only);
    const { code, screen } = await check({ ...cell, only });
    const { expected } = cell;
    if (expected.kind === 'same')
      return code === without.code ? undefined : `exit code ${code} instead of ${without.code}`;
    if (code === 0) return 'exit code 0';
    const wanted = [...namesOf(expected), ...expected.shows];
    // the screen of an agent with more faults has no room for each
    const missing =
      cell.of !== 'content' || without.code === 0
        ? wanted.find((pattern) => !pattern.test(screen))
        : undefined;
    return missing && `exit code ${code}, and the first screen lacks ${missing}`;
  };
}

function namesOf(expected: Exclude<Cell['expected'], { kind: 'same' }>): readonly RegExp[] {
  if (expected.kind === 'inconclusive') return [/inconclusive/i];
  if (expected.kind === 'missing') return [];
  return [expected.task === 'capabilities' ? /get_(proto|adcp)_capabilities/ : new RegExp(expected.task)];
}
