import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_CREDENTIAL } from '../../src/compliance/run/step-skips.ts';
import type { FinishedRun } from '../../src/compliance/run-result.ts';
import type { StepResult } from '../../src/compliance/step-result.ts';
import { composeCredentials } from '../../src/compose/credentials.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import type { SqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { makeSealingKeys } from '../../src/signing/sealing-keys.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { CLOSED, INCOMPLETE, MOSTLY_SKIPPED, UNREAD } from '../compliance/support/judged-runs.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { fieldsOf, openBrowser } from './support/browser.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';
import { AGENT, optOut, SELLER, tested } from './support/tested-agent.ts';

const OWN = `/my/agents/${encodeURIComponent(AGENT)}`;
const HOSTILE = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
const STEP: StepResult = {
  ...{ storyboard_id: "it's", phase_id: 'p', step_id: 's', title: HOSTILE, task: 'get_products' },
  ...{ result: 'fail', duration_ms: 1 },
  checks: [
    {
      check: 'field_value',
      result: 'fail',
      pointer: '/a',
      message: HOSTILE,
      expected: 'EUR',
      actual: { was: HOSTILE },
    },
  ],
};

/** An agent of nova with these runs, and its owner's browser, signed in. */
async function signedIn(...runs: readonly Partial<FinishedRun>[]) {
  const registry = await tested(...runs);
  const browser = await openBrowser(registry.server);
  const signIn = (key: string) => browser.post('/sign-in', { key, next: OWN });
  await signIn(registry.owner.authorization.slice('Bearer '.length));
  const act = async (name: string, fields: Record<string, string> = {}) =>
    browser.submit((await browser.get(OWN)).body, `${OWN}/${name}`, fields);
  return { ...registry, browser, signIn, act };
}

const textOf = (body: string) => body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe('the page of an agent for its owner', () => {
  it('shows each failed step with what was expected and what came, and the command that shows it again', async () => {
    const { browser, records } = await signedIn(SELLER);
    const run = { ...SELLER, run_id: '00000000-0000-4000-8000-00000000000f', steps: [STEP] };
    expect(await keepRun(records, PROBED_AT + 7_200_000, run, { agent: AGENT })).toBe('saved');
    const { status, body } = await browser.get(OWN);
    expect(status).toBe(200);
    expect(body).toContain('<dt>Expected</dt><dd><code><bdi>EUR</bdi></code></dd>');
    expect(body).toContain('Actual at <code><bdi>/a</bdi></code>');
    expect(body).toContain('<span class="flag">--only</span> &#39;it&#39;\\&#39;&#39;s&#39;');
    expect(body).not.toMatch(/<script(?! type="module" src="\/assets)|<img|>undefined<|\[object/);
    const [, link = ''] = /href="(\/my\/agents\/[^"]*\/runs\/00000000[^"]*)"/.exec(body) ?? [];
    expect((await browser.get(link)).body).toContain('Actual at <code><bdi>/a</bdi></code>');
    const read = (await records.owners.auditLog({ subject: AGENT, limit: 10 })).map(({ action }) => action);
    expect(read).not.toContain('agent.settings');
  });

  it.each<[Record<string, string>, object]>([
    [{ monitoring_paused: 'true' }, { monitoringPaused: true }],
    [{ check_interval_hours: '48' }, { checkIntervalHours: 48 }],
    [{ lifecycle_stage: 'testing' }, { lifecycleStage: 'testing' }],
    [{ compliance_opt_out: 'true' }, { optedOut: true }],
    [{ compliance_target: ' 3.1 ' }, { complianceTarget: '3.1' }],
    [
      {
        ...{ 'test_setup.operator': 'desk.example', 'test_setup.brand.domain': '' },
        'test_setup.account.account_id': 'acc-7',
      },
      { testSetup: { operator: 'desk.example', account: { account_id: 'acc-7' } } },
    ],
  ])('changes a setting as the operation does, with its audit record: %j', async (fields, after) => {
    const { browser, records } = await signedIn(SELLER);
    const { body } = await browser.get(OWN);
    const { form = '' } = fieldsOf(body, `${OWN}/settings`);
    const answer = await browser.post(`${OWN}/settings`, { form, ...fields });
    expect([answer.status, answer.location]).toEqual([303, `${OWN}?done=settings`]);
    expect(await records.owners.settings(AGENT)).toMatchObject(after);
    const log = await records.owners.auditLog({ subject: AGENT, limit: 10 });
    expect(log.filter(({ action }) => action === 'agent.settings')).toMatchObject([
      { actor: expect.stringMatching(/^ark_/), details: { after } },
    ]);
    const page = await browser.get(`${OWN}?done=settings`);
    expect(page.body).toContain('>Saved.<');
    expect(page.body).toContain('agent.settings');
  });

  it('shows the target and the buyer of tests in their forms, and clears what is sent empty', async () => {
    const { browser, records } = await signedIn(SELLER);
    const post = async (fields: Record<string, string>) => {
      const { form = '' } = fieldsOf((await browser.get(OWN)).body, `${OWN}/settings`);
      return browser.post(`${OWN}/settings`, { form, ...fields });
    };
    await post({ compliance_target: 'stable' });
    await post({ 'test_setup.account.account_id': 'a"><img src=x>' });
    const { body } = await browser.get(OWN);
    expect(body).toMatch(/name="compliance_target"[^>]*value="stable"/);
    // browsers compile it with the flag v, where a hyphen must be escaped
    const [, pattern = ''] = /name="compliance_target"[^>]*pattern="([^"]+)"/.exec(body) ?? [];
    expect(new RegExp(`^(?:${pattern})$`, 'v').test('3.1-beta')).toBe(true);
    expect(body).toMatch(/name="test_setup.account.account_id"[^>]*value="a&quot;&gt;&lt;img src=x&gt;"/);
    await post({ compliance_target: '' });
    await post({ 'test_setup.operator': '', 'test_setup.account.account_id': '' });
    const settings = await records.owners.settings(AGENT);
    expect(settings).not.toHaveProperty('complianceTarget');
    expect(settings).not.toHaveProperty('testSetup');
  });

  it('asks once more before it takes an agent out of tests, without script', async () => {
    const { browser } = await signedIn(SELLER);
    const out =
      /<details><summary>[^<]*<\/summary>\s*<p>[^<]*loses its badges[^<]*<\/p>\s*<form[^>]*>(?:(?!<\/form>).)*<\/form><\/details>/s;
    const { body } = await browser.get(OWN);
    expect(out.exec(body)?.[0]).toContain('name="compliance_opt_out" value="true"');
    expect(body.replace(out, '')).not.toContain('compliance_opt_out');
  });

  it.each([
    [{ monitoring_paused: 'constructor' }, 'true or false'],
    [{ check_interval_hours: '5' }, 'a whole number of hours from 6 to 168'],
    [{ lifecycle_stage: HOSTILE }, 'One of development, testing'],
    [{ nothing: 'true' }, 'Unknown setting'],
    [{ compliance_target: '../3.1' }, 'a version or a label is expected'],
    [{ 'test_setup.operator': 'https://desk.example' }, 'use a domain name such as'],
    [{ 'test_setup.token': 'x' }, 'Unknown setting'],
  ])('says why a setting is refused: %j', async (fields, why) => {
    const { browser } = await signedIn();
    const { body } = await browser.get(OWN);
    const { form = '' } = fieldsOf(body, `${OWN}/settings`);
    const answer = await browser.post(`${OWN}/settings`, { form, ...(fields as Record<string, string>) });
    expect(answer.status).toBe(400);
    expect(answer.body.toLowerCase()).toContain(why.toLowerCase());
    expect(answer.body).not.toContain('<img');
  });

  it('shows a test step by step while it goes on, to its owner alone, and the operation tells the same', async () => {
    const { browser, act, records, get, owner } = await signedIn();
    const path = (await act('run')).location ?? '';
    const [work] = await records.runs.takeDue(1, PROBED_AT, 60_000, 'another process');
    if (work === undefined) throw new Error('nothing was taken');
    const soFar = {
      ...{ storyboards: 2, steps: 7 },
      begun: [
        {
          id: 'a',
          title: HOSTILE,
          result: 'fail',
          steps: [{ title: 'Look', result: 'fail', duration_ms: 12.4 }],
        },
        { id: 'b', title: 'B', steps: [{ title: HOSTILE, result: 'skipped', duration_ms: 0 }] },
      ],
    } as const;
    await records.runs.reportProgress(work.lease, soFar);
    const { body } = await browser.get(path);
    expect(body).toContain('Running</b><span data-run-done>: 2 of 7 steps, 1 of 2 storyboards</span>');
    expect(body).toContain('<progress data-run-bar max="7" value="2" aria-label="Steps done"></progress>');
    expect(body).toContain(
      '<span class="unseen">failed: </span> <bdi>Look</bdi> <span class="type">12 ms</span>',
    );
    expect(body.indexOf('<bdi>B</bdi>')).toBeLessThan(body.indexOf('<bdi>Look</bdi>'));
    expect(body).not.toMatch(/<script(?! type="module" src="\/assets)|<img|>undefined<|\[object/);
    expect(JSON.parse((await browser.get(`${path}/state`)).body)).toMatchObject({ so_far: soFar });
    const api = `/api/registry/agents/${encodeURIComponent(AGENT)}/compliance/runs/${path.split('/').at(-1)}`;
    expect((await get(api, owner)).json()).toMatchObject({ state: 'running', so_far: soFar });
    expect((await get(api)).statusCode).toBe(404);
  });

  it('asks for a test once, follows it, and says while it may not be asked for', async () => {
    const { browser, act, records, clock } = await signedIn();
    expect((await browser.get(OWN)).body).not.toContain('Available again');
    const first = await act('run');
    expect(first.location).toMatch(new RegExp(`^${OWN}/runs/[0-9a-f-]{36}$`));
    const path = first.location ?? '';
    const page = await browser.get(path);
    expect(page.body).toContain('Queued');
    expect(page.body).toContain('<noscript><meta http-equiv="refresh" content="2"></noscript>');
    expect(JSON.parse((await browser.get(`${path}/state`)).body)).toMatchObject({
      state: 'queued',
      waited_s: 0,
    });
    const id = path.split('/').at(-1) as string;
    expect(await keepRun(records, PROBED_AT, { ...SELLER, run_id: id }, { agent: AGENT })).toBe('saved');
    expect(JSON.parse((await browser.get(`${path}/state`)).body)).toEqual({ state: 'finished' });
    expect((await browser.get(path)).body).toContain('Storyboards passed: 2 of 2');
    const own = (await browser.get(OWN)).body;
    expect(own).toMatch(/Available again <time datetime="2026-01-06T09:10:00.000Z">/);
    const again = await act('run');
    expect([again.status, again.headers.get('retry-after')]).toEqual([429, '600']);
    expect(again.body).toContain('One test per 10 minutes: try again in 600 s');
    clock.value += 600_000;
    expect((await browser.get(OWN)).body).not.toContain('Available again');
  });

  it('shows first which steps gave no valid answer, with what came instead and where the bundle documents it', async () => {
    const silent: StepResult = {
      ...STEP,
      ...{ step_id: 'late', title: 'Deliver', task: 'get_media_buy_delivery', duration_ms: 104 },
      no_answer: { error_class: 'http_error', http_status: 500, content_type: 'text/html' },
      doc_ref: 'https://docs.example/delivery',
    };
    const { browser } = await signedIn({ ...SELLER, steps: [STEP, silent] });
    const { body } = await browser.get(OWN);
    const text = textOf(body);
    expect(text).toContain('No valid answer : HTTP 500 text/html after 0.1 s.');
    expect(text.indexOf('Deliver')).toBeLessThan(text.indexOf('task get_products'));
    expect(body).toContain('href="https://docs.example/delivery"');
  });

  it('says why a run judged nothing, what came instead of the declaration, and what the agent wrote', async () => {
    const words = `${HOSTILE} ${'x'.repeat(600)}`;
    const unread = { ...UNREAD.unread, words } as NonNullable<FinishedRun['unread']>;
    const { browser } = await signedIn(SELLER, { ...UNREAD, run_id: 'unread', unread });
    const { body } = await browser.get(`${OWN}/runs/unread`);
    const text = textOf(body);
    expect(text).toContain('completed the handshake, but its tools or capabilities could not be read');
    expect(text).toContain('tools/list gave no valid answer: HTTP 503 text/html .');
    expect(body).toContain('&lt;script&gt;');
    expect(body).not.toMatch(/<script(?! type="module" src="\/assets)|<img/);
    expect(body).not.toContain('x'.repeat(301));
    const own = textOf((await browser.get(OWN)).body);
    expect(own).toContain(
      'The latest test was inconclusive, since 2026-01-06 10:00 UTC : its tools or capabilities cannot be read.',
    );
    expect(own).toContain('tools or capabilities not readable');
  });

  it.each<readonly [string, FinishedRun['inconclusive'], readonly string[]]>([
    ['a credential', CLOSED.inconclusive, ['requires a credential', 'this registry cannot store any']],
    [
      'a signing key',
      { reason: 'auth_required', lacks: 'signing_key', detail: 'the agent requires signed requests' },
      [
        'requires signed requests',
        'REGISTRY_TEST_KEY',
        'ask the operator',
        'Your status and badges are unchanged',
      ],
    ],
    [
      'nothing of the agent',
      { reason: 'own_network', detail: 'away' },
      ['This is not a problem with your agent'],
    ],
  ])('says whose job it is when %s was missing', async (_what, inconclusive, parts) => {
    const kept = { ...CLOSED, run_id: 'closed', ...(inconclusive && { inconclusive }) };
    const { browser } = await signedIn(SELLER, kept);
    for (const path of [`${OWN}/runs/closed`, OWN]) {
      const text = textOf((await browser.get(path)).body);
      for (const part of parts) expect(text).toContain(part);
    }
    expect(textOf((await browser.get(`${OWN}/runs/closed`)).body)).not.toContain('No step failed');
    const own = textOf((await browser.get(OWN)).body);
    expect(own).toContain('Latest test with a result No step failed.');
  });

  it('names the step that blocked an inconclusive run instead of saying that no step failed', async () => {
    const blocked = (step_id: string) => ({
      ...{ storyboard_id: 'accounts', phase_id: 'open', step_id, title: step_id, task: 'sync_accounts' },
      ...({
        result: 'skipped',
        skip_reason: 'requirement_unmet',
        skip_detail: NO_CREDENTIAL.detail,
      } as const),
      ...{ coverage_gap: true, duration_ms: 0, checks: [] },
    });
    const steps = [blocked('first'), blocked('second')];
    const { browser } = await signedIn(SELLER, { ...CLOSED, run_id: 'closed', steps });
    for (const path of [`${OWN}/runs/closed`, OWN]) {
      const text = textOf((await browser.get(path)).body);
      expect(text).toContain('The test is inconclusive: credential missing.');
      expect(text).toContain('Blocked step: accounts/open/first , and 1 more.');
      expect(text.split('this registry cannot store any: ask its operator')).toHaveLength(2);
      expect(text).not.toMatch(/latest test No step failed/);
    }
  });

  it('shows a storyboard as incomplete if most of its steps were skipped, although it counts as passing', async () => {
    const { browser } = await signedIn({ ...MOSTLY_SKIPPED, run_id: 'mostly' });
    const text = textOf((await browser.get(`${OWN}/runs/mostly`)).body);
    expect(text).toContain('Storyboards passed: 2 of 2');
    expect(text).toMatch(/The buy incomplete 1 of 9 steps ran, counts as passing, 10 ms/);
    const path = `/runs/${encodeURIComponent(AGENT)}/mostly`;
    // the counts of steps are the owner's alone (specification, 2.6)
    expect(textOf((await browser.get(path)).body)).toMatch(/The buy media buy Passing/);
    const json = await browser.get(
      `/api/registry/agents/${encodeURIComponent(AGENT)}/compliance/runs/mostly`,
    );
    expect(JSON.parse(json.body).storyboards).toMatchObject([{ result: 'pass' }, { result: 'pass' }]);
  });

  it('counts the steps of an incomplete storyboard, and names the refusal that kept others from running', async () => {
    const blocked_by = {
      ...{ step: 'buy/setup/account', task: 'sync_accounts', code: 'ACCOUNT_NOT_FOUND' },
      ...{ message: HOSTILE, steps_skipped: 15 },
    };
    const { browser } = await signedIn({ ...INCOMPLETE, run_id: 'partly', blocked_by });
    const { body } = await browser.get(`${OWN}/runs/partly`);
    const text = textOf(body);
    expect(text).toContain('Storyboards passed: 1 of 2, 1 incomplete');
    expect(text).toMatch(/The buy incomplete 2 of 17 steps ran/);
    expect(text).toContain('refused sync_accounts with ACCOUNT_NOT_FOUND , so 15 later steps were skipped');
    expect(body).not.toMatch(/<script(?! type="module" src="\/assets)|<img/);
    expect(textOf((await browser.get(OWN)).body)).toContain('1 of 2, 1 incomplete');
  });

  it('is not for a key of another member, which is told whose page it is not', async () => {
    const { browser, signIn, stranger } = await signedIn();
    await signIn(stranger.authorization.slice('Bearer '.length));
    const { status, body } = await browser.get(OWN);
    expect(status).toBe(404);
    expect(body).toContain('is not an agent of the member <b><bdi>other</bdi></b>');
    const unknown = await browser.get('/my/agents/https%3A%2F%2Fnobody.example%2F');
    expect([unknown.status, unknown.body.includes('Not your agent')]).toEqual([404, true]);
    expect((await browser.get('/my')).body).toContain('No agents yet.');
  });

  it('names the scope that a key has not', async () => {
    const { browser, signIn, records } = await signedIn();
    const key = newApiKey();
    await records.keys.create({ ...key, member: 'nova', scopes: ['read'] }, PROBED_AT);
    await signIn(key.key);
    const { body } = await browser.get(OWN);
    const answer = await browser.submit(body, `${OWN}/settings`);
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('This operation requires the scope &quot;settings&quot;');
    expect(answer.body).toContain('href="/sign-in?why=other"');
    expect(await records.owners.settings(AGENT)).toMatchObject({ monitoringPaused: false });
  });

  it('says in the list of the owner, too, how the agent does, and in words what was changed', async () => {
    const registry = await signedIn(SELLER);
    const list = async () => (await registry.browser.get('/my')).body;
    expect(await list()).toMatch(/Passing.*(?:Next test: <time|No scheduled test)/s);
    await registry.act('settings', { monitoring_paused: 'true' });
    expect(await list()).toMatch(/Tests paused.*No scheduled test/s);
    const { body } = await registry.browser.get(OWN);
    expect(body).toContain('<bdi>after</bdi>: <bdi>monitoring paused yes');
    await optOut(registry);
    expect(await list()).toMatch(/Opted out/);
  });

  it('shows nothing of tests while the agent takes no part in them', async () => {
    const registry = await signedIn(SELLER);
    await optOut(registry);
    const { body } = await registry.browser.get(OWN);
    expect(body).toContain('Opt in to tests');
    expect(body).toContain('Opted out of tests.');
  });

  it('offers the first test without a wait, and the next one after ten minutes', async () => {
    const { browser, act, records, clock } = await signedIn();
    const before = (await browser.get(OWN)).body;
    expect(before).toContain('>Run first test</button>');
    const id = ((await act('run')).location ?? '').split('/').at(-1) as string;
    expect(await keepRun(records, PROBED_AT, { ...SELLER, run_id: id }, { agent: AGENT })).toBe('saved');
    clock.value += 60_000;
    const after = (await browser.get(OWN)).body;
    expect(after).toMatch(/>Run test<\/button>.*Available again <time/s);
    expect((await act('run')).status).toBe(429);
  });

  it('does not let a new owner wait for a test that was made for the one before', async () => {
    const { browser, act, records, clock } = await signedIn(SELLER);
    clock.value += 60_000;
    expect((await act('run')).status).toBe(429);
    const challenge = { agent: AGENT, member: 'nova', token: 'again', expiresAt: clock.value + 60_000 };
    await records.owners.challenge(challenge, clock.value);
    await records.owners.prove({ agent: AGENT, member: 'nova', token: 'again', via: 'dns' }, clock.value);
    expect((await browser.get(OWN)).body).toContain('>Run first test</button>');
    expect((await act('run')).status).toBe(303);
  });

  it('says whether the tier of the member grants badges, and what to do', async () => {
    const { browser, records } = await signedIn(SELLER);
    const may = textOf((await browser.get(OWN)).body);
    expect(may).toContain('Your organisation can earn badges (tier: Builder , subscription: active ).');
    const member = { slug: 'nova', displayName: 'nova', foundingMember: false, tier: 'explorer' };
    await records.members.import([member], PROBED_AT);
    for (const path of [OWN, '/my']) {
      const text = textOf((await browser.get(path)).body).replaceAll(/ (?=[.,])/g, '');
      expect(text).toContain(
        'Your organisation cannot earn badges yet. It has the tier Explorer and no subscription.',
      );
      expect(text).toContain(
        'Badges require the tier Professional, Builder, Partner or Leader, with a subscription that is active, past_due or trialing.',
      );
      expect(text).toContain('ask the operator of this registry to assign a tier to nova.');
    }
  });

  it('lists the badges of the agent with links to their page and embed code', async () => {
    const { browser } = await signedIn(SELLER);
    const page = `/badges/${encodeURIComponent(AGENT)}/media-buy`;
    const { body } = await browser.get(OWN);
    expect(body).toContain(`<a href="${page}"><bdi>media-buy</bdi> <bdi>3.0</bdi></a>`);
    expect(body).toContain(`<a href="${page}#embed">Embed this badge`);
  });

  it('shows the audit log page by page, newest first', async () => {
    const { browser, records } = await signedIn();
    for (let hours = 10; hours < 35; hours += 1) {
      const change = {
        agent: AGENT,
        change: { checkIntervalHours: hours },
        actor: { kind: 'operator' },
      } as const;
      await records.owners.changeSettings(change, PROBED_AT + hours);
    }
    const first = (await browser.get(OWN)).body;
    expect(first).toContain('after</bdi>: <bdi>check interval hours 34');
    expect(first).not.toContain('after</bdi>: <bdi>check interval hours 10');
    const [, older = ''] = /rel="next" href="([^"]*)#audit">Older entries/.exec(first) ?? [];
    expect((await browser.get(older)).body).toContain('after</bdi>: <bdi>check interval hours 10');
    expect((await browser.get(`${OWN}?audit=x`)).status).toBe(400);
  });

  it('says that no credential can be stored where the operator has no keys', async () => {
    const { browser } = await signedIn();
    expect((await browser.get(OWN)).body).toContain('This registry cannot store test credentials');
  });

  it('stores and forgets a credential, and shows it nowhere', async () => {
    const credentialKeys = join(tempFolder(), 'keys.json');
    await makeSealingKeys(credentialKeys, PROBED_AT);
    const credentialsOf = (records: SqliteRecords) =>
      composeCredentials({ credentialKeys }, records, { now: () => PROBED_AT });
    const { server, records, addOwner, addKey } = await openRegistry(
      [bareDocument(AGENT)],
      {},
      { credentialsOf },
    );
    await addOwner(AGENT, 'nova');
    const browser = await openBrowser(server);
    await browser.post('/sign-in', { key: (await addKey('nova')).key, next: OWN });
    const token = 'a-token-that-nobody-sees';
    const refused = await browser.submit((await browser.get(OWN)).body, `${OWN}/credential`, {
      token: 'short',
    });
    expect([refused.status, refused.body.includes('A token must have 8 to 4096 characters')]).toEqual([
      400,
      true,
    ]);
    const stored = await browser.submit(refused.body, `${OWN}/credential`, { token });
    expect(stored.location).toBe(`${OWN}?done=stored`);
    const page = await browser.get(`${OWN}?done=stored`);
    expect(page.body).toContain('Stored: a bearer token or API key, since');
    expect(page.body).not.toContain(token);
    const detail = 'the stored OAuth client got no token: HTTP 503';
    const refusedToken = { reason: 'auth_required', lacks: 'credential', detail } as const;
    const runs: readonly (readonly [number, Partial<FinishedRun>, string])[] = [
      [PROBED_AT - 60_000, CLOSED, 'This test ran before you stored the credential.'],
      [PROBED_AT, { ...CLOSED, inconclusive: refusedToken }, `could not be used: ${detail}`],
    ];
    for (const [at, run, text] of runs) {
      const kept = { ...run, run_id: `closed-${at}` };
      expect(await keepRun(records, at, kept, { agent: AGENT })).toBe('saved');
      const { body } = await browser.get(`${OWN}/runs/closed-${at}`);
      expect(textOf(body).replaceAll(/ (?=[.,])/g, '')).toContain(text);
      const shown = body + (await browser.get(OWN)).body;
      expect(shown).not.toContain('none were given');
      expect(shown).not.toContain(token);
    }
    expect((await browser.submit(page.body, `${OWN}/forget-credential`)).location).toBe(
      `${OWN}?done=forgotten`,
    );
    expect(await records.owners.credential(AGENT)).toBeUndefined();
    const kept = (await records.owners.auditLog({ subject: AGENT, limit: 20 })).flatMap(
      ({ details }) => details.kept ?? [],
    );
    expect(kept).toEqual([false, true]);
  });
});
