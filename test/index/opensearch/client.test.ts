import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RegistryError } from '../../../src/errors.ts';
import {
  createEngine,
  type Engine,
  type EngineOptions,
  type Work,
} from '../../../src/index/opensearch/client.ts';
import { NOBODY } from '../../calling/support/serve.ts';
import { TEST_CA, TEST_CERTIFICATE, TEST_KEY } from '../../crawl/fetch/certificates.ts';
import { type StubAnswer, type StubEngine, startStubEngine } from './stub-engine.ts';

const OK: StubAnswer = { status: 200, body: { fine: true } };
const FINE = { body: { fine: true } };
/** Any request. */
const request: Work<unknown> = (client, options) => client.cat.health({ format: 'json' }, options);

describe('the way to the engine', () => {
  const stubs: StubEngine[] = [];
  const engines: Engine[] = [];
  afterEach(async () => {
    await Promise.all(stubs.splice(0).map((stub) => stub.close()));
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });

  const stub = async (...answers: readonly StubAnswer[]) => {
    const started = await startStubEngine((_, number) => answers[number - 1] ?? OK);
    stubs.push(started);
    return started;
  };
  const open = (nodes: readonly URL[], options: Partial<EngineOptions> = {}) => {
    const engine = createEngine({ nodes, timeoutMs: 10_000, retries: 2, ...options });
    engines.push(engine);
    return engine;
  };

  it('returns the response', async () => {
    const { url } = await stub();
    expect(await open([url]).read(request)).toMatchObject(FINE);
  });

  it.each<[string, StubAnswer]>([
    ['is cut', 'cut'],
    ['is cut in the middle of an answer', 'cut after the head'],
    ['is answered with 429', { status: 429 }],
    ['is answered with 503', { status: 503, headers: { 'retry-after': '0' } }],
  ])('tries again when a read %s', async (_, answer) => {
    const { url, requests } = await stub(answer);
    expect(await open([url]).read(request)).toMatchObject(FINE);
    expect(requests).toHaveLength(2);
  });

  it.each([400, 404, 500])('does not try again after %d', async (status) => {
    const { url, requests } = await stub({
      status,
      body: { error: { type: 'some_exception', reason: 'so' } },
    });
    await expect(open([url]).read(request)).rejects.toMatchObject({
      status,
      type: 'some_exception',
      message: expect.stringContaining('some_exception: so'),
    });
    expect(requests).toHaveLength(1);
  });

  it.each<StubAnswer>(['hang', 'hang after the head'])(
    'gives up in time when the engine does: %s',
    async (answer) => {
      const { url } = await stub(answer);
      await expect(open([url], { timeoutMs: 100, retries: 0 }).read(request)).rejects.toMatchObject({
        code: 'index_unavailable',
        retryable: true,
        message: expect.stringContaining(url.origin),
      });
    },
  );

  it('does not wait for longer than its deadline, whatever Retry-After asks', async () => {
    const { url, requests } = await stub({ status: 429, headers: { 'retry-after': '3600' } });
    await expect(open([url]).read(request)).rejects.toMatchObject({ code: 'index_unavailable' });
    expect(requests).toHaveLength(1);
  });

  it('tries a change again, as one whose answer was lost is known by the next', async () => {
    const { url, requests } = await stub('cut', { status: 503 });
    const engine = open([url]);
    expect(await engine.change(request)).toMatchObject(FINE);
    expect(requests).toHaveLength(3);
  });

  it('repeats a request of a patient command', async () => {
    const { url, requests } = await stub(...Array<StubAnswer>(3).fill({ status: 503 }));
    const engine = open([url], { retries: 0, patienceMs: 60_000 });
    expect(await engine.read(request)).toMatchObject(FINE);
    expect(requests).toHaveLength(4);
  });

  it('says what it waits for, once, and gives up in the end', async () => {
    const { url } = await stub(...Array<StubAnswer>(50).fill({ status: 503 }));
    const warnings: string[] = [];
    const engine = open([url], { patienceMs: 6_000, onWarning: (message) => warnings.push(message) });
    await expect(engine.read(request)).rejects.toMatchObject({ code: 'index_unavailable' });
    expect(warnings).toEqual([
      expect.stringContaining(`${url.origin} does not answer: status 503; retrying`),
    ]);
  });

  it('reports a request that OpenSearch rejects, and does not repeat it', async () => {
    const error = { type: 'illegal_argument_exception', reason: 'cannot have nested fields when index sort' };
    const { url, requests } = await stub({ status: 400, body: { error } });
    await expect(open([url]).read(request)).rejects.toMatchObject({
      code: 'index_unavailable',
      message: `the index at ${url.origin} rejected the request: illegal_argument_exception: ${error.reason}`,
      retryable: false,
    });
    expect(requests).toHaveLength(1);
  });

  it('asks another node of the cluster when one hangs or is gone', async () => {
    const hanging = await stub('hang', 'hang', 'hang');
    const good = await stub();
    const engine = open([hanging.url, new URL(NOBODY), good.url], { timeoutMs: 6_000 });
    for (let read = 0; read < 5; read++) expect(await engine.read(request)).toMatchObject(FINE);
    expect(hanging.requests.length).toBeLessThan(5);
  });

  it('prints nothing when a connection breaks in the middle of an answer', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    const { url } = await stub('cut after the head', 'cut after the head', 'cut after the head');
    await expect(open([url]).read(request)).rejects.toMatchObject({ code: 'index_unavailable' });
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
  });

  it('trusts the authority that it is given, and no other', async () => {
    const secure = await startStubEngine(() => OK, { key: TEST_KEY, cert: TEST_CERTIFICATE });
    stubs.push(secure);
    expect(await open([secure.url], { ca: TEST_CA }).read(request)).toMatchObject(FINE);
    await expect(open([secure.url]).read(request)).rejects.toMatchObject({ code: 'index_unavailable' });
    expect(secure.requests).toHaveLength(1);
  });

  it('says who it is, with any characters in the password', async () => {
    const { url, requests } = await stub();
    url.username = 'reader';
    url.password = 'p@ss:w/örd';
    await open([url]).read(request);
    const sent = requests[0]?.headers.authorization?.replace('Basic ', '') ?? '';
    expect(Buffer.from(sent, 'base64').toString()).toBe('reader:p@ss:w/örd');
  });

  it.each<[string, StubAnswer]>([
    ['refuses them', { status: 401, body: { error: { type: 'security_exception', reason: 'no' } } }],
    ['hangs', 'hang'],
    ['breaks', 'cut'],
    ['has a fault', { status: 500 }],
  ])('never shows credentials, also when the engine %s', async (_, answer) => {
    const { url } = await stub(answer);
    url.username = 'reader';
    url.password = 'very-secret';
    const engine = open([url], { timeoutMs: 200, retries: 0 });
    const error = await engine.read(request).catch((thrown: unknown) => thrown);
    const shown = inspect(error, { depth: 12, showHidden: true }) + engine.place + JSON.stringify(error);
    expect(error).toBeInstanceOf(RegistryError);
    expect(shown).not.toContain('very-secret');
    expect(shown).not.toContain(Buffer.from('reader:very-secret').toString('base64'));
  });

  it('says that a user or a password is wrong, which no retry mends', async () => {
    const { url } = await stub({ status: 401 });
    await expect(open([url]).read(request)).rejects.toMatchObject({
      code: 'index_denied',
      retryable: false,
      hint: expect.stringContaining('password'),
    });
  });

  describe('that refuses a user or a password', () => {
    const refused: StubAnswer = { status: 401 };
    const withPassword = (url: URL, password: string) => {
      const changed = new URL(url);
      [changed.username, changed.password] = ['registry', password];
      return changed;
    };
    const passwordsIn = (requests: StubEngine['requests']) =>
      requests.map(({ headers }) =>
        Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64')
          .toString()
          .replace('registry:', ''),
      );

    it('is asked again at once with those that are in the file by then, and nobody sees a failure', async () => {
      const { url, requests } = await stub(OK, refused);
      let password = 'old';
      const readNodes = () => [withPassword(url, password)];
      const engine = open(readNodes(), { readNodes });
      await engine.read(request);
      password = 'new';
      expect(await engine.read(request)).toMatchObject(FINE);
      await engine.read(request);
      expect(passwordsIn(requests)).toEqual(['old', 'old', 'new', 'new']);
    });

    it('is not called during the cooldown if they are still the same', async () => {
      const { url, requests } = await stub(refused, OK);
      const engine = open([url], { readNodes: () => [url] });
      for (let asked = 0; asked < 20; asked += 1)
        await expect(engine.read(request)).rejects.toMatchObject({ code: 'index_denied' });
      expect(requests).toHaveLength(1);
    });

    it('is asked on for what a user may do who may not do all', async () => {
      const { url, requests } = await stub({ status: 403 }, OK);
      const engine = open([url], { readNodes: () => [url] });
      await expect(engine.read(request)).rejects.toMatchObject({ code: 'index_denied' });
      expect(await engine.read(request)).toMatchObject(FINE);
      expect(requests).toHaveLength(2);
    });
  });
});
