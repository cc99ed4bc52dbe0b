import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createLab } from '../../src/api/operations/lab/exams.ts';
import { createSharedAnswers } from '../../src/api/operations/shared-answers.ts';
import { BudgetExceeded, createBudgets, type Party } from '../../src/budgets/budgets.ts';
import type { LabResult } from '../../src/domain/lab-report.ts';
import { openRegistry } from './support/registry.ts';

const AGENT = 'https://agents.nova.example/mcp';
const logger = pino({ level: 'silent' });
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
  const lab = createLab({ records, clock, logger, budgets, exams });
  const leave = budgets.enter('runningExams', busy);
  const [refused, begun] = await Promise.allSettled([lab.begin(busy, AGENT), lab.begin(other, AGENT)]);
  expect([refused, begun]).toMatchObject([
    { reason: expect.any(BudgetExceeded) },
    { value: { agent: AGENT } },
  ]);
  leave();
  end.reject(new Error('the test is over'));
});

it('an exam that was made a moment ago costs nothing, however often it is asked for', async () => {
  const { records, clock } = await openRegistry();
  const budgets = createBudgets(records);
  const result: LabResult = {
    ...{ grade: 'F', points: 0, outOf: 1, protocols: [], checks: [], steps: [], durationMs: 1 },
  };
  const lab = createLab({ records, clock, logger, budgets, exams: { examine: async () => result } });
  const { id } = await lab.begin(busy, AGENT);
  await expect.poll(async () => (await lab.find(id)).result).toEqual(result);
  for (let n = 0; n < 10; n += 1)
    await expect(lab.begin(other, AGENT)).rejects.toMatchObject({ code: 'run_cooldown' });
  await budgets.spend('siteSeconds', { party: other, site: 'nova.example', amount: 225 });
});
