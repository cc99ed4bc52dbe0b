import { describe, expect, it } from 'vitest';
import { failureHint } from '../../src/cli/output/probe-answer.ts';
import { serve } from '../calling/support/serve.ts';
import { run } from './support/cli.ts';
import { BRIEF } from './support/sample-shop.ts';

describe('what is said when an agent is not reached', () => {
  it('leads to the sandbox for the names that only it has', () => {
    expect(failureHint('dns', 'https://sales-1.agents.example/mcp')).toContain("--connect-to '*.example=");
    expect(failureHint('dns', 'https://agent.test/mcp')).toBe(
      'check the spelling of the host name, and that it has a DNS record',
    );
    expect(failureHint('refused', 'https://a.example/')).toBe(
      'check that the agent is running, and on this port',
    );
    expect(failureHint('no_products', 'https://a.example/')).toBeUndefined();
  });

  it('is what the endpoint says that was typed, and not another address of the host', async () => {
    const origin = await serve((request, response) => {
      response.statusCode = request.url === '/agent/mcp' ? 404 : 500;
      response.end();
    });
    const { code, stdout } = await run('call', `${origin}/agent/mcp`, 'get_products', ...BRIEF);
    expect(code).toBe(4);
    expect(stdout).toContain('  wrong_path: HTTP 404\n');
  });

  it('is no guess beside the words of the agent', () => {
    const url = 'https://a.example/';
    expect(failureHint('auth_required', url, { status: 403, words: 'Invalid Host header' })).toBeUndefined();
    expect(failureHint('not_protocol', url, { words: 'Method not found' })).toBeUndefined();
    expect(failureHint('auth_required', url, { status: 401, words: 'no token' })).toContain('--auth-env');
    expect(failureHint('auth_required', url, { status: 403 })).toContain('--auth-env');
  });

  it('quotes the agent, escaped and cut', async () => {
    const origin = await serve((_request, response) => {
      response.statusCode = 421;
      response.end(`Invalid Host header\u001b[2J ${'x'.repeat(400)}`);
    });
    const words = `Invalid Host header[2J ${'x'.repeat(277)}`;
    const called = await run('call', `${origin}/mcp`, 'get_products', ...BRIEF);
    expect(called.stdout).toContain(`  http_error: HTTP 421: ${words}\n`);
    const probed = await run('probe', `${origin}/mcp`);
    expect(probed.stdout).toContain(`  HTTP 421: ${words}\n`);
    const { stdout } = await run('probe', `${origin}/mcp`, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      health: { online: false, error: 'HTTP 421', words, http_status: 421, error_class: 'http_error' },
    });
  });

  it('names the place of a fault once', async () => {
    const { stdout } = await run('call', 'http://127.0.0.1:9/mcp', 'get_products', 'brief:=3');
    expect(stdout).toContain('  at /brief\n');
    expect(stdout).not.toContain(': /brief ');
  });
});
