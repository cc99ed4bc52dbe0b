import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/compose/clock.ts';
import { composeFetcher, createTxtResolver } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import { findProof, newChallenge } from '../../src/owners/proof.ts';
import { openNameServer, type Zone } from './support/name-server.ts';
import { FILE, openSite, type SiteAnswer } from './support/site.ts';

const AGENT = 'https://sales.nova.example/mcp';
const HOST = 'sales.nova.example';
const RECORD = '_agent-registry.nova.example';
const TOKEN = 'agent-registry-challenge=abc';

/** Looks for TOKEN on a site and in a zone that are really there, on loopback. */
async function look(answers: Record<string, SiteAnswer>, zone: Zone = {}, agent = AGENT) {
  const connectTo = [await openSite(HOST, answers)];
  const fetcher = composeFetcher(readConfig({}), { connectTo }, systemClock);
  onTestFinished(() => fetcher.close());
  return findProof(agent, TOKEN, { fetcher, txt: createTxtResolver(await openNameServer(zone)) });
}

describe('a proof of control', () => {
  it.each([
    ['alone', TOKEN],
    ['with a line end', `${TOKEN}\n`],
    ['among those of other agents', `agent-registry-challenge=other\r\n  ${TOKEN}  \r\n`],
  ])('is a file with the text %s', async (_how, body) => {
    expect(await look({ [FILE]: { body } })).toEqual({
      via: 'file',
      looked: [{ way: 'file', where: `https://${HOST}${FILE}`, seen: 'text found' }],
    });
  });

  it.each<[string, string[][]]>([
    ['alone', [[TOKEN]]],
    ['among others', [['v=spf1 -all'], [TOKEN]]],
    ['in pieces', [[TOKEN.slice(0, 9), TOKEN.slice(9)]]],
  ])('is a TXT record of the registrable domain with the text %s', async (_how, records) => {
    const found = await look({}, { [RECORD]: records });
    expect(found.via).toBe('dns');
    expect(found.looked).toMatchObject([{ seen: 'HTTP 404' }, { where: RECORD, seen: 'text found' }]);
  });

  const NO_PROOF: readonly [string, SiteAnswer, Zone, readonly [unknown, unknown]][] = [
    ['nothing anywhere', { status: 404 }, {}, ['HTTP 404', 'no such host name']],
    ['a name without records', { status: 500 }, { [RECORD]: [] }, ['HTTP 500', 'no such DNS record']],
    [
      'another text in both places',
      { body: `${TOKEN}d` },
      { [RECORD]: [[`x${TOKEN}`]] },
      ['other content, but not this text', 'other content, but not this text'],
    ],
    [
      'the text in the middle of a line',
      { body: `see ${TOKEN}` },
      {},
      [/other content/, /no such host name/],
    ],
    ['an empty file', { body: '' }, {}, ['nothing found', /no such host name/]],
    ['the text on an error page', { status: 404, body: TOKEN }, {}, ['HTTP 404', /no such host name/]],
    [
      'a redirect to a page that has it',
      { status: 302, headers: { location: '/there' } },
      {},
      [/^redirect: |HTTP 302/, /no such host name/],
    ],
    ['too much', { body: `${'x'.repeat(70_000)}\n${TOKEN}` }, {}, [/^too_large: /, /no such host name/]],
    [
      'bytes that are no text',
      { body: Buffer.from([0xff, 0, 0xfe]) },
      {},
      [/other content/, /no such host name/],
    ],
    [
      'the text under the domain itself',
      { status: 404 },
      { 'nova.example': [[TOKEN]] },
      ['HTTP 404', 'no such host name'],
    ],
  ];
  it.each(NO_PROOF)('is not %s', async (_what, answer, zone, seen) => {
    const found = await look({ [FILE]: answer, '/there': { body: TOKEN } }, zone);
    expect(found).not.toHaveProperty('via');
    for (const [at, { seen: text }] of found.looked.entries()) {
      const wanted = seen[at];
      expect(text).toEqual(wanted instanceof RegExp ? expect.stringMatching(wanted) : wanted);
    }
    expect(found.looked).toHaveLength(2);
  });

  it('of an agent at an address is a file, and that on a public address only', async () => {
    const found = await look({}, {}, 'http://10.0.0.7:8080/mcp');
    expect(found.looked).toEqual([
      {
        way: 'file',
        where: 'https://10.0.0.7/.well-known/agent-registry-challenge.txt',
        seen: expect.stringMatching(/^blocked: /),
      },
    ]);
  });

  it('is looked for on the standard port, whatever the port of the agent', async () => {
    const found = await look({ [FILE]: { body: TOKEN } }, {}, `http://${HOST}:8080/mcp`);
    expect(found.looked[0]?.where).toBe(`https://${HOST}${FILE}`);
  });
});

describe('the text of a challenge', () => {
  it('says for whom it is and of what, beside what nobody can guess', () => {
    const now = Date.UTC(2026, 0, 6);
    const texts = [1, 2].map(() => newChallenge(AGENT, 'nova', now).token);
    for (const text of texts)
      expect(text).toMatch(
        /^agent-registry-challenge=[\w-]{43} member=nova agent=https:\/\/sales\.nova\.example\/mcp$/,
      );
    expect(new Set(texts).size).toBe(2);
  });

  it('is found whole, on a line of a file and in pieces of a record', async () => {
    const { token } = newChallenge(AGENT, 'nova', 0);
    const fetcher = composeFetcher(readConfig({}), { connectTo: [await openSite(HOST, {})] }, systemClock);
    onTestFinished(() => fetcher.close());
    const lookIn = async (zone: Zone) =>
      findProof(AGENT, token, { fetcher, txt: createTxtResolver(await openNameServer(zone)) });
    expect((await lookIn({ [RECORD]: [[token.slice(0, 60), token.slice(60)]] })).via).toBe('dns');
    const [unnamed = ''] = token.split(' ');
    expect((await lookIn({ [RECORD]: [[unnamed]] })).via).toBeUndefined();
    const other = token.replace('member=nova', 'member=other');
    expect((await lookIn({ [RECORD]: [[other]] })).via).toBeUndefined();
  });
});
