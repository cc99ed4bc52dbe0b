import { describe, expect, it } from 'vitest';
import { NOBODY } from '../calling/support/serve.ts';
import { run, start } from './support/cli.ts';
import { BRIEF, BUY, call, fileOf, open, sampleShop } from './support/sample-shop.ts';

describe('a request', () => {
  it('is that of a file with the fields over it', async () => {
    const { shop, seen } = sampleShop();
    const file = fileOf({ brief: 'tea', brand: { domain: 'a.example', ext: 1 } });
    await call(0, await open(shop), 'get_products', '--json', file, ...BRIEF);
    expect(seen[0]?.input).toEqual({
      brief: 'coffee in Ghent',
      brand: { domain: 'acme.example', ext: 1 },
      buying_mode: 'brief',
    });
  });

  it('is read from stdin', async () => {
    const { shop, seen } = sampleShop();
    const input = '{"buying_mode": "brief", "brief": "tea"}';
    const ran = await start(['call', await open(shop), 'get_products', '--json', '-'], { input }).ended;
    expect(ran.code, ran.stderr).toBe(0);
    expect(seen[0]?.input).toEqual(JSON.parse(input));
  });

  it('that does not follow its schema is not sent', async () => {
    const { shop, seen } = sampleShop();
    const url = await open(shop);
    const ran = await run('call', url, 'create_media_buy', 'packages=[{"budget":-5}]');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/not sent.*\n {2}INVALID_REQUEST: is missing\n {2}at \/account\n/);
    expect(ran.stdout).toContain('/packages/0/product_id');
    expect(await call(1, url, 'create_media_buy')).toMatchObject({
      outcome: 'not_sent',
      error: { code: 'INVALID_REQUEST', recovery: 'correctable' },
    });
    expect(seen).toEqual([]);
  });

  it.each(['3.0.0-rc.1', '3.0-beta', 'v3-rc.2'])('of version %s is one of its line', async (label) => {
    const { shop, seen } = sampleShop();
    const $schema = `https://registry.example/schemas/${label}/media-buy/get_products-request.json`;
    const file = fileOf({ $schema, proto_version: label });
    await call(0, await open(shop), 'get_products', '--json', file, ...BRIEF);
    expect(seen[0]?.input).toMatchObject({ $schema });
  });

  it.each([
    ['proto_version', '3.1-beta'],
    ['adcp_version', '3.1.0-rc.1'],
    ['$schema', 'https://registry.example/schemas/3.1-beta/media-buy/get_products-request.json'],
  ])('whose %s is %s is not sent, and the supported versions are listed', async (member, value) => {
    const { shop, seen } = sampleShop();
    const url = await open(shop);
    const file = fileOf({ [member]: value });
    expect(await call(1, url, 'get_products', '--json', file, ...BRIEF)).toMatchObject({
      outcome: 'not_sent',
      error: {
        code: 'VERSION_UNSUPPORTED',
        pointer: `/${member}`,
        details: { supported_versions: ['3.0.0'] },
      },
    });
    const ran = await run('call', url, 'get_products', '--json', file, ...BRIEF);
    expect(ran.stdout).toContain('use one of 3.0.0');
    expect(seen).toEqual([]);
  });

  it('is sent as it is with --no-validate', async () => {
    const { shop, seen } = sampleShop();
    await call(1, await open(shop), 'create_media_buy', 'packages=none', '--no-validate');
    expect(seen[0]?.input).toEqual({ packages: 'none' });
  });

  it('that changes something gets a key, which is told', async () => {
    const { shop, seen } = sampleShop();
    const { idempotency_key: _key, ...keyless } = BUY;
    const ran = await run('call', await open(shop), 'create_media_buy', '--json', fileOf(keyless));
    const key = /idempotency_key=([0-9a-f-]{36})\n/.exec(ran.stderr)?.[1];
    expect(seen[0]?.input).toEqual({ ...keyless, idempotency_key: key });
  });

  it('keeps the key that it has', async () => {
    const { shop, seen } = sampleShop();
    const ran = await run('call', await open(shop), 'create_media_buy', '--json', fileOf(BUY));
    expect(ran.stderr).toBe('');
    expect(seen[0]?.input).toEqual(BUY);
  });

  it('may be for a task that the protocol does not have', async () => {
    const { shop } = sampleShop();
    const ran = await run('call', await open(shop), 'tell_the_tide', 'at:="3.0"');
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('is not a task of the protocol') });
    expect(ran.stdout).toContain('at: 3.0');
  });

  it('for the capabilities is made by the name that the agent has', async () => {
    const { shop, seen } = sampleShop();
    await call(1, await open(shop), 'get_proto_capabilities'); // its answer follows no schema
    expect(seen.map(({ task }) => task)).toEqual(['get_adcp_capabilities']);
  });

  it.each([
    [['nonsense'], "'nonsense' is not a field"],
    [['a.__proto__.b=1'], '__proto__ is not allowed as a field name'],
    [['a={"b":[{"__proto__":1}]}'], '__proto__ is not allowed as a field name'],
    [['--json', '/nowhere/at/all.json'], 'cannot read'],
    [['--auth-env', 'NOT_SET_ANYWHERE'], 'is not set'],
    [['--sign', './nowhere.json'], 'cannot be read'],
    [['--protocol', 'soap'], 'Allowed choices are mcp, a2a'],
  ])('that cannot be made is an error before anything is sent: %j', async (args, message) => {
    const { shop, seen } = sampleShop();
    const ran = await run('call', await open(shop), 'get_products', ...args);
    expect([1, 2]).toContain(ran.code);
    expect(ran.stderr).toContain(message);
    expect(seen).toEqual([]);
  });

  it('of a file that is no object is refused', async () => {
    const ran = await run('call', NOBODY, 'get_products', '--json', fileOf([1]));
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a JSON object') });
  });
});
