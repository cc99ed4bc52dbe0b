import { describe, expect, it } from 'vitest';
import { LargeFiles } from '../../src/discovery/large-files.ts';
import { createSharedFiles, readBytes } from '../../src/discovery/shared-files.ts';

const BOUNDS = { maxAgents: 500, maxDomains: 10 };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const file = (agents: number, blanks = 0): Uint8Array => {
  const entries = Array.from({ length: agents }, (_, at) => ({
    url: `https://agent-${at}.example/mcp`,
    authorized_for: 'all of it',
    authorization_type: 'signal_ids',
    signal_ids: ['one'],
  }));
  return bytesOf(JSON.stringify({ authorized_agents: entries, last_updated: 5 }) + ' '.repeat(blanks));
};
const reading = (owner: string, body: Uint8Array) =>
  ({ kind: 'adagents', bounds: BOUNDS, owner: () => owner, body }) as const;

describe('a large file', () => {
  it('says beside the loop what it says on it, with its findings and their places', async () => {
    const body = file(3, 300_000);
    const beside = createSharedFiles(() => 0).read(reading('news.example', body));
    expect(beside).toBeInstanceOf(Promise);
    const read = await beside;
    expect(read).toEqual(readBytes('adagents', body, BOUNDS));
    expect(read.declaration).toMatchObject({ kind: 'adagents', entries: [{}, {}, {}] });
    expect(read.findings[0]).toMatchObject({ code: 'wrong_type', line: 1 });
    expect(body.length).toBeGreaterThan(300_000); // it is still here, for those who keep it
  });

  it('that nobody else reads gives its memory back when its text is there', () => {
    const [kept, own] = [file(3), new Uint8Array(file(3))];
    const read = readBytes('adagents', own, { ...BOUNDS, isOwn: true });
    expect([read, own.length]).toEqual([readBytes('adagents', kept, BOUNDS), 0]);
    expect(kept.length).toBeGreaterThan(0);
  });

  it.each([
    ['time', { ms: 1, heapMiB: 96 }, 'more than 0.001 s or 96 MiB'],
    ['memory', { ms: 60_000, heapMiB: 32 }, 'more than 60 s or 32 MiB'],
  ])(
    'that takes too much %s is given up with a finding, and the next one is read',
    async (_of, ceiling, said) => {
      const files = new LargeFiles(ceiling);
      const costly = bytesOf(`{"agents": [${'{"u": ["a text"]},'.repeat(320_000)} 0]}`);
      const { declaration, findings } = await files.read(reading('costly.example', costly));
      expect(declaration).toBeUndefined();
      expect(findings).toMatchObject([{ code: 'too_costly', severity: 'error' }]);
      expect(findings[0]?.message).toContain(said);
      const next = await new LargeFiles().read(reading('news.example', file(1)));
      expect(next.declaration).toBeDefined();
    },
  );

  it('waits behind no more than one of an owner with many, and the small ones come first', async () => {
    const files = new LargeFiles();
    const order: string[] = [];
    const read = (owner: string, name: string, agents: number) =>
      files.read(reading(owner, file(agents))).then(() => order.push(name));
    await Promise.all([
      ...[1, 2, 3].map((at) => read('hostile.example', `hostile ${at}`, 100)),
      read('manager.example', 'large', 90),
      read('news.example', 'small', 1),
    ]);
    expect(order).toEqual(['hostile 1', 'small', 'large', 'hostile 2', 'hostile 3']);
  });
});
