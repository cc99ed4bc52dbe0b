import { expect, it } from 'vitest';
import { json, serve } from '../calling/support/serve.ts';
import { run } from './support/cli.ts';
import { call } from './support/sample-shop.ts';

/** Answers with nothing but a card that leads to another domain. */
const astray = () =>
  serve((_request, response) =>
    json(response, {
      name: 'Astray',
      skills: [],
      supportedInterfaces: [
        { url: 'https://elsewhere.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
    }),
  );

it('a call says why a card that leads elsewhere was not followed', async () => {
  const url = await astray();
  const { code, stdout } = await run('call', url, 'get_signals', '--protocol', 'a2a', '--no-validate');
  expect(code).toBe(4);
  expect(stdout).toContain('card_url_leaves_domain');
  const report = await call(4, url, 'get_signals', '--protocol', 'a2a', '--no-validate');
  expect(report.findings).toMatchObject([
    { code: 'card_url_leaves_domain', pointer: '/supportedInterfaces/0/url' },
  ]);
});
