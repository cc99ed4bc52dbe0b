import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '../engines/start/processes.ts';
import { askForPassword, asOwner, roleName, urlAs } from '../engines/support/roles.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { openQueueCrawl, outcomeOf, startQueueWeb, stopAll } from './support/queue-crawl.ts';
import { startRegistrations } from './support/registrations.ts';
import { type Environment, runCommand, startCommand } from './support/registry.ts';

const ROTATIONS = 10;
const LEAST_ROTATIONS = 2;
const PAUSE_MS = 1_000;
/** So long the file is behind the server, when an operator takes the wrong one first. */
const GAP_MS = 1_500;
const PATIENCE_MS = 60_000;
const CRAWL_MS = 300_000;

export default {
  name: 'password-rotated',
  sentence:
    'the file first: nobody notices; the server first: told by name, and work goes on by itself; nothing lost',
  run: rotateUnderWork,
} satisfies Fault;

/** All processes use the runtime role, whose password is in a file. */
async function rotateUnderWork(context: FaultContext) {
  const checks = new Checks();
  const { engines, folder, log, random } = context;
  const postgres = await engines.postgres();
  const owner = await postgres.createDatabase();
  const role = roleName('rotated');
  const file = join(folder, 'store');
  const write = (password: string) => {
    writeFileSync(`${file}.new`, `${urlAs(owner, role, password)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  const alter = (password: string) => asOwner(owner, `ALTER ROLE ${role} PASSWORD '${password}'`);
  await asOwner(owner, `CREATE ROLE ${role} LOGIN PASSWORD 'p0'`);
  await askForPassword(owner, role);
  write('p0');
  const granted = await runCommand(['schema', '--runtime-role', role], { REGISTRY_STORE: owner });
  checks.that('the runtime role is made', granted.code === 0, granted.stderr);

  const web = await startQueueWeb(context.scale);
  try {
    const crawl = await openQueueCrawl({ store: owner, openSearch: (await engines.openSearch()).url, web });
    const { REGISTRY_STORE: _, ...settings } = crawl.env;
    const env: Environment = { ...settings, REGISTRY_STORE_FILE: file };
    const registrations = await startRegistrations(env, folder);
    const commands = [
      startCommand(['schedule'], env),
      startCommand(['work', ...web.flags], env),
      startCommand(['work', ...web.flags], env),
      startCommand(['serve', '--port', '0'], env),
    ];
    const rotations = Math.max(LEAST_ROTATIONS, scaled(ROTATIONS, context.scale));
    for (let rotation = 1; rotation <= rotations; rotation += 1) {
      const before = web.count();
      await waitUntil(() => web.count() > before + 10, PATIENCE_MS);
      await pause(random.int(PAUSE_MS));
      const password = `p${rotation}`;
      const isFileFirst = rotation % 2 === 1;
      const refusals = denials(commands);
      if (isFileFirst) write(password);
      await alter(password);
      await cutOff(owner, role);
      if (!isFileFirst) {
        await pause(GAP_MS);
        write(password);
      }
      log(
        `rotation ${rotation}, the ${isFileFirst ? 'file' : 'server'} first: ${JSON.stringify(await crawl.left())}`,
      );
      if (!isFileFirst) continue;
      await pause(GAP_MS); // for whoever would be refused
      checks.that('the file first: nobody is refused', denials(commands) === refusals, said(commands));
    }
    await registrations.stop();
    const isDone = async () => {
      const { unvisited, dirty } = await crawl.left();
      return unvisited + dirty === 0;
    };
    checks.that('the crawl comes to its end', await waitUntil(isDone, CRAWL_MS), await crawl.left());
    checks.that('the server first: it is told by name', denials(commands) > 0, said(commands));
    const misnamed = commands.filter((command) => /store_unwritable|no space/.test(command.stderr()));
    checks.that('nobody takes it for a full disk', misnamed.length === 0, said(misnamed));
    await stopAll(commands, checks);
    await registrations.check(crawl.store, checks);
    await outcomeOf(crawl, web, checks);
    return checks.result(
      `${rotations} rotations, half of them with the server first, during a crawl by 2 workers`,
    );
  } finally {
    await web.close();
    await asOwner(owner, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`);
  }
}

type Commands = readonly ReturnType<typeof startCommand>[];

const denials = (commands: Commands) =>
  commands.reduce((sum, command) => sum + (command.stderr().match(/_denied/g)?.length ?? 0), 0);

const said = (commands: Commands) => commands.map((command) => command.stderr().slice(-700)).join('\n');

/** Every process has to log in again. */
async function cutOff(owner: string, role: string): Promise<void> {
  await asOwner(owner, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);
}
