import { expect, it, vi } from 'vitest';
import { serve } from '../../../test/calling/support/serve.ts';
import { shopOverMcp } from '../../../test/calling/support/shop.ts';
import { run, tempFolder } from '../../../test/cli/support/cli.ts';
import { printCampaignEnd, printStep } from '../../src/commands/print-campaign.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u{e0000}-\u{e007f}]/u;
const EVIL = '\u001b[31mRED\u001b]0;title\u0007\u009b2J\u202elive\u{e0041}\r\nanother line';

it('an agent that refuses in words for the terminal is shown, and not obeyed', async () => {
  const shop = shopOverMcp(() => ({ error: { code: `X${EVIL}`, message: EVIL, recovery: 'terminal' } }));
  const origin = await serve((request, response) => shop(Object.assign(request, { url: '/' }), response));
  const network = ['--connect-to', `*.example=${origin}`];
  const { code, stdout, stderr } = await run(
    'campaign',
    ...['--state', `sqlite:${tempFolder()}/agents.sqlite`],
    ...network,
  );
  expect(code).toBe(1);
  expect(stderr).toContain('stopped at');
  expect(stderr).toContain('\\u001b[31mRED');
  expect(stdout + stderr).not.toMatch(OBEYED);
  expect(stderr).not.toContain('\nanother line');
});

it('what a campaign came to is shown, and not obeyed', () => {
  const written: string[] = [];
  const spy = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((chunk) => written.push(String(chunk)) > 0);
  try {
    const spend = { amount: 1, currency: EVIL };
    const delivery = { impressions: 1, clicks: 1, spend };
    printCampaignEnd({ mediaBuyId: EVIL, delivery, auditEntries: 1, intact: true } as never);
    const response = { identity: {}, name: EVIL, colors: { [EVIL]: '#000' } };
    printStep({
      name: 'brand_identity',
      task: 'get_brand_identity',
      agent: 'x',
      request: {},
      response,
    } as never);
  } finally {
    spy.mockRestore();
  }
  expect(written).toHaveLength(2);
  expect(written.join('')).not.toMatch(OBEYED);
});
