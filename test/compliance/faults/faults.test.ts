import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SANDBOX_AGENTS, type TestedAgent } from './agents.ts';
import { type Cell, type CellClass, cellsOf, openCells } from './matrix.ts';
import { type CellRunner, openCellRunner } from './run-cell.ts';

/*
 * One cell for each fault and each place where it can happen; `npm run test:verdicts` runs each fault at every place, with
 * the whole bundle, and looks at what `agent-registry check` prints.
 */

let runner: CellRunner;

beforeAll(async () => {
  runner = await openCellRunner();
});

afterAll(() => runner.close());

const { seller, publicSeller, a2aSeller } = SANDBOX_AGENTS;

/**
 * Every n-th cell of each class. Cells are sorted by place and then by fault, so a stride that is no divisor of the number of
 * faults walks through the places and the faults at once.
 */
type Strides = Partial<Record<CellClass, number>>;

function walk(agent: TestedAgent, offset: number, strides: Strides): readonly Cell[] {
  const byClass = Map.groupBy(cellsOf(agent), ({ of }) => of);
  return [...byClass].flatMap(([of, cells]) => {
    const stride = strides[of];
    return stride === undefined ? [] : cells.filter((_, index) => index % stride === offset % stride);
  });
}

const CELLS = [
  ...walk(publicSeller, 0, {
    ...{ wire: 15, useless: 5, content: 1, passing: 6, session: 4, declaration: 2, harmless: 1 },
  }),
  ...walk(seller, 1, {
    ...{ wire: 16, useless: 5, content: 2, passing: 11, session: 8, declaration: 4, harmless: 3 },
  }),
  ...walk(a2aSeller, 2, { passing: 9, declaration: 3 }),
  ...openCells('sandbox-desk'),
];

describe('a fault in front of an agent', () => {
  it.concurrent.each(CELLS.map((cell) => [cell.agent.name, cell.of, cell.name, cell] as const))(
    'of the %s (%s): %s',
    async (_agent, _class, _name, cell) => {
      expect((await runner.judge(cell)).wrong).toBeUndefined();
    },
  );
});
