import { describe, expect, it } from 'vitest';
import { pageHtml } from '../../src/pages/layout.ts';
import { protocolSection } from '../../src/pages/protocol-lines.ts';
import { openBrowser } from './support/browser.ts';
import { NAUGHTY, refuseMarkup, TEST_SITE } from './support/naughty.ts';
import { AGENT, optOut, SELLER, tested } from './support/tested-agent.ts';
import { testedInLines } from './support/tested-lines.ts';

const PUBLIC = `/agents/${encodeURIComponent(AGENT)}`;
const OWN = `/my${PUBLIC}`;
const HEADING = '<h2 id="protocol">Protocol versions</h2>';
const NOTICE = {
  ...{ code: 'version_not_declared', severity: 'warning' },
  message: 'the agent declares 3.1; no bundle of this version is in use; tested with 3.0.0',
};

/** The rows of the section, each as the texts of its cells. */
function rowsOf(body: string): readonly (readonly string[])[] {
  const table = /aria-label="Protocol versions"><table class="stacks">.*?<tbody>(.*?)<\/tbody>/s.exec(
    body,
  )?.[1];
  return (table ?? '')
    .split('</tr>')
    .slice(0, -1)
    .map((row) =>
      row.split(/<\/t[hd]>/).map((cell) =>
        cell
          .replaceAll(/<[^>]*>/g, ' ')
          .trim()
          .replaceAll(/\s+/g, ' '),
      ),
    )
    .map((cells) => cells.slice(0, 5));
}

async function ownPage({ server, owner }: Awaited<ReturnType<typeof tested>>, path = OWN): Promise<string> {
  const browser = await openBrowser(server);
  await browser.post('/sign-in', { key: owner.authorization.slice('Bearer '.length), next: OWN });
  return (await browser.get(path)).body;
}

describe('the protocol versions of an agent on its page', () => {
  it('are a table by line, with the bundle, the result and the badges', async () => {
    const { get } = await testedInLines();
    const { body } = await get(PUBLIC);
    expect(body).toContain('<a href="#protocol">Protocol versions</a>');
    expect(rowsOf(body)).toEqual([
      ['3.1 Decides the status', '3.1.2', 'Partly passing', '1 of 2', '–'],
      ['3.0', '3.0.0', 'Passing', '2 of 2', 'media-buy spec'],
    ]);
    expect(body).toContain('href="/storyboards?compliance_target=3.1.2"');
    expect(body).not.toContain('3.2.0');
  });

  it('include bundles in preview for the owner, marked, also in the list of runs', async () => {
    const registry = await testedInLines();
    const body = await ownPage(registry);
    expect(rowsOf(body)[0]).toEqual(['3.2 Preview: decides nothing', '3.2.0', 'Passing', '2 of 2', '–']);
    expect(rowsOf(body)).toHaveLength(3);
    const runs = /aria-label="Latest tests">.*?<tbody>(.*?)<\/tbody>/s.exec(body)?.[1] ?? '';
    expect(
      runs.split('</tr>').map((row) => /preview: decides nothing|other protocol version/.exec(row)?.[0]),
    ).toEqual([undefined, 'preview: decides nothing', 'other protocol version', undefined]);
  });

  it('are not shown for one line that the agent declares, nor for an agent that opted out', async () => {
    const one = await tested(SELLER);
    expect((await one.get(PUBLIC)).body).not.toContain(HEADING);
    const many = await testedInLines();
    await optOut(many);
    expect((await many.get(PUBLIC)).body).not.toContain(HEADING);
    expect(await ownPage(many)).not.toContain(HEADING);
  });

  it('are shown for one line with the notice that the agent does not declare it', async () => {
    const registry = await tested({ ...SELLER, notices: [NOTICE] });
    const told = 'The agent declares 3.1; no bundle of this version is in use; tested with 3.0.0.';
    for (const body of [(await registry.get(PUBLIC)).body, await ownPage(registry)]) {
      expect(body).toContain(HEADING);
      expect(body).toContain(`<b>Tested with another version:</b> <bdi>${told}</bdi>`);
    }
    const [, run = ''] = /href="(\/runs\/[^"]*)">Full report/.exec((await registry.get(PUBLIC)).body) ?? [];
    expect((await registry.get(run)).body).toContain(NOTICE.message);
  });

  it.each(NAUGHTY)('are text that breaks nothing: %j', (bad) => {
    const line = {
      ...{ line: bad, proto_version: bad, stage: 'preview' as const, decides: true, status: bad },
      ...{ storyboards_passing: 1, storyboards_total: 2, storyboards_incomplete: 0 },
      last_checked_at: '2026-01-06T09:00:00.000Z',
      badges: [{ role: bad, verification_modes: [bad], grace_since: null }],
    };
    const shown = { url: AGENT, declared: [bad], lines: [line, line], mismatch: bad };
    const content = protocolSection(TEST_SITE, shown);
    if (content === '') throw new Error('no section');
    const page = { title: 'x', description: 'x', trail: [{ text: 'x' }], content };
    refuseMarkup(pageHtml(TEST_SITE, page as Parameters<typeof pageHtml>[1]));
  });
});
