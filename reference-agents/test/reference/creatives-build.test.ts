import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { lookOf } from '../../src/reference/brand/find-brand.ts';
import { checkAssets } from '../../src/reference/creatives/check-assets.ts';
import { compose } from '../../src/reference/creatives/compose.ts';
import { designFor, redesign } from '../../src/reference/creatives/design.ts';
import { FORMATS } from '../../src/reference/creatives/formats.ts';
import { generateFromBrief } from '../../src/reference/creatives/generate.ts';
import { creativePages } from '../../src/reference/creatives/pictures.ts';
import { creativeHandlers } from '../../src/reference/handlers.ts';
import { type AgentUnderTest, BUYER, freshKey, OTHER_BUYER, startAgent } from './support.ts';

const BRAND = { domain: 'tidewater-ferries.example' };
const MESSAGE = 'Create a display ad for our night ferry to Osterby, mention free breakfast';

const start = () => startAgent({ type: 'creative', handlers: creativeHandlers });

function request(agent: AgentUnderTest, parts: object = {}) {
  const agent_url = agent.agent.spec.url;
  const target_format_ids = [{ agent_url, id: 'display_300x250' }];
  return { idempotency_key: freshKey(), message: MESSAGE, brand: BRAND, target_format_ids, ...parts };
}

function further(build_id: string, message: string) {
  return { idempotency_key: freshKey(), build_id, message };
}

/** The picture that a manifest points at, as it is served. */
function pictureIn(agent: AgentUnderTest, url: string): string {
  const page = creativePages(agent.agent)(new URL(url).pathname);
  const sent: { body: string; headers: Record<string, string> } = { body: '', headers: {} };
  const response = {
    setHeader: (name: string, value: string) => {
      sent.headers[name] = value;
    },
    writeHead: () => response,
    end: (bytes: Uint8Array) => {
      sent.body = Buffer.from(bytes).toString();
    },
  };
  page?.({ headers: {} } as never, response as never);
  expect(sent.headers['content-security-policy']).toContain("default-src 'none'");
  return sent.body;
}

describe('build_creative', () => {
  it('composes what the message says, in the look of the brand', async () => {
    const agent = start();
    const built = await agent.call('build_creative', request(agent));
    const [{ assets }] = built.creative_manifests;
    expect(built.iteration).toBe(1);
    expect(assets.headline.content).toContain('Night ferry to Osterby');
    expect(assets.body.content).toContain('Free breakfast');
    expect(assets.landing_page.url).toBe('https://tidewater-ferries.example/');
    const svg = pictureIn(agent, assets.image.url);
    expect(svg).toContain('#f4fbff');
    expect(Buffer.byteLength(svg)).toBe(assets.image.file_size_bytes);
    expect(built.preview_url).toBe(assets.image.url);
  });

  it('keeps what was and does what is asked, step by step', async () => {
    const agent = start();
    const { build_id } = await agent.call('build_creative', request(agent));
    const asks = ['shorter', 'a blue background', 'mention free delivery', 'a headline "Sleep across"'];
    for (const ask of asks) await agent.call('build_creative', further(build_id, ask));
    const last = await agent.call('build_creative', further(build_id, 'a button that says "Get in"'));
    const [{ assets }] = last.creative_manifests;
    expect(last.iteration).toBe(6);
    expect(assets.headline.content).toBe('Sleep across');
    expect(assets.body.content).toBe('Free delivery.');
    expect(assets.cta.content).toBe('Get in');
    const svg = pictureIn(agent, assets.image.url);
    expect(svg).toMatch(/<rect[^>]*fill="#1d4e89"/);
    expect(svg).toMatch(/<text[^>]*font-weight="bold" fill="#ffffff"/);
  });

  it('leaves the pictures of earlier steps as they were', async () => {
    const agent = start();
    const first = await agent.call('build_creative', request(agent));
    const url = first.creative_manifests[0].assets.image.url;
    const before = pictureIn(agent, url);
    await agent.call('build_creative', further(first.build_id, 'make it red'));
    expect(pictureIn(agent, url)).toBe(before);
  });

  it('says what it did not understand, and changes nothing then', async () => {
    const agent = start();
    const first = await agent.call('build_creative', request(agent));
    const next = await agent.call('build_creative', further(first.build_id, 'Purple elephants, dancing'));
    expect(next.message).toContain('not understood: 1');
    expect(next.message).not.toContain('elephants');
    const words = ({ assets }: { assets: Record<string, { content?: string }> }) => assets.headline?.content;
    expect(words(next.creative_manifests[0])).toBe(words(first.creative_manifests[0]));
  });

  it('takes up creatives that were made elsewhere', async () => {
    const agent = start();
    const { agent_url } = request(agent).target_format_ids[0] as { agent_url: string };
    const text = (content: string) => ({ asset_type: 'text', content });
    const assets = { headline: text('Old words'), body: text('Said before'), cta: text('Go') };
    const creative_manifests = [{ format_id: { agent_url, id: 'native_card' }, assets }];
    const built = await agent.call(
      'build_creative',
      request(agent, { creative_manifests, message: 'shorter' }),
    );
    expect(built.creative_manifests[0].assets.headline.content).toBe('Old words');
  });

  it('keeps the order of the formats, each once', async () => {
    const agent = start();
    const agent_url = agent.agent.spec.url;
    const ids = ['native_card', 'display_728x90', 'native_card', 'dooh_1080x1920'];
    const target_format_ids = ids.map((id) => ({ agent_url, id }));
    const built = await agent.call('build_creative', request(agent, { target_format_ids }));
    const next = await agent.call('build_creative', further(built.build_id, 'calmer'));
    const made = (answer: typeof built) =>
      answer.creative_manifests.map(({ format_id }: { format_id: { id: string } }) => format_id.id);
    expect(made(built)).toEqual(['native_card', 'display_728x90', 'dooh_1080x1920']);
    expect(made(next)).toEqual(made(built));
  });

  it('builds once for one key', async () => {
    const agent = start();
    const asked = request(agent);
    const first = await agent.call('build_creative', asked);
    const again = await agent.call('build_creative', asked);
    expect(again).toEqual({ ...first, replayed: true });
  });

  it('shows no build to anybody else', async () => {
    const agent = start();
    const { build_id } = await agent.call('build_creative', request(agent), BUYER);
    const refusal = await agent.refusal('build_creative', further(build_id, 'shorter'), OTHER_BUYER);
    expect(refusal).toMatchObject({ code: 'REFERENCE_NOT_FOUND', pointer: '/build_id' });
  });

  it.each([
    ['a format that nobody knows', 'moon_poster', 'FORMAT_NOT_FOUND', '/target_format_ids/0/id'],
    ['a video from words', 'video_16x9_15s', 'UNSUPPORTED_FEATURE', '/target_format_ids/0'],
  ])('refuses %s', async (_what, id, code, pointer) => {
    const agent = start();
    const target_format_ids = [{ agent_url: agent.agent.spec.url, id }];
    expect(await agent.refusal('build_creative', request(agent, { target_format_ids }))).toMatchObject({
      code,
      pointer,
    });
  });

  it('serves no picture that was not made', () => {
    const pages = creativePages(start().agent);
    expect(pages('/creatives/build_x/1/0.svg')).toBeUndefined();
    expect(pages('/creatives/../1/0.svg')).toBeUndefined();
  });
});

describe('a composed creative', () => {
  const links = {
    pictureUrl: 'https://creative.example/creatives/build_1/1/0.svg',
    landingPage: 'https://a.example/',
  };

  it('follows its format whatever the messages say, and its picture is well-formed', () => {
    const text = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 400 }), fc.lorem({ maxCount: 200 }));
    fc.assert(
      fc.property(
        text,
        text,
        fc.constantFrom(...FORMATS.filter(({ generated }) => generated)),
        (first, next, format) => {
          const { design } = redesign(designFor(first, lookOf(BRAND)).design, next);
          const { assets, svg } = compose(design, format, links);
          expect(checkAssets({ assets }, format)).toEqual([]);
          expect(isWellFormed(svg)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('holds no mark-up of a message', () => {
    const { design } = designFor(
      'Ad for <script>alert(1)</script>, mention "]]><svg onload=x>"',
      lookOf(BRAND),
    );
    for (const format of FORMATS.filter(({ generated }) => generated)) {
      const { assets, svg } = compose(design, format, links);
      expect(`${svg}${assets.document?.content ?? ''}`).not.toMatch(/<script|<svg onload/);
    }
  });

  it('is made in time for messages of any length', () => {
    const hostile = [
      '-'.repeat(20_000),
      'mention '.repeat(2_500),
      '"'.repeat(20_000),
      ' with a'.repeat(2_500),
    ];
    for (const message of hostile) {
      const { design } = designFor(message, lookOf(BRAND));
      expect(redesign(design, message).design.points.length).toBeLessThanOrEqual(20);
    }
  });

  it('is what a generative seller gets from a brief', () => {
    const { agent } = startAgent({ type: 'sales', handlers: {} });
    const call = { agent, caller: BUYER, now: 0, newId: (prefix: string) => `${prefix}_1` };
    const format_id = { agent_url: agent.spec.url, id: 'display_970x250' };
    const creative = generateFromBrief(
      call,
      'Jam from the hedge',
      { domain: 'bramble-jam.example' },
      format_id,
    );
    expect(creative.assets.headline?.content).toContain('Jam from the hedge');
    expect(creative.assets.image?.url).toBe('https://sales-1.agents.example/creatives/build_1/1/0.svg');
    expect(creativePages(agent)('/creatives/build_1/1/0.svg')).toBeDefined();
  });
});

/** Tags that open and close in pairs, and no character that XML does not know. */
function isWellFormed(svg: string): boolean {
  const open: string[] = [];
  for (const [, closing, name, own] of svg.matchAll(/<(\/?)([a-z]+)(?:\s[^<>]*?)?(\/?)>/g)) {
    if (closing === '/' && open.pop() !== name) return false;
    if (closing === '' && own === '') open.push(name as string);
  }
  const text = svg.replaceAll(/<[^<>]*>/g, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return open.length === 0 && !/[<>]|[\u0000-\u0008]/.test(text) && svg.isWellFormed();
}
