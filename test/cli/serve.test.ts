import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADAGENTS, startWeb } from '../scenarios/support/web.ts';
import { MAIN, run, start, tempStore } from './support/cli.ts';

const AGENT = 'https://sales.nova.example/mcp';
const addressIn = (text: string) => /http:\/\/[\d.:]+/.exec(text)?.[0] ?? '';

describe('serve', () => {
  it('prints the port it chose, answers, sees what another process crawls, and stops on SIGTERM', async () => {
    const web = await startWeb({
      'news.example': { [ADAGENTS]: { publisher: { domain: 'news.example' }, agents: [{ url: AGENT }] } },
    });
    const store = tempStore();
    const places = ['--port', '0', '--metrics-port', '0'];
    const serving = start(['serve', ...places, '--create', '--store', store, '--connect-to', web.connectTo]);
    const told = await serving.until('stdout', /listening on http:\/\/127\.0\.0\.1:\d+/);
    const origin = addressIn(told.slice(told.indexOf('listening')));
    const figures = await fetch(/metrics at ([^,]+)/.exec(told)?.[1] ?? '');
    expect(await figures.text()).toContain('registry_due_visits{kind="domain"} 0');
    expect((await fetch(`${origin}/metrics`)).status).toBe(404);
    const list = async () => {
      const response = await fetch(`${origin}/api/registry/agents`);
      return {
        etag: response.headers.get('etag'),
        body: (await response.json()) as { agents: { url: string }[] },
      };
    };
    const before = await list();
    expect(before.body).toEqual({ agents: [], count: 0 });

    const crawled = await run(
      'crawl',
      'news.example',
      '--store',
      store,
      '--connect-to',
      web.connectTo,
      '--progress',
      'none',
    );
    expect(crawled.code).toBe(0);
    const after = await list();
    expect(after.body.agents.map((agent) => agent.url)).toEqual([AGENT]);
    expect(after.etag).not.toBe(before.etag);
    const checked = await fetch(`${origin}/api/public/validate-publisher?domain=news.example`);
    expect(await checked.json()).toMatchObject({ valid: true, agent_count: 1 });

    serving.child.kill('SIGTERM');
    const { code, stderr } = await serving.ended;
    expect(code).toBe(0);
    for (const line of stderr.trim().split('\n').filter(Boolean))
      expect(JSON.parse(line)).toHaveProperty('level');
    await web.close();
  });
});

describe('a reader that has seen enough', () => {
  it('ends the command without a word', async () => {
    const child = spawn(process.execPath, [
      MAIN,
      'sandbox',
      '--port',
      '0',
      '--state',
      'sqlite::memory:',
      '--json',
    ]);
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdout.destroy(); // whatever a pipe holds of it, nobody reads it
    const complaint = text(child.stderr);
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
    expect(await complaint).toBe('');
  });
});
