import { writeFileSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { run, tempFolder } from '../../cli/support/cli.ts';
import { freshDatabase, freshIndexPrefix, openSearchUrl } from '../support/engines.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The variable, and what is in its file; none is there without one. */
const FAULTS: readonly { readonly command: string; readonly variable: string; readonly content?: string }[] =
  [
    { command: 'work', variable: 'REGISTRY_TIERS' },
    { command: 'work', variable: 'REGISTRY_CREDENTIAL_KEYS' },
    { command: 'work', variable: 'REGISTRY_CREDENTIAL_KEYS', content: '{}' },
    { command: 'work', variable: 'REGISTRY_TEST_KEY' },
    { command: 'work', variable: 'REGISTRY_INDEX_CA' },
    { command: 'heartbeat', variable: 'REGISTRY_CREDENTIAL_KEYS' },
    { command: 'heartbeat', variable: 'REGISTRY_TEST_KEY' },
    { command: 'serve', variable: 'REGISTRY_CREDENTIAL_KEYS' },
    { command: 'schedule', variable: 'REGISTRY_SCHEDULE', content: 'crawl: "99 * * * *"' },
  ];

describe('a process of many, on engines that answer', () => {
  it.each(FAULTS)(
    '$command ends and never listens: $variable $content',
    async ({ command, variable, content }) => {
      const file = join(tempFolder(), 'file');
      if (content !== undefined) writeFileSync(file, content);
      vi.stubEnv(variable, file);
      vi.stubEnv('REGISTRY_INDEX', openSearchUrl());
      vi.stubEnv('REGISTRY_INDEX_PREFIX', freshIndexPrefix());
      const listen = vi.spyOn(Server.prototype, 'listen');
      const args = [command, '--port', '0', '--store', await freshDatabase(), '--log-level', 'silent'];
      const { code, stderr } = await run(...args);
      expect([1, 2], stderr).toContain(code);
      if (command !== 'schedule') expect(listen).not.toHaveBeenCalled();
      const isClosed = () => expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap');
      await vi.waitFor(isClosed, { timeout: 50_000 });
    },
  );
});
