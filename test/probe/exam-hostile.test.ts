import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { labReportJson } from '../../src/api/render/lab-report.ts';
import { gradedExam } from '../../src/compose/exam.ts';
import type { LabResult } from '../../src/domain/lab-report.ts';
import { labReportPage } from '../../src/pages/lab/lab.ts';
import { rpcAgent } from '../calling/support/rpc.ts';
import { serve } from '../calling/support/serve.ts';
import { loopbackFetcher } from '../calling/support/test-fetcher.ts';
import { NAUGHTY } from '../support/naughty-texts.ts';
import { patientTime } from '../support/patient-time.ts';
import { a2a, answering, HOSTILE_AGENTS, saying } from './support/hostile-agents.ts';

const clock = { now: () => Date.now() };
const NAUGHTY_KEYS = { publishedBy: async () => ({ reason: NAUGHTY.join('') }) };
const SITE = { root: '', origin: '' } as never;

async function examined(agent: RequestListener, more: object = {}): Promise<LabResult> {
  patientTime();
  const late = new AbortController().signal;
  const parts = { fetcher: loopbackFetcher(), clock, directory: NAUGHTY_KEYS, late };
  return gradedExam(await serve(agent), { ...parts, deadlineMs: 1_500, ...more });
}

describe('an agent that wants to break the lab', () => {
  it.each(HOSTILE_AGENTS)('has its report when it %s', async (_what, agent) => {
    const result = await examined(agent);
    const kept = { id: 'x', agent: 'https://a.example/', askedAt: 0, result };
    const told = JSON.stringify(labReportJson(kept, 0));
    const view = { ...kept, status: 'completed', askedAt: '2026-01-01T00:00:00.000Z' } as const;
    const page = `${labReportPage(SITE, view).content}`;
    expect(result.checks).toHaveLength(10);
    expect(Math.max(told.length, page.length)).toBeLessThan(40_000);
    expect(page).not.toMatch(/<(?:script|img|svg|style|link)|href="javascript| on\w+="/i);
    for (const text of [page, told]) {
      expect(text.isWellFormed()).toBe(true);
      // what moves a terminal or turns the text around it
      for (const mark of ['\0', '\u001b', '\u202e', '\u2066', '\\u0000', '\\u001b'])
        expect(text.includes(mark)).toBe(false);
    }
  });

  it('is not said to have a card that can be used when that leads nowhere', async () => {
    const nowhere = a2a(() => ({
      name: 'a',
      skills: [],
      supportedInterfaces: [{ url: 'x', protocolBinding: 'GRPC' }],
    }));
    const elsewhere = a2a(() => ({ name: 'a', skills: [], url: 'http://127.0.0.1:2/a2a' }));
    for (const agent of [nowhere, elsewhere])
      expect((await examined(agent)).checks.find(({ id }) => id === 'card')).toMatchObject({
        ...{ result: 'partly', reason: expect.stringContaining('has no usable url') },
      });
  });

  it('is not said to refuse with a code when that is empty', async () => {
    const { checks } = await examined(saying(''));
    expect(checks.filter(({ id }) => id === 'unknown_task' || id === 'wrong_request')).toMatchObject([
      { result: 'partly', reason: 'rejected without an error code: no message' },
      { result: 'partly', reason: 'rejected without an error code: no message' },
    ]);
  });
});

describe('an exam', () => {
  it('ends in its time when the keys never come, which are not judged then', async () => {
    const time = new AbortController();
    const directory = {
      publishedBy: () => {
        time.abort();
        return new Promise<never>(() => {});
      },
    };
    const { checks } = await examined(answering({}), { directory, late: time.signal });
    expect(checks.find(({ id }) => id === 'keys')).toMatchObject({
      ...{ result: 'skipped', outOf: 0, reason: 'not tested: the lookup of the keys timed out' },
    });
  });

  it('says nothing of an agent that was not asked in its time', async () => {
    const time = new AbortController();
    const silent = rpcAgent({ initialize: { raw: () => time.abort() } });
    await expect(examined(silent, { late: time.signal })).rejects.toThrow('took longer than it may');
  });
});
