import { describe, expect, it } from 'vitest';
import { checkAssets } from '../../src/reference/creatives/check-assets.ts';
import { type CreativeFormat, formatNamed } from '../../src/reference/creatives/formats.ts';
import { creativeHandlers } from '../../src/reference/handlers.ts';
import { startAgent } from './support.ts';

const VIDEO = formatNamed('video_16x9_15s') as CreativeFormat;
const NATIVE = formatNamed('native_card') as CreativeFormat;

const CLIP = {
  asset_type: 'video',
  url: 'https://cdn.example/a.mp4',
  width: 1920,
  height: 1080,
  duration_ms: 15_000,
};
const CARD = {
  headline: { asset_type: 'text', content: 'Jam' },
  body: { asset_type: 'text', content: 'From the hedge' },
  sponsored_by: { asset_type: 'text', content: 'Bramble Jam' },
  image: { asset_type: 'image', url: 'https://cdn.example/jam.png', width: 1200, height: 627 },
};

describe('assets of a creative', () => {
  it('are right when they follow their format', () => {
    expect(checkAssets({ assets: { video: CLIP } }, VIDEO)).toEqual([]);
    expect(checkAssets({ assets: CARD }, NATIVE)).toEqual([]);
  });

  it('may leave out what is optional, and codec, media type and size', () => {
    const more = { ...CLIP, codec: 'H264', mime_type: 'video/mp4', file_size_bytes: 20_000_000 };
    const landing_page = { asset_type: 'url', url: 'https://brand.example/' };
    expect(checkAssets({ assets: { video: more, landing_page } }, VIDEO)).toEqual([]);
  });

  it.each([
    ['a missing asset', {}, 'ASSET_MISSING', '/assets/video'],
    ['an unknown asset', { video: CLIP, 'a/b': CLIP }, 'ASSET_UNKNOWN', '/assets/a~1b'],
    [
      'another type',
      { video: { ...CLIP, asset_type: 'image' } },
      'ASSET_WRONG_TYPE',
      '/assets/video/asset_type',
    ],
    ['no address', { video: { ...CLIP, url: undefined } }, 'ASSET_WITHOUT_CONTENT', '/assets/video/url'],
    [
      'an address in the open',
      { video: { ...CLIP, url: 'http://cdn.example/a.mp4' } },
      'ASSET_NOT_HTTPS',
      '/assets/video/url',
    ],
    [
      'a script for an address',
      { video: { ...CLIP, url: 'javascript:alert(1)' } },
      'ASSET_NOT_HTTPS',
      '/assets/video/url',
    ],
    ['another width', { video: { ...CLIP, width: 1280 } }, 'ASSET_WRONG_DIMENSIONS', '/assets/video/width'],
    [
      'a height that is not said',
      { video: { ...CLIP, height: undefined } },
      'ASSET_WRONG_DIMENSIONS',
      '/assets/video/height',
    ],
    [
      'a second too long',
      { video: { ...CLIP, duration_ms: 15_001 } },
      'ASSET_WRONG_DURATION',
      '/assets/video/duration_ms',
    ],
    [
      'a duration that is not said',
      { video: { ...CLIP, duration_ms: undefined } },
      'ASSET_WRONG_DURATION',
      '/assets/video/duration_ms',
    ],
    ['another codec', { video: { ...CLIP, codec: 'vp9' } }, 'ASSET_WRONG_CODEC', '/assets/video/codec'],
    [
      'another media type',
      { video: { ...CLIP, mime_type: 'video/webm' } },
      'ASSET_WRONG_MIME_TYPE',
      '/assets/video/mime_type',
    ],
    [
      'a byte too many',
      { video: { ...CLIP, file_size_bytes: 20_000_001 } },
      'ASSET_TOO_LARGE',
      '/assets/video/file_size_bytes',
    ],
  ])('tell %s with its place', (_what, assets, rule, pointer) => {
    const given = JSON.parse(JSON.stringify(assets));
    expect(checkAssets({ assets: given }, VIDEO)).toMatchObject([{ rule, pointer }]);
  });

  it('count the characters of a text as people do', () => {
    const headline = { asset_type: 'text', content: '🫐'.repeat(50) };
    expect(checkAssets({ assets: { ...CARD, headline } }, NATIVE)).toEqual([]);
    const long = { ...headline, content: '🫐'.repeat(51) };
    expect(checkAssets({ assets: { ...CARD, headline: long } }, NATIVE)).toMatchObject([
      { rule: 'ASSET_TEXT_TOO_LONG', pointer: '/assets/headline/content' },
    ]);
  });

  it('take the names of prototypes for names', () => {
    const assets = JSON.parse(
      '{"__proto__": {"asset_type": "video"}, "constructor": {"asset_type": "video"}}',
    );
    const rules = checkAssets({ assets: { ...CARD, ...assets } }, NATIVE).map(({ rule }) => rule);
    expect(rules).toContain('ASSET_UNKNOWN');
    expect(checkAssets({ assets }, VIDEO).map(({ pointer }) => pointer)).toContain('/assets/__proto__');
  });
});

describe('list_creative_formats', () => {
  const start = () => startAgent({ type: 'creative', handlers: creativeHandlers });

  it('tells dimensions, codecs, file sizes and duration limits under the address of the agent', async () => {
    const agent = start();
    const { formats } = await agent.call('list_creative_formats', { type: 'video' });
    expect(formats[0]).toMatchObject({
      format_id: { agent_url: agent.agent.spec.url, id: 'video_16x9_15s' },
      dimensions: { width: 1920, height: 1080 },
      codecs: ['h264'],
      file_sizes: { max_bytes: 20_000_000 },
      duration_limits: { min_ms: 5_000, max_ms: 15_000 },
    });
    expect(formats[0].generated).toBeUndefined();
  });

  it('filters by name and asset, and gives pages', async () => {
    const agent = start();
    const sounds = await agent.call('list_creative_formats', {
      asset_types: ['audio'],
      name_search: '30 SEC',
    });
    expect(sounds.formats.map(({ format_id }: { format_id: { id: string } }) => format_id.id)).toEqual([
      'audio_30s',
    ]);
    const page = await agent.call('list_creative_formats', { pagination: { max_results: 3 } });
    expect(page.formats).toHaveLength(3);
    expect(page.pagination.has_more).toBe(true);
  });

  it.each([
    [
      'an unknown id',
      { agent_url: 'https://creative-1.agents.example/mcp', id: 'moon_poster' },
      '/format_ids/0/id',
    ],
    [
      'an unknown agent',
      { agent_url: 'https://strange.example/', id: 'display_300x250' },
      '/format_ids/0/agent_url',
    ],
  ])('refuses %s', async (_what, format_id, pointer) => {
    const refusal = await start().refusal('list_creative_formats', { format_ids: [format_id] });
    expect(refusal).toMatchObject({ code: 'FORMAT_NOT_FOUND', pointer });
  });

  it('knows the formats of the other creative agents, however their address is spelt', async () => {
    const format_ids = [{ agent_url: 'https://INKPOT.example:443/a2a/', id: 'display_300x250' }];
    expect((await start().call('list_creative_formats', { format_ids })).formats).toHaveLength(1);
  });
});

describe('validate_creative', () => {
  it('tells every place that is wrong, in words of its own', async () => {
    const agent = startAgent({ type: 'creative', handlers: creativeHandlers });
    const format_id = { agent_url: agent.agent.spec.url, id: 'display_300x250' };
    const image = {
      asset_type: 'image',
      url: 'http://x.example/b',
      width: 1,
      height: 250,
      mime_type: '<script>',
    };
    const answer = await agent.call('validate_creative', {
      creative: { format_id, assets: { image } },
    });
    expect(answer.valid).toBe(false);
    expect(answer.problems.map(({ code }: { code: string }) => code)).toEqual([
      'ASSET_NOT_HTTPS',
      'ASSET_WRONG_DIMENSIONS',
      'ASSET_WRONG_MIME_TYPE',
    ]);
    expect(JSON.stringify(answer)).not.toContain('<');
  });

  it('holds it against another format when one is named', async () => {
    const agent = startAgent({ type: 'creative', handlers: creativeHandlers });
    const agent_url = agent.agent.spec.url;
    const creative = { format_id: { agent_url, id: 'native_card' }, assets: CARD };
    expect((await agent.call('validate_creative', { creative })).valid).toBe(true);
    const other = await agent.call('validate_creative', {
      creative,
      format_id: { agent_url, id: 'audio_30s' },
    });
    expect(other.valid).toBe(false);
  });
});

describe('preview_creative', () => {
  const start = () => startAgent({ type: 'creative', handlers: creativeHandlers });

  it('escapes every word, takes files from https alone, and runs nothing', async () => {
    const agent = start();
    const format_id = { agent_url: agent.agent.spec.url, id: 'display_300x250' };
    const { previews } = await agent.call('preview_creative', {
      creative: {
        format_id,
        assets: {
          image: { asset_type: 'image', url: "https://cdn.example/a.png?a=1&b='onerror='x" },
          headline: { asset_type: 'text', content: '<script>alert(1)</script>' },
          landing_page: { asset_type: 'url', url: 'javascript:alert(1)' },
        },
      },
    });
    expect(previews[0].dimensions).toEqual({ width: 300, height: 250 });
    expect(previews[0].html).toContain('&lt;script&gt;');
    expect(previews[0].html).toContain('a=1&amp;b=&#39;onerror');
    expect(previews[0].html).not.toMatch(/<script|javascript:/);
  });

  it('shows a document in a frame of its own', async () => {
    const agent = start();
    const format_id = { agent_url: agent.agent.spec.url, id: 'display_html_300x250' };
    const document = { asset_type: 'html', content: '</iframe><script>alert(1)</script>"' };
    const { previews } = await agent.call('preview_creative', {
      creative: { format_id, assets: { document } },
    });
    expect(previews[0].html).toContain('<iframe sandbox=""');
    expect(previews[0].html).not.toContain('<script');
  });

  it('makes one for each size, and refuses sizes that nobody has', async () => {
    const agent = start();
    const creative = { format_id: { agent_url: agent.agent.spec.url, id: 'audio_15s' }, assets: {} };
    const sizes = [
      { width: 100, height: 50 },
      { width: 320, height: 480 },
    ];
    expect((await agent.call('preview_creative', { creative, sizes })).previews).toHaveLength(2);
    const wrong = await agent.refusal('preview_creative', {
      creative,
      sizes: [...sizes, { width: 5, height: 0 }],
    });
    expect(wrong).toMatchObject({ code: 'VALIDATION_ERROR', pointer: '/sizes/2/height' });
  });
});
