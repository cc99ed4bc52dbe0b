import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { openQueue, openRecords } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { tempFolder } from '../../cli/support/cli.ts';
import { freshDatabase } from '../support/engines.ts';
import { askForPassword, asOwner, endSessions, roleName, urlAs } from '../support/roles.ts';

let url: string;
let role: string;
let file: string;

beforeEach(async () => {
  url = await freshDatabase();
  role = roleName('rotated');
  file = join(tempFolder(), 'store');
  await asOwner(
    url,
    `CREATE ROLE ${role} LOGIN PASSWORD 'first'`,
    `GRANT ALL ON SCHEMA public TO ${role}`,
    `GRANT CREATE ON DATABASE ${new URL(url).pathname.slice(1)} TO ${role}`,
  );
  await askForPassword(url, role);
  onTestFinished(async () => void (await asOwner(url, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`)));
  writeFileSync(file, urlAs(url, role, 'first'));
});

const write = (password: string) => writeFileSync(file, `${urlAs(url, role, password)}\n`);
const rotate = (password: string) => asOwner(url, `ALTER ROLE ${role} PASSWORD '${password}'`);
/** As after a restart of the server, or when connections are old: each has to log in again. */
const cutOff = () => endSessions(url, role);
/** The longest cooldown of a server that denies access. */
const PATIENCE = { timeout: 50_000, interval: 200 };

async function open() {
  const config = readConfig({ REGISTRY_STORE_FILE: file, REGISTRY_STORE_CONNECTIONS: '2' });
  const { records } = await openRecords(config, { create: true, patienceMs: 0 });
  onTestFinished(() => records.close());
  const faults: unknown[] = [];
  const queue = await openQueue(config, { onFault: (error) => void faults.push(error) });
  onTestFinished(() => queue.close());
  return { records, queue };
}

it('a password that is changed in the file first and on the server then is no failure for anybody', async () => {
  const { records, queue } = await open();
  write('second');
  await rotate('second');
  await cutOff();
  // the pool learns of a cut connection by a statement, or a little earlier: that alone may be told
  await records.check().catch((error) => expect(error).toMatchObject({ code: 'store_unavailable' }));
  await queue.depth('crawl').catch((error) => expect(error).toMatchObject({ code: 'queue_unavailable' }));
  await records.check();
  await queue.depth('crawl');
});

it('a password that is changed on the server first is told by its own code until the file has it', async () => {
  const { records, queue } = await open();
  await rotate('second');
  const denied = (part: string) => ({ code: `${part}_denied`, hint: expect.stringContaining('_FILE') });
  const refused = async (asked: () => Promise<unknown>, code: object) => {
    await cutOff(); // a login that was under way is in no list of sessions, and holds
    await expect(asked()).rejects.toMatchObject(code);
  };
  await vi.waitFor(() => refused(() => records.check(), denied('store')), PATIENCE);
  await vi.waitFor(() => refused(() => queue.depth('crawl'), denied('queue')), PATIENCE);
  write('second');
  await vi.waitFor(() => records.check(), PATIENCE);
  await vi.waitFor(() => queue.depth('crawl'), PATIENCE);
});

it('a user who may not log in any more gives way to another one', async () => {
  const { records } = await open();
  const other = roleName('other');
  await asOwner(url, `CREATE ROLE ${other} LOGIN PASSWORD 'x'`, `GRANT ${role} TO ${other}`);
  onTestFinished(async () => void (await asOwner(url, `DROP OWNED BY ${other}`, `DROP ROLE ${other}`)));
  writeFileSync(file, urlAs(url, other, 'x'));
  await asOwner(url, `ALTER ROLE ${role} NOLOGIN`);
  await cutOff();
  await records.check().catch((error) => expect(error).toMatchObject({ code: 'store_unavailable' }));
  await records.check();
});
