import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificates {
  /** PEM of the throw-away authority. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** Makes an authority and, under it, one certificate for every label under `parent`, with the `openssl` program. */
export function makeCertificates(parent: string): Certificates {
  const dir = mkdtempSync(join(tmpdir(), 'registry-bench-tls-'));
  const at = (name: string) => join(dir, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  try {
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=bench',
    );
    openssl('req', ...newKey, '-keyout', 'web.key', '-out', 'web.csr', '-subj', '/CN=web');
    writeFileSync(at('names'), `subjectAltName=DNS:*.${parent}`);
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
    openssl('x509', '-req', '-in', 'web.csr', ...by, '-days', '2', '-out', 'web.pem');
    const read = (name: string) => readFileSync(at(name), 'utf8');
    return { ca: read('ca.pem'), certificate: read('web.pem'), key: read('web.key') };
  } finally {
    rmSync(dir, { recursive: true });
  }
}
