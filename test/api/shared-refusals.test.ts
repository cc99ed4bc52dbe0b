import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createLab } from '../../src/api/operations/lab/exams.ts';
import { createSharedAnswers } from '../../src/api/operations/shared-answers.ts';
import { BudgetExceeded, createBudgets, type Party } from '../../src/budgets/budgets.ts';
import { openRegistry } from './support/registry.ts';

const AGENT = 'https://agents.nova.example/mcp';
const [busy, other]: readonly [Party, Party] = [
  { id: 'address:192.0.2.1', network: '192.0.0.0/16' },
  { id: 'address:198.51.100.1', network: '198.51.0.0/16' },
];

it('a caller beyond its budget has no answer, and whoever asks the same at the same time has', async () => {
  const { records, clock } = await openRegistry();
  const budgets = createBudgets(records);
  const answerOf = createSharedAnswers<string>(clock, 'it is still being looked for');
  const asked: Party[] = [];
  const ask = (party: Party) =>
    answerOf({
      key: 'nova.example',
      answer: () =>
        budgets.run({ running: 'fileChecks', counted: [] }, { party }, async () => {
          asked.push(party);
          return 'found';
        }),
    });
  budgets.enter('fileChecks', busy);
  const outcomes = await Promise.allSettled([ask(busy), ask(other), ask(busy), ask(other)]);
  expect(outcomes).toMatchObject([
    { reason: expect.any(BudgetExceeded) },
    ...[{ value: { value: 'found' } }, { value: { value: 'found' } }, { value: { value: 'found' } }],
  ]);
  expect(asked).toEqual([other]);
});

it('a caller beyond its budget begins no exam, and whoever asks for the same one at the same time does', async () => {
  const { records, clock } = await openRegistry();
  const budgets = createBudgets(records);
  const end = Promise.withResolvers<never>();
  const exams = { examine: () => end.promise };
  const lab = createLab({ records, clock, logger: pino({ level: 'silent' }), budgets, exams });
  const leave = budgets.enter('runningExams', busy);
  const [refused, begun] = await Promise.allSettled([lab.begin(busy, AGENT), lab.begin(other, AGENT)]);
  expect([refused, begun]).toMatchObject([
    { reason: expect.any(BudgetExceeded) },
    { value: { agent: AGENT } },
  ]);
  leave();
  end.reject(new Error('the test is over'));
});
