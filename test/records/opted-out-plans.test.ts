import { expect, it } from 'vitest';
import { createDocumentStore } from '../../src/records/agents/documents.ts';
import { plansOf } from './support/plans.ts';

it.each([
  ['whether an owner opted out meanwhile', 'optOuts', { count: 1, latest: 1 }],
  ['who opted out since a moment', 'optedOutSince', { agent: 'https://a.example/mcp' }],
] as const)('%s is read from the index of those that are opted out', async (_what, name, found) => {
  const plans = await plansOf(found, (store) => createDocumentStore(store, false)[name](5));
  expect(plans).toEqual([
    expect.stringMatching(/^(SCAN|SEARCH) agent_settings USING COVERING INDEX agent_settings_opted_out/),
  ]);
});
