import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openPgBossQueue } from '../../../src/adapters/queue/pg-boss-queue.ts';
import { MAX_AGENT_URL } from '../../../src/domain/agent-url.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { ADAGENTS, BRAND } from '../../scenarios/support/web.ts';
import { openWorld } from '../../scenarios/support/world.ts';
import { ask } from '../migrate/support.ts';
import { freshDatabase, freshIndexPrefix, openSearchUrl } from '../support/engines.ts';

/** Of one row in a B-tree (https://www.postgresql.org/docs/current/btree.html), bytes. */
const LONGEST_ROW = 2_704;
/** Of the row itself, and of each value in it with its alignment. */
const ROW_HEADER = 8;
const VALUE_HEADER = 8;

/** RFC 1035; a host name in a URL may end with a dot. */
const DOMAIN = 254;
const WORD = 32;
const SHA256 = 64;
/** Of a run that was recorded elsewhere (schemas/registry/run-import.json). */
const RUN_ID = 64;
/** 100 UTF-16 units, of which none takes more than three bytes. */
const LABEL = 300;
const SLUG = 63;
/** Of a property's name: 400 UTF-16 units, each three bytes at most (property-rows.ts). */
const PROPERTY_NAME = 1_200;
/** 48 UTF-16 units, each three bytes at most (src/domain/text.ts). */
const BRAND_WORD = 144;
/** Two places in lists of a file, with the names of the lists. */
const ENTRY = '/authorized_agents/'.length * 2 + 2 * 20;
/** Of a bundle: three numbers of nine digits, and five parts of a pre-release (src/protocol/versions.ts). */
const VERSION = '999999999.'.length * 3 + 5 * 65;
/** A host name, two numbers of 64 bits, 12 hexadecimal digits (src/this-process.ts). */
const HOLDER = DOMAIN + '/18446744073709551615'.length * 2 + '/'.length + 12;

/** What a text that is indexed can take at most, bytes; a new index has to say it here. */
const LONGEST: Readonly<Record<string, number>> = {
  agent: MAX_AGENT_URL,
  subject: MAX_AGENT_URL, // an agent, a key or a member
  key: MAX_AGENT_URL,
  origin: 'https://'.length + DOMAIN + ':65535'.length,
  tag: LABEL,
  ...each(DOMAIN, 'publisher', 'declarer', 'domain', 'registrable_domain', 'house', 'operator'),
  ...each(WORD, 'kind', 'visit', 'file', 'reason', 'property_type', 'scope'),
  name: PROPERTY_NAME,
  word: BRAND_WORD,
  entry: ENTRY,
  nonce: 'sha256 '.length + SHA256,
  ...each(WORD, 'role', 'protocol_line'), // of our own lists and bundles
  ...each(SHA256, 'hash', 'fingerprint', 'caller'),
  ...each(RUN_ID, 'id', 'run'),
  ...each(SLUG, 'slug', 'member', 'used_by'),
  ...each('ark_'.length + 16, 'made_by', 'renewed_by'),
  lease_holder: HOLDER,
  version: VERSION,
};

function each(bytes: number, ...names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, bytes]));
}

/** Characters that no compression makes shorter. */
function noise(length: number, seed: string): string {
  let text = '';
  while (text.length < length) text += hash('sha512', `${seed}${text.length}`, 'base64url');
  return text.slice(0, length);
}

const hex = (length: number) => Buffer.from(noise(length, 'host')).toString('hex').slice(0, length);

function longUrl(host: string, seed: string): string {
  const start = `https://${host}/`;
  return start + noise(MAX_AGENT_URL - start.length, seed);
}

/** 100 ideographs, all of them different. */
function longLabel(start: number): string {
  return String.fromCodePoint(...Array.from({ length: 100 }, (_, at) => start + ((at * 37) % 5_000)));
}

/** 253 characters: four labels, the first two of them full. */
const LONG_DOMAIN = `${'p'.repeat(63)}.${'q'.repeat(63)}.${'r'.repeat(63)}.${'s'.repeat(53)}.example`;

describe('an index row in PostgreSQL', () => {
  it('has room for the longest values that the readers let in, in every index', async () => {
    const url = await freshDatabase();
    await (await openPostgresRecords({ url })).close();
    const columns = await ask(
      url,
      `SELECT i.indexrelid::regclass::text AS index, a.attname AS name, format_type(a.atttypid, NULL) AS type
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_attribute a ON a.attrelid = i.indexrelid
       WHERE c.relnamespace = 'public'::regnamespace ORDER BY 1, a.attnum`,
    );
    const rows = new Map<string, number>();
    for (const { index, name, type } of columns as Record<string, string>[]) {
      const bytes = type === 'text' ? LONGEST[name ?? ''] : 8;
      expect(bytes, `how long can ${name} in ${index} be?`).toBeDefined();
      rows.set(index ?? '', (rows.get(index ?? '') ?? ROW_HEADER) + VALUE_HEADER + (bytes ?? 0));
    }
    expect(rows.size).toBeGreaterThan(40);
    expect([...rows].filter(([, bytes]) => bytes > LONGEST_ROW)).toEqual([]);
  });

  it('takes whatever a hostile site can have us store', async () => {
    const agents = [0, 1].map((n) => longUrl('agents.example', `agent ${n}`));
    const tags = [longLabel(0x4e00), longLabel(0x6e00)];
    const property = {
      property_id: noise(2_000, 'id'),
      property_type: noise(3_000, 'type'),
      name: noise(5_000, 'name'),
      identifiers: [{ type: noise(3_000, 'kind'), value: noise(3_000, 'value') }],
      tags: [...tags, noise(4_000, 'tag')],
    };
    const endless = `https://${hex(3_000)}.example${ADAGENTS}`;
    const world = await openWorld(
      {
        [LONG_DOMAIN]: {
          '/robots.txt': { status: 302, headers: { location: endless } },
          [ADAGENTS]: {
            properties: [property],
            authorized_agents: agents.map((address) => ({
              url: address,
              authorized_for: noise(3_000, 'for'),
              authorization_type: 'property_tags',
              property_tags: tags,
            })),
          },
          [BRAND]: {
            house: { domain: LONG_DOMAIN, name: noise(3_000, 'house') },
            brands: [{ id: noise(3_000, 'brand'), names: [{ en: noise(3_000, 'name') }] }],
            agents: agents.map((address) => ({
              type: noise(3_000, 'type'),
              url: address,
              id: noise(3_000, 'id'),
            })),
          },
        },
        'moved.example': { [ADAGENTS]: { status: 302, headers: { location: endless } } },
        'points.example': { [ADAGENTS]: { authoritative_location: endless } },
      },
      {
        store: await freshDatabase(),
        index: openSearchUrl(),
        indexPrefix: `${freshIndexPrefix()}agents`,
        indexTimeoutMs: 15_000,
      },
    );
    await world.crawl([LONG_DOMAIN, 'moved.example', 'points.example']);
    await world.derive();
    expect(await world.authorised(LONG_DOMAIN)).toEqual(agents.toSorted());
    expect(await world.listed()).toEqual(agents.toSorted());
    const { properties } = (await world.document(agents[0] ?? '')) ?? {};
    expect(properties?.property_summary?.tags).toEqual(tags);
  });

  it('takes the longest agent as a job', async () => {
    const queue = await openPgBossQueue({
      address: await freshDatabase(),
      aliveSeconds: 60,
      superviseSeconds: 60,
      cron: false,
      onFault: (error) => expect.unreachable(String(error)),
    });
    const key = longUrl('agents.example', 'job');
    await queue.add('probe', [{ key, traceId: '0'.repeat(32) }]);
    expect(await queue.take('probe', 1)).toMatchObject([{ key }]);
    await queue.close();
  });
});
