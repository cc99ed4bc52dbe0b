import { expect, it } from 'vitest';
import { createDocumentStore } from '../../src/records/agents/documents.ts';
import { plansOf } from './support/plans.ts';

it('agents that opted out since a moment are read from the index of those that are opted out', async () => {
  const plans = await plansOf({ agent: 'https://a.example/mcp' }, (store) =>
    createDocumentStore(store, false).optedOutSince(5),
  );
  expect(plans).toEqual([
    expect.stringMatching(/^(SCAN|SEARCH) agent_settings USING COVERING INDEX agent_settings_opted_out/),
  ]);
});
