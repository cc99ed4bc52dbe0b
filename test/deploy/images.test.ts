import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from './support/compose-file.ts';

const FILES = ['docker-compose.yml', 'Dockerfile', 'deploy/compose/pin-images.sh'];
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Every image of both files, as it is written; the stages of the Dockerfile and the image that is built here are none. */
function images(): readonly string[] {
  const compose = textOf('docker-compose.yml').matchAll(/^ +image: (.+)$/gm);
  const stages = textOf('Dockerfile').matchAll(/^FROM (\S+)/gm);
  const all = [...compose, ...stages].map(([, image = '']) => image);
  return all.filter((image) => !image.startsWith('agent-registry:'));
}

/** The variable of an image's digest: with the version, so that a newer one is not taken by the old digest. */
function variableOf(reference: string): string {
  return `DIGEST_${reference.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

/** A folder with the files, a registry that answers with `digestOf`, and what is in `.env`. */
function stack(digestOf: string, env?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'registry-images-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'deploy/compose'), { recursive: true });
  for (const file of FILES) cpSync(join(ROOT, file), join(folder, file));
  if (env !== undefined) writeFileSync(join(folder, '.env'), env);
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/docker'), `#!/usr/bin/env bash\n${digestOf}\n`);
  chmodSync(join(folder, 'bin/docker'), 0o755);
  const path = [join(folder, 'bin'), process.env.PATH].join(delimiter);
  return {
    pin: () =>
      execFileSync('bash', [FILES[2] ?? ''], { cwd: folder, env: { PATH: path }, stdio: 'pipe' }).toString(),
    env: () => readFileSync(join(folder, '.env'), 'utf8'),
  };
}

/** `docker buildx imagetools inspect IMAGE …`: a digest of the image's name. */
const REGISTRY = `printf '"sha256:%s"\\n' "$(printf '%s' "$4" | sha256sum | cut -d ' ' -f 1)"`;

describe('every image that others make', () => {
  it('has a version and a digest, or the documented variable of one without which nothing starts', () => {
    expect(images().length).toBeGreaterThan(3);
    const loose = images().filter((image) => {
      const [reference = '', digest = ''] = image.split('@');
      const variable = variableOf(reference);
      const hasDigest =
        /^sha256:[0-9a-f]{64}$/.test(digest) ||
        digest === `\${${variable}}` ||
        digest === `\${${variable}:?run deploy/compose/pin-images.sh first}`;
      return !hasDigest || !/:[\w.-]+$/.test(reference);
    });
    expect(loose).toEqual([]);
  });

  it('gets into the build through an argument that compose refuses to leave out', () => {
    const names = [...textOf('Dockerfile').matchAll(/^ARG (\S+)$/gm)].map(([, name]) => name);
    expect(names.length).toBe(2);
    for (const name of names)
      expect(textOf('docker-compose.yml')).toContain(
        `${name}: \${${name}:?run deploy/compose/pin-images.sh first}`,
      );
  });
});

describe('the Dockerfile', () => {
  const lines = textOf('Dockerfile').replaceAll('\\\n', ' ').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  const having = (start: string, from = lines) => from.filter((line) => line.startsWith(`${start} `));

  it('ends as a user without rights, who does not own what runs', () => {
    expect(having('USER', last)).toEqual(['USER 1000:1000']);
    expect(last.filter((line) => /--chown|--chmod|^RUN /.test(line))).toEqual([]);
  });

  it('takes nothing from the network but packages by their hashes, and runs none of their scripts', () => {
    expect(having('ADD')).toEqual([]);
    expect(
      having('RUN').filter((line) => /curl|wget|https?:|apt|npm (install|i|update|exec)\b|npx/.test(line)),
    ).toEqual([]);
    const installs = having('RUN').filter((line) => line.includes('npm'));
    expect(installs.every((line) => line.includes('npm ci --omit=dev --ignore-scripts'))).toBe(true);
  });

  it('has no secret, and starts its programs without a shell', () => {
    expect(lines.filter((line) => /^(ENV|ARG) .*(PASSWORD|SECRET|TOKEN|KEY)/.test(line))).toEqual([]);
    for (const start of ['ENTRYPOINT', 'CMD'])
      expect(having(start)).toEqual([expect.stringMatching(/^\w+ \[.+\]$/)]);
  });
});

describe('pin-images.sh', () => {
  it('asks for each image once and leaves everything else in .env as it is', () => {
    const { pin, env } = stack(REGISTRY, 'REGISTRY_CONTACT=https://you.example');
    pin();
    const [contact, ...lines] = env().trim().split('\n');
    expect(contact).toBe('REGISTRY_CONTACT=https://you.example');
    const wanted = [...new Set(images().map((image) => variableOf(image.split('@')[0] ?? '')))];
    expect(lines.map((line) => line.split('=')[0]).toSorted()).toEqual(wanted.toSorted());
    for (const line of lines) expect(line).toMatch(/=sha256:[0-9a-f]{64}$/);
    const first = env();
    expect(pin()).not.toContain('->');
    expect(env()).toBe(first);
  });

  it.each([
    ['says nothing', 'exit 0'],
    ['is not reached', 'echo "no such host" >&2; exit 1'],
    ['answers with something else', 'echo latest'],
  ])('changes nothing when a registry %s', (_what, answer) => {
    const { pin, env } = stack(answer, 'REGISTRY_CONTACT=https://you.example\n');
    expect(pin).toThrow();
    expect(env()).toBe('REGISTRY_CONTACT=https://you.example\n');
  });
});
