import { expect, it } from 'vitest';
import { openBrowser } from './support/browser.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { AGENT, optOut, SELLER, tested } from './support/tested-agent.ts';

const PATH = `/api/registry/agents/${encodeURIComponent(AGENT)}/statement`;
const DESCRIBED = '/api/registry/agents/{encodedUrl}/statement';
const OWN = `/my/agents/${encodeURIComponent(AGENT)}`;
const HOSTILE = `"'></blockquote><script>alert(1)</script>`;

/** An agent of nova with a run; `ask` holds each answer against the document. */
async function stated() {
  const registry = await tested(SELLER);
  const document = (await registry.get('/openapi.json')).json() as OpenApi;
  const ask = async (method: 'GET' | 'PUT' | 'DELETE', headers: Record<string, string>, payload?: object) => {
    const answer = await registry.server.inject({
      ...{ method, url: PATH, headers, ...(payload && { payload }) },
    });
    const verb = method.toLowerCase() as Parameters<typeof breaches>[3];
    expect(breaches(document, DESCRIBED, answer, verb)).toEqual([]);
    return answer;
  };
  const page = async (path: string) => (await registry.get(path, { accept: 'text/html' })).body;
  return { ...registry, ask, page };
}

it('is said, shown to everybody as the owner’s words, and taken back', async () => {
  const { ask, page, owner, records } = await stated();
  expect((await ask('GET', {})).json()).toEqual({ agent_url: AGENT, statement: null });
  const said = await ask('PUT', owner, { text: `  ${HOSTILE}\n\u0000two ` });
  expect(said.json().statement.text).toBe(`${HOSTILE} two`);
  expect((await ask('GET', {})).json()).toEqual(said.json());
  const run = (await records.compliance.state(AGENT))?.standing.latest;
  const agent = encodeURIComponent(AGENT);
  for (const path of [`/agents/${agent}`, `/runs/${agent}/${run?.runId}`]) {
    const body = await page(path);
    expect(body).toContain('The owner disputes this result');
    expect(body).toContain('&lt;script&gt;alert(1)');
    expect(body).not.toContain('<script>alert');
  }
  await optOut({ records });
  expect((await ask('GET', {})).json().statement).toBeNull();
  expect(await page(`/agents/${agent}`)).not.toContain('The owner disputes this result');
  expect((await ask('PUT', owner, { text: 'more' })).json().code).toBe('opted_out');
  expect((await ask('DELETE', owner)).json().statement).toBeNull();
});

it.each([
  [{ text: '' }, 400],
  [{ text: ' \u0000 ' }, 400],
  [{ text: 'x'.repeat(1_001) }, 400],
  [{ text: 'x', more: 1 }, 400],
  [{ text: '\u{1f600}'.repeat(1_000) }, 200],
])('takes one to a thousand characters and nothing else: %#', async (payload, status) => {
  const { ask, owner } = await stated();
  expect((await ask('PUT', owner, payload)).statusCode).toBe(status);
});

it('is of the owner alone', async () => {
  const { ask, stranger } = await stated();
  for (const headers of [stranger, {}]) {
    expect((await ask('PUT', headers, { text: 'not mine' })).statusCode).toBe(404);
    expect((await ask('DELETE', headers)).statusCode).toBe(404);
  }
});

it('is said and taken back by the forms of the owner’s page', async () => {
  const { ask, server, owner } = await stated();
  const browser = await openBrowser(server);
  await browser.post('/sign-in', { key: owner.authorization.slice('Bearer '.length), next: OWN });
  const act = async (name: string, fields: Record<string, string> = {}) =>
    browser.submit((await browser.get(OWN)).body, `${OWN}/${name}`, fields);
  expect((await act('statement', { text: HOSTILE })).location).toBe(`${OWN}?done=said`);
  expect((await ask('GET', {})).json().statement.text).toBe(HOSTILE);
  expect((await act('take-back-statement')).location).toBe(`${OWN}?done=unsaid`);
  expect((await ask('GET', {})).json().statement).toBeNull();
});
