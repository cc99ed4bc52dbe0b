import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { serve } from '../calling/support/serve.ts';
import { run, start, tempFolder } from '../cli/support/cli.ts';
import { prove } from '../cli/support/served.ts';
import { answered, OPEN } from './support/runs.ts';

const AGENT = 'https://words.example/mcp';
const MARK = 'x-mark';
/** Script, an escape sequence, a C1 control that terminals take for one, bidi, line ends of Unicode, and no end. */
const NASTY = `"><script>alert('${MARK}')</script>\u001b[2J\u001b]0;owned\u0007\u009b2J\u202e\u2066\u2028\r\nHTTP/1.1 200 OK\u0000${'w'.repeat(5_000)}`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const COLOURS = /\u001b\[\d{1,2}m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

const TOOLS = [
  'get_products',
  'create_media_buy',
  'update_media_buy',
  'list_creative_formats',
  'sync_creatives',
  'comply_test_controller',
];
const refused = {
  isError: true,
  structuredContent: { error: { code: NASTY, message: NASTY, pointer: NASTY, recovery: NASTY } },
  content: [],
};
const odd = answered({
  products: [{ product_id: NASTY, name: NASTY }],
  media_buy_id: NASTY,
  message: NASTY,
  errors: undefined,
  [NASTY]: { [NASTY]: NASTY },
});
const capabilities = {
  ...OPEN,
  supported_protocols: ['media_buy', NASTY],
  specialisms: ['sales-guaranteed', NASTY],
  name: NASTY,
};
let turn = 0;
const agent = mcpAgent({
  path: '/mcp',
  tools: ['get_proto_capabilities', ...TOOLS, NASTY.slice(0, 60)],
  answer: (task) =>
    task === 'get_proto_capabilities' ? answered(capabilities) : ++turn % 2 === 0 ? refused : odd,
});

function expectTame(text: string): void {
  for (const line of text.replace(COLOURS, '').split('\n')) {
    expect(line).not.toMatch(DANGEROUS);
    expect(line.length).toBeLessThan(4_000);
  }
}

/** A store with one owned agent that answers all of this, and one run of it. */
async function tested() {
  const origin = await serve((request, response) => void agent(request, response));
  const folder = tempFolder();
  const store = ['--store', `sqlite:${join(folder, 'store.sqlite')}`];
  const members = join(folder, 'members.yaml');
  writeFileSync(
    members,
    '- slug: nova\n  display_name: Nova\n  membership_tier: builder\n  subscription_status: active\n',
  );
  await run('members', 'import', members, ...store);
  await run('agents', 'register', AGENT, '--member', 'nova', ...store);
  await prove(store, AGENT, 'nova');
  const checked = await run(
    'check',
    AGENT,
    '--record',
    '--progress',
    'plain',
    '--connect-to',
    `*.example=${origin}`,
    ...store,
  );
  return { origin, store, checked };
}

describe('what an agent writes, wherever it is shown', () => {
  it('does nothing to a terminal, in no command', async () => {
    const { origin, store, checked } = await tested();
    expect(checked.stdout).toContain('recorded as ');
    expect(checked.stdout).toContain(MARK);
    expectTame(checked.stdout + checked.stderr);
    const id = /recorded as (\S+);/.exec(checked.stdout)?.[1] ?? '';
    for (const command of [
      ['explain', AGENT],
      ['runs', 'list', AGENT],
      ['runs', 'show', AGENT, id],
      ['agents', 'list'],
    ]) {
      const { code, stdout, stderr } = await run(...command, ...store);
      expect([0, 1], `${command.join(' ')}: ${stderr}`).toContain(code);
      expectTame(stdout + stderr);
      expect(stdout.length).toBeGreaterThan(0);
    }
    const again = await run(
      'check',
      AGENT,
      '--json',
      '--progress',
      'none',
      '--only',
      'capability_discovery',
      '--connect-to',
      `*.example=${origin}`,
    );
    const lines = JSON.stringify(JSON.parse(again.stdout), null, 2);
    expect(again.stdout.split('\n').length).toBe(lines.split('\n').length + 1);
    expect(again.stdout).not.toMatch(DANGEROUS);
  }, 60_000);

  it('is no word of what the public reads, and cannot leave the JSON or the picture', async () => {
    const { store } = await tested();
    const serving = start(['serve', '--port', '0', ...store]);
    const [origin = ''] = (await serving.until('stdout', /listening on \S+/)).match(/http:\/\/[\d.:]+/) ?? [];
    const path = `/api/registry/agents/${encodeURIComponent(AGENT)}`;
    const get = async (at: string) => {
      const response = await fetch(origin + at);
      expect(response.headers.get('x-content-type-options'), at).toBe('nosniff');
      return { type: response.headers.get('content-type'), text: await response.text() };
    };
    const compliance = await get(`${path}/compliance`);
    expect(compliance.type).toMatch(/^application\/json/);
    const {
      headline,
      observations,
      notices,
      tracks,
      storyboard_statuses: statuses,
    } = JSON.parse(compliance.text) as Record<string, unknown>;
    for (const part of [headline, observations, notices, tracks, statuses])
      expect(JSON.stringify(part ?? null)).not.toContain(MARK);
    expectTame(JSON.stringify(JSON.parse(compliance.text), null, 1));
    const list = await get('/api/registry/agents?compliance=true');
    expectTame(JSON.stringify(JSON.parse(list.text), null, 1));
    const badge = await get(`${path}/badge/media-buy.svg`);
    expect(badge.type).toMatch(/^image\/svg\+xml/);
    expect(badge.text).not.toMatch(/script|x-mark/);
    serving.child.kill('SIGTERM');
    const { stdout, stderr } = await serving.ended;
    expectTame(stdout + stderr);
  }, 60_000);
});
