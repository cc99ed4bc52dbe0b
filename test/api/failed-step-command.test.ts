import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOptions, DEFAULT_TESTER } from '../../src/api/render/check-options.ts';
import type { StepResult } from '../../src/compliance/step-result.ts';
import { composeCredentials } from '../../src/compose/credentials.ts';
import { localWay } from '../../src/compose/network.ts';
import type { SqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { makeSealingKeys } from '../../src/signing/sealing-keys.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { openBrowser } from './support/browser.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';
import { AGENT, SELLER } from './support/tested-agent.ts';

const OWN = `/my/agents/${encodeURIComponent(AGENT)}`;
const STEP: StepResult = {
  ...{ storyboard_id: 'sales', phase_id: 'p', step_id: 's', title: 't', task: 'get_products' },
  ...{ result: 'fail', duration_ms: 1, checks: [] },
};
const WAY = localWay({ connectTo: ['*.example=http://127.0.0.1:4000', 'inner.example=http://10.0.0.8'] });

describe('the command that shows a failed step again', () => {
  it('has on the page of the owner what the terminal says, the way to a sandbox and the name of the variable', async () => {
    const credentialKeys = join(tempFolder(), 'keys.json');
    await makeSealingKeys(credentialKeys, PROBED_AT);
    const tester = { ...DEFAULT_TESTER, testAgent: "https://tester.example/it's", localWay: WAY };
    const { server, records, addOwner, addKey } = await openRegistry(
      [bareDocument(AGENT)],
      { tester },
      {
        credentialsOf: (of: SqliteRecords) =>
          composeCredentials({ credentialKeys }, of, { now: () => PROBED_AT }),
      },
    );
    await addOwner(AGENT, 'nova');
    const run = { ...SELLER, run_id: '00000000-0000-4000-8000-00000000000f', steps: [STEP] };
    expect(await keepRun(records, PROBED_AT, run, { agent: AGENT })).toBe('saved');
    const browser = await openBrowser(server);
    await browser.post('/sign-in', { key: (await addKey('nova')).key, next: OWN });
    const before = await browser.get(OWN);
    expect(before.body).not.toContain('--auth-env');
    await browser.submit(before.body, `${OWN}/credential`, { token: 'a-token-that-nobody-sees' });
    for (const path of [OWN, `${OWN}/runs/${run.run_id}`]) {
      const { body } = await browser.get(path);
      const [, line = ''] =
        /aria-label="Command that repeats this step"><code>(.*?)<\/code>/.exec(body) ?? [];
      expect(line.replaceAll(/<[^>]*>/g, '').replaceAll('&#39;', "'")).toBe(
        `agent-registry check ${AGENT} --only sales --auth-env TOKEN --as 'https://tester.example/it'\\''s' --connect-to a.example=http://127.0.0.1:4000`,
      );
      expect(body).toContain('set the variable <code>TOKEN</code> to the test credential');
      expect(body).not.toContain('nobody-sees');
    }
  });

  it.each([
    ['a.example', 'a.example=http://127.0.0.1:4000'],
    ['inner.example', undefined],
    ['elsewhere.test', undefined],
  ])('tells the way to %s only where it ends on this machine', (host, way) => {
    expect(WAY(host)).toBe(way);
  });

  it('names the buyer that the owner has configured, before the one of the registry', () => {
    const tester = {
      ...{ ...DEFAULT_TESTER, testOperator: 'registry.example' },
      testBrand: 'registry-brand.example',
    };
    const setup = { operator: 'owner.example', account: { account_id: 'acc 7' } };
    const run = { requested_compliance_target: '3.0' };
    expect(checkOptions(AGENT, run, { tester, hasCredential: false, setup })).toEqual([
      ['--operator', 'owner.example'],
      ['--brand', 'registry-brand.example'],
      ['--account', 'acc 7'],
    ]);
    expect(checkOptions(AGENT, run, { tester, hasCredential: false })).toEqual([
      ['--operator', 'registry.example'],
      ['--brand', 'registry-brand.example'],
    ]);
  });

  it('names the key that runs are signed with where the operator asks', () => {
    const facts = { tester: { ...DEFAULT_TESTER, testKey: 'key.json' }, hasCredential: false };
    expect(checkOptions(AGENT, { requested_compliance_target: '3.1' }, facts)).toEqual([
      ['--target', '3.1'],
      ['--sign', 'key.json'],
    ]);
  });
});
