import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './compose-file.ts';

/** Runs the service `roles` on a database of which the address is its owner's. */
export async function makeRoles(owner: string, role: string, password: string): Promise<void> {
  const { hostname, port, username, password: ownPassword, pathname } = new URL(owner);
  const secrets = mkdtempSync(join(tmpdir(), 'registry-roles-'));
  try {
    writeFileSync(join(secrets, 'password'), decodeURIComponent(ownPassword));
    writeFileSync(join(secrets, 'runtime-password'), password);
    const server = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGDATABASE: pathname.slice(1) };
    const env = { PATH: process.env.PATH, SECRETS: secrets, RUNTIME_ROLE: role, ...server };
    await promisify(execFile)('bash', [join(ROOT, 'deploy/compose/make-roles.sh')], { env });
  } finally {
    rmSync(secrets, { recursive: true, force: true });
  }
}
