import { describe, expect, it } from 'vitest';
import { decideChange } from '../../src/compliance/decide.ts';
import { readBadgeRevocations } from '../../src/signing/badge-revocations.ts';
import { readBadge } from '../../src/signing/badge-token.ts';
import { fixedKeys, readJwkSet } from '../../src/signing/key-source.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';
import { AGENT, optOut, SELLER, tested } from './support/tested-agent.ts';

const LIST = '/.well-known/badge-revocations.json';
const TOKEN = `/api/registry/agents/${encodeURIComponent(AGENT)}/badge/media-buy/token`;
const MINUTE = 60_000;

describe('GET /.well-known/badge-revocations.json', () => {
  it('takes a token back as soon as its badge is revoked', async () => {
    const { get, records, clock } = await tested(SELLER);
    const { body: token } = await get(TOKEN);
    const set = (await get('/.well-known/jwks.json')).json();
    expect(set.revocations).toBe('badge-revocations.json');
    const verdict = async () =>
      readBadge(token, {
        ...{ keys: fixedKeys(readJwkSet(JSON.stringify(set))), now: clock.value / 1_000 },
        ...{ issuer: `urn:uuid:${await records.id()}`, agent: AGENT },
        revocations: readBadgeRevocations((await get(LIST)).body),
      });
    expect(await verdict()).toMatchObject({ valid: true });
    clock.value = PROBED_AT + MINUTE;
    await optOut({ records });
    await records.compliance.reconsider(AGENT, decideChange({ now: clock.value }), clock.value);
    expect(await verdict()).toMatchObject({ valid: false, code: 'badge_revoked' });
    clock.value = PROBED_AT + 3 * 86_400_000;
    expect((await get(LIST)).json().revoked_badges).toEqual([]);
  });

  it('is the same for everybody, may be kept for five minutes, and names keys that were taken back', async () => {
    const { derivedKeys } = await import('../../src/signing/badge-keys.ts');
    const badgeKeys = { ...(await derivedKeys(new Uint8Array(32).fill(3), 'badge')), revoked: ['leaked'] };
    const { get } = await openRegistry([], { badgeKeys, baseUrl: 'https://registry.example' });
    const { headers, body, statusCode } = await get(LIST);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      ...[200, 'application/json', 'public, max-age=300'],
    ]);
    expect(JSON.parse(body)).toEqual({
      issuer: 'https://registry.example',
      issued_at: new Date(PROBED_AT).toISOString(),
      expires_at: new Date(PROBED_AT + 60 * MINUTE).toISOString(),
      revoked_keys: [{ kid: 'leaked', status: 'revoked' }],
      revoked_badges: [],
    });
    expect((await get(LIST, { 'if-none-match': String(headers.etag) })).statusCode).toBe(304);
    expect((await get(`${LIST}?kid=a`)).statusCode).toBe(400);
  });
});
