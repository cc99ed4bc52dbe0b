import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { bodyOf, html, NOBODY, serve } from '../calling/support/serve.ts';
import { run, start, tempFolder } from '../cli/support/cli.ts';
import { follows } from '../cli/support/schemas.ts';
import { answered, OPEN, startAgent } from './support/runs.ts';

const BOARD = `id: coffee
title: Coffee is sold
track: products
phases:
  - id: shop
    steps:
      - id: ask
        title: What there is
        task: get_products
        sample_request: {brief: coffee}
        validations:
          - {check: field_value, path: "products[0].product_id", value: espresso, description: It is espresso}
      - {id: buy, task: create_media_buy, stateful: true}
`;

/** A folder with this storyboard. */
function boards(text = BOARD): string {
  const folder = tempFolder();
  writeFileSync(join(folder, 'coffee.yaml'), text);
  return folder;
}

async function shop(id: string): Promise<string> {
  const products = [{ product_id: id }];
  return (
    await startAgent({
      answer: (task) => answered(task === 'get_products' ? { products } : { media_buy_id: 'm' }),
    })
  ).url;
}

describe('agent-registry check', () => {
  it('ends with 0 when all is well, and shows each storyboard under its track', async () => {
    const { code, stdout, stderr } = await run(
      'check',
      await shop('espresso'),
      '--storyboards',
      boards(),
      '--verbose',
    );
    expect([code, stderr]).toEqual([0, '[1/1] coffee: pass, 2 steps\n']);
    expect(stdout).toContain('✓ products\n    ✓  coffee  Coffee is sold: 2 passed\n');
    expect(stdout).toContain('The agent is passing: The only storyboard passes.');
  });

  it('shows for a failure the expected and received value, their place, and the command that repeats it', async () => {
    const url = await shop('tea');
    const folder = boards();
    const { code, stdout } = await run(
      'check',
      url,
      '--storyboards',
      folder,
      '--progress',
      'none',
      '--verbose',
    );
    expect(code).toBe(1);
    expect(stdout).toContain('✗ coffee/shop/ask  What there is (get_products)\n');
    expect(stdout).toContain(
      '  field_value: /products/0/product_id has an unexpected value (It is espresso)\n' +
        '    at       /products/0/product_id\n    expected "espresso"\n    received "tea"\n',
    );
    expect(stdout).toContain(
      `repeat: agent-registry check ${url} --step coffee/shop/ask --storyboards ${folder}\n`,
    );
  });

  it('prints JSON that follows its schema, with the evidence', async () => {
    const { code, stdout } = await run('check', await shop('tea'), '--storyboards', boards(), '--json');
    expect(code).toBe(1);
    const printed = follows<ComplianceRun>(stdout, 'cli/check.json');
    expect(printed.steps[0]).toMatchObject({ result: 'fail', evidence: { request: { brief: 'coffee' } } });
    expect(printed.requested_compliance_target).toBe('3.0');
  });

  it('lets no agent write to the terminal', async () => {
    const nasty = '\u001b[2J\u202e<b>tea</b>';
    const { stdout, stderr } = await run('check', await shop(nasty), '--storyboards', boards());
    expect(stdout).toContain('\\u001b[2J\\u202e<b>tea</b>');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(`${stdout}${stderr}`.replaceAll(/\u001b\[\d{1,2}m/g, '')).not.toMatch(/[\u001b\u202e]/);
  });

  it('never shows the token', async () => {
    const token = 'a-secret-of-the-command-line';
    const { code, stdout, stderr } = await run(
      'check',
      await shop(token),
      '--storyboards',
      boards(),
      '--auth',
      token,
    );
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain(token);
    expect(stdout).toContain('--auth @FILE');
  });

  it('writes the report in its format to a file, whole, and the text to stdout', async () => {
    const file = join(tempFolder(), 'report.xml');
    writeFileSync(file, 'the report before');
    const args = ['--storyboards', boards(), '--format', 'junit', '--output', file] as const;
    const { code, stdout } = await run('check', await shop('tea'), ...args);
    expect([code, stdout]).toEqual([1, expect.stringContaining('The agent is')]);
    expect(readFileSync(file, 'utf8')).toMatch(/^<\?xml [\s\S]*<\/testsuites>\n$/u);
    expect(readdirSync(dirname(file))).toEqual(['report.xml']);
    const nowhere = await run('check', `${NOBODY}/mcp`, '--output', join(file, 'no-folder'));
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('--output: cannot write')]);
  });

  it('ends with 1 when nothing failed and the agent is not passing', async () => {
    const gap = `${BOARD}      - {id: seed, task: comply_test_controller, sample_request: {scenario: seed_product}}\n`;
    const { code, stdout } = await run('check', await shop('espresso'), '--storyboards', boards(gap));
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/is degraded[\s\S]*3 steps: 2 passed, 0 failed, 1 skipped/u),
    ]);
  });

  it('shows each finding of a bundle once: five on stderr, and unknown names as limitations of the report', async () => {
    const folder = boards(BOARD.replace('value: espresso,', 'value: espresso, looks: nice,'));
    for (let n = 0; n < 7; n += 1)
      writeFileSync(join(folder, `odd-${n}.yaml`), `id: odd_${n}\ntitle: t\ntrack: odd_${n}\nphases: []\n`);
    const url = await shop('espresso');
    const { stdout, stderr } = await run('check', url, '--storyboards', folder, '--progress', 'none');
    expect(stderr.trimEnd().split('\n')).toHaveLength(6);
    expect(stderr).toMatch(/… and \d+ more findings: --verbose shows all\n$/);
    expect(stdout.match(/looks/g)).toHaveLength(1);
    expect(stderr).not.toContain('looks');
    const all = await run('check', url, '--storyboards', folder, '--progress', 'none', '--verbose');
    expect(all.stderr.trimEnd().split('\n').length).toBeGreaterThan(6);
    expect([all.stderr.includes('looks'), all.stdout.includes('check field_value: check.looks')]).toEqual([
      false,
      true,
    ]);
  });

  it('calls a tool that the agent does not list missing, and not refused', async () => {
    const capabilities = boards(
      BOARD.replace('get_products\n        sample', 'get_adcp_capabilities\n        sample'),
    );
    const { url } = await startAgent({
      named: [],
      tools: ['create_media_buy'],
      answer: () => ({ isError: true, content: [{ type: 'text', text: 'Unknown tool' }] }),
    });
    const { stdout } = await run('check', url, '--storyboards', capabilities);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'missing tool: get_proto_capabilities or get_adcp_capabilities',
    );
    expect(stdout).not.toContain('the agent refused');
  });

  it('names the capabilities task of a public agent as that agent has it, and not as the storyboard does', async () => {
    const capabilities = boards(
      BOARD.replace('get_products\n        sample', 'get_proto_capabilities\n        sample'),
    );
    const { url } = await startAgent({
      named: ['get_adcp_capabilities'],
      answer: () => answered({ adcp: {}, supported_protocols: [] }),
    });
    const { stdout } = await run('check', url, '--storyboards', capabilities);
    expect(stdout).toContain('✗ get_adcp_capabilities: ');
    expect(stdout).not.toContain('get_proto_capabilities');
  });

  it('keeps a dry run dry in the command that repeats it, and keeps the receiver of webhooks', async () => {
    const { stdout } = await run(
      ...['check', await shop('tea'), '--storyboards', boards(), '--dry-run', '--webhooks', '127.0.0.1'],
    );
    const [, repeat = ''] = stdout.replaceAll(/ \\\n +/g, ' ').split('repeat: ');
    expect(repeat).toMatch(/--webhooks 127\.0\.0\.1 --dry-run\n/);
  });

  it('calls nothing that changes anything in a dry run, and says that it was one', async () => {
    const { code, stdout } = await run(
      'check',
      await shop('espresso'),
      '--storyboards',
      boards(),
      '--dry-run',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /dry run\n(?:.*\n)+The agent would be passing(?:.*\n)+Skipped:\n {2}– 1 step: dry run: create_media_buy changes data/,
    );
  });

  it('judges a saved run again', async () => {
    const save = join(tempFolder(), 'run');
    const folder = boards();
    expect((await run('check', await shop('tea'), '--storyboards', folder, '--save', save)).code).toBe(1);
    writeFileSync(join(folder, 'coffee.yaml'), BOARD.replace('espresso', 'tea'));
    const { code, stdout } = await run('check', '--replay', save, '--storyboards', folder);
    expect(code).toBe(0);
    expect(stdout).toContain('0 requests');
  });

  it('does not follow an agent to a private address', async () => {
    const well = mcpAgent({ tools: ['get_products'], answers: { get_proto_capabilities: answered(OPEN) } });
    const url = await serve(async (request, response) => {
      const body = request.method === 'POST' ? await bodyOf(request) : undefined;
      const params = body?.params as { name?: string } | undefined;
      if (params?.name === 'get_products') response.writeHead(307, { location: 'http://10.0.0.1/mcp' }).end();
      else await well(request, response, body);
    });
    const { stdout } = await run('check', `${url}/`, '--storyboards', boards(), '--json');
    const { steps } = follows<ComplianceRun>(stdout, 'cli/check.json');
    expect(steps[0]).toMatchObject({ result: 'fail', evidence: { outcome: 'failed' } });
    expect(JSON.stringify(steps[0]?.evidence)).toMatch(/redirect|address/);
  });

  it('ends with 4 where no agent is', async () => {
    const { code, stdout } = await run('check', `${NOBODY}/mcp`, '--storyboards', boards());
    expect(code).toBe(4);
    expect(stdout).toContain('unreachable');
    expect(stdout).toContain('check that the agent is running, and on this port');
  });

  it('says so when it is interrupted, and holds nothing against the agent', async () => {
    const well = mcpAgent({ tools: ['get_products'], answers: { get_proto_capabilities: answered(OPEN) } });
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const url = await serve(async (request, response) => {
      const body = request.method === 'POST' ? await bodyOf(request) : undefined;
      if ((body?.params as { name?: string } | undefined)?.name === 'get_products') resolve();
      else if (request.method === 'POST') await well(request, response, body);
      else html(response, 405);
    });
    const { child, ended } = start(['check', `${url}/`, '--storyboards', boards()]);
    await asked;
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(stdout).toContain('Inconclusive: the run was interrupted');
    expect(stdout).toContain('0 failed');
  });

  it('tells what is wrong with a storyboard by line, runs the others, and nothing when there is none', async () => {
    const folder = boards();
    writeFileSync(join(folder, 'broken.yaml'), BOARD.replace('title: Coffee is sold\n', ''));
    const { code, stderr } = await run('check', await shop('espresso'), '--storyboards', folder);
    expect(code).toBe(0);
    expect(stderr).toContain('broken.yaml:1:1  error: title is missing; see schemas/storyboard.json');
    const none = await run('check', await shop('espresso'), '--storyboards', boards('phases: 7\n'));
    expect([none.code, none.stdout]).toEqual([1, '']);
  });

  it.each([
    [['no url'], [], 'the URL of the agent is missing'],
    [['what is no url'], ['nonsense'], 'cannot be checked'],
    [['an unknown storyboard'], ['http://127.0.0.1:1/', '--only', 'nobody'], 'unknown storyboard nobody'],
    [['an unknown track'], ['http://127.0.0.1:1/', '--track', 'media-buy'], 'unknown track media-buy'],
    [
      ['an unknown target'],
      ['http://127.0.0.1:1/', '--target', '9.9'],
      '--target: no installed bundle matches 9.9\n  hint: installed: 3.0.0;',
    ],
    [
      ['a pre-release that is not shipped'],
      ['http://127.0.0.1:1/', '--target', '3.1-beta'],
      '--target: no installed bundle matches 3.1-beta\n  hint: installed: 3.0.0;',
    ],
    [['two ways at once'], ['http://127.0.0.1:1/', '--replay', 'x'], '--replay cannot be combined'],
    [
      ['a folder that does not exist'],
      ['http://127.0.0.1:1/', '--storyboards', '/nowhere'],
      'cannot read the storyboard folder',
    ],
  ])('refuses %s with what to do', async (_name, args, message) => {
    const { code, stderr } = await run('check', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain('hint:');
  });
});
