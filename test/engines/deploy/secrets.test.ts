import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../../src/config.ts';
import { ROOT } from '../../deploy/support/compose-file.ts';
import { findJava } from '../start/java.ts';

const user = String(process.getuid?.() ?? 0);

/** Keytool is started a dozen times for a moment: half of what that costs is a compiler and threads that it never needs. */
const SHORT_LIVED = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

const HASHER = `printf '%s\\n' 'a warning' '$2y$12$of-'"$PASSWORD"\n`;

/** The place of the password hasher in the OpenSearch image; this one shows what it was given. */
function imageHome(hasher = HASHER): string {
  const home = folder();
  const tools = join(home, 'plugins/opensearch-security/tools');
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, 'hash.sh'), hasher);
  return home;
}

const folders: string[] = [];
afterAll(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'registry-secrets-'));
  folders.push(made);
  return made;
}

async function makeSecrets(secrets: string, home = imageHome()): Promise<void> {
  const owners = { OPENSEARCH_UID: user, REGISTRY_UID: user, POSTGRES_UID: user };
  const env = { PATH: process.env.PATH ?? '', SECRETS: secrets, OPENSEARCH_HOME: home };
  await promisify(execFile)('bash', [join(ROOT, 'deploy/compose/make-secrets.sh')], {
    env: { ...env, ...owners, JAVA_HOME: findJava(), JAVA_TOOL_OPTIONS: SHORT_LIVED },
  });
}

function filesIn(secrets: string): Record<string, string> {
  const paths = readdirSync(secrets, { recursive: true, encoding: 'utf8' });
  const files = paths.filter((path) => statSync(join(secrets, path)).isFile()).toSorted();
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(secrets, path), 'base64')]));
}

/** Whether a client that trusts only this authority accepts the node's certificate under a name. */
async function isTrusted(secrets: string, name: string, ca: Buffer): Promise<boolean> {
  const pfx = readFileSync(join(secrets, 'opensearch/node.p12'));
  const server = createServer({ pfx, passphrase: 'changeit' }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername: name, ca }, () => {
      socket.end();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

describe('the secrets of the compose file', () => {
  // two stacks: keytool is slow
  const [one, other] = [folder(), folder()];
  beforeAll(async () => {
    await makeSecrets(one);
    await makeSecrets(other);
  });

  it('are made once, one folder for each reader, and only their owner may read them', async () => {
    const first = filesIn(one);
    expect(Object.keys(first)).toEqual([
      'opensearch/admin-password',
      'opensearch/ca.pem',
      'opensearch/health.curl',
      'opensearch/internal_users.yml',
      'opensearch/node.p12',
      'opensearch/registry-password',
      'opensearch/trust.p12',
      'owner/store',
      'postgres/password',
      'postgres/runtime-password',
      'registry/ca.pem',
      'registry/index',
      'registry/store',
    ]);
    for (const path of Object.keys(first)) expect(statSync(join(one, path)).mode & 0o777, path).toBe(0o400);
    await makeSecrets(one);
    expect(filesIn(one)).toEqual(first);
  });

  it('are addresses that the program accepts, with passwords that are nobody else’s', () => {
    const read = (secrets: string) =>
      readConfig({
        REGISTRY_STORE_FILE: join(secrets, 'registry/store'),
        REGISTRY_INDEX_FILE: join(secrets, 'registry/index'),
        REGISTRY_INDEX_CA: join(secrets, 'registry/ca.pem'),
      });
    const [store, index] = [new URL(read(one).store), new URL(read(one).index)];
    expect([store.hostname, store.port, store.username]).toEqual(['postgres', '5432', 'registry_runtime']);
    expect([index.protocol, index.host, index.username]).toEqual(['https:', 'opensearch:9200', 'registry']);
    const addresses = [store, index, new URL(read(other).store), new URL(read(other).index)];
    expect(new Set(addresses.map(({ password }) => password)).size).toBe(4);
    for (const { password } of addresses) expect(password).toMatch(/^[0-9a-f]{48}$/);
    const passwordOf = (name: string) => readFileSync(join(one, 'postgres', name), 'utf8');
    expect(store.password).toBe(passwordOf('runtime-password'));
    const owner = new URL(readConfig({ REGISTRY_STORE_FILE: join(one, 'owner/store') }).store);
    expect([owner.username, owner.password]).toEqual(['registry', passwordOf('password')]);
    expect(owner.password).not.toBe(store.password);
  });

  it('hold the users of OpenSearch with the hashes of those passwords', () => {
    const password = (name: string) => readFileSync(join(one, `opensearch/${name}-password`), 'utf8');
    expect(parse(readFileSync(join(one, 'opensearch/internal_users.yml'), 'utf8'))).toMatchObject({
      admin: { hash: `$2y$12$of-${password('admin')}`, backend_roles: ['admin'] },
      registry: { hash: `$2y$12$of-${password('registry')}` },
    });
  });

  it('hold a certificate that is good for the names of the service, and for nobody else’s authority', async () => {
    const [ca, otherCa] = [one, other].map((made) => readFileSync(join(made, 'registry/ca.pem')));
    if (ca === undefined || otherCa === undefined) throw new Error('no authority');
    expect(await isTrusted(one, 'opensearch', ca)).toBe(true);
    expect(await isTrusted(one, 'localhost', ca)).toBe(true);
    expect(await isTrusted(one, 'elsewhere.example', ca)).toBe(false);
    expect(await isTrusted(one, 'opensearch', otherCa)).toBe(false);
  });

  it('are not there by halves when the hasher fails, and the next start makes the rest', async () => {
    const secrets = folder();
    cpSync(other, secrets, { recursive: true });
    rmSync(join(secrets, 'opensearch/internal_users.yml'));
    rmSync(join(secrets, 'registry/index'));
    await expect(makeSecrets(secrets, imageHome('echo no java here; exit 1\n'))).rejects.toThrow(
      'make-secrets',
    );
    expect(Object.keys(filesIn(secrets))).toEqual(
      Object.keys(filesIn(other)).filter((path) => !/internal_users|registry\/index/.test(path)),
    );
    await makeSecrets(secrets);
    expect(filesIn(secrets)).toEqual(filesIn(other));
  });
});
