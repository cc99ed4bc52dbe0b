import type { Format, FormatAssetsItem } from '@agent-registry/surface/agent-kit';
import { link, optional, optionalText, requiredText, slot } from './format-slots.ts';

/** A format as it stands in the table: under its id alone, as each agent lists it under its own address. */
export interface CreativeFormat extends Omit<Format, 'format_id' | 'assets'> {
  readonly id: string;
  readonly assets: readonly FormatAssetsItem[];
  /** True when the agents of the sandbox can make creatives of it from words. */
  readonly generated: boolean;
}

const PICTURES = ['image/svg+xml', 'image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** What goes with a picture. */
const TEXTS = [optionalText('headline', 40), optionalText('body', 90), optionalText('cta', 20)];
const KILOBYTE = 1_000;
const MEGABYTE = 1_000_000;

/** Every format that the sandbox's agents speak of. All of it is invented but for the sizes that everybody uses. */
// biome-ignore format: one format a line
export const FORMATS: readonly CreativeFormat[] = [
  display('display_300x250', 'Medium rectangle', 300, 250, 150),
  display('display_728x90', 'Leaderboard', 728, 90, 150),
  display('display_970x250', 'Billboard', 970, 250, 250),
  display('display_160x600', 'Wide skyscraper', 160, 600, 150),
  display('display_320x50', 'Mobile banner', 320, 50, 50),
  html('display_html_300x250', 'Medium rectangle in HTML', 300, 250),
  native(),
  newsletter(),
  video('video_16x9_15s', 'Video, 15 seconds', 1920, 1080, 15, 20),
  video('video_16x9_30s', 'Video, 30 seconds', 1920, 1080, 30, 40),
  video('video_9x16_15s', 'Upright video, 15 seconds', 1080, 1920, 15, 20),
  video('ctv_16x9_30s', 'Television spot, 30 seconds', 1920, 1080, 30, 80),
  audio('audio_15s', 'Audio, 15 seconds', 15),
  audio('audio_30s', 'Audio, 30 seconds', 30),
  screen('dooh_1080x1920', 'Upright screen in the street', 1080, 1920),
  screen('dooh_1920x1080', 'Wide screen on a platform', 1920, 1080),
];

function display(id: string, name: string, width: number, height: number, kilobytes: number): CreativeFormat {
  const limits = {
    dimensions: { width, height },
    mime_types: PICTURES,
    file_sizes: { max_bytes: kilobytes * KILOBYTE },
  };
  const description = `A picture of ${width} by ${height} pixels, with texts for readers who do not see it`;
  const assets = [slot('image', 'image', limits), ...TEXTS, link()];
  return { id, name, description, type: 'display', ...limits, assets, generated: true };
}

function html(id: string, name: string, width: number, height: number): CreativeFormat {
  const dimensions = { width, height };
  const description = 'A document of its own, shown in a frame without scripts of the page';
  const assets = [
    slot('document', 'html', { dimensions, max_length: 50_000 }),
    optional('image', 'image', { mime_types: PICTURES }),
    link(),
  ];
  return {
    id,
    name,
    description,
    type: 'display',
    dimensions,
    mime_types: ['text/html'],
    assets,
    generated: true,
  };
}

function native(): CreativeFormat {
  const dimensions = { width: 1200, height: 627 };
  const image = slot('image', 'image', {
    dimensions,
    mime_types: PICTURES,
    file_sizes: { max_bytes: 300 * KILOBYTE },
  });
  const assets = [
    requiredText('headline', 50),
    requiredText('body', 140),
    optionalText('cta', 20),
    requiredText('sponsored_by', 40),
    image,
    link(),
  ];
  const description = 'A card in the style of the page, with a picture';
  return {
    id: 'native_card',
    name: 'Native card',
    description,
    type: 'native',
    dimensions,
    assets,
    generated: true,
  };
}

function newsletter(): CreativeFormat {
  const assets = [requiredText('headline', 60), requiredText('body', 400), requiredText('cta', 30), link()];
  const description = 'A paragraph in a letter to readers';
  return {
    id: 'newsletter_text',
    name: 'Text in a newsletter',
    description,
    type: 'native',
    assets,
    generated: true,
  };
}

function video(
  id: string,
  name: string,
  width: number,
  height: number,
  seconds: number,
  megabytes: number,
): CreativeFormat {
  const codecs = id.startsWith('ctv') ? ['h264', 'h265'] : ['h264'];
  const limits = {
    dimensions: { width, height },
    codecs,
    mime_types: ['video/mp4'],
    file_sizes: { max_bytes: megabytes * MEGABYTE },
    duration_limits: { min_ms: 5_000, max_ms: seconds * 1_000 },
  };
  const captions = optional('captions', 'text', {
    mime_types: ['text/vtt'],
    file_sizes: { max_bytes: 100 * KILOBYTE },
  });
  const description = `A video of ${width} by ${height} pixels and 5 to ${seconds} seconds`;
  return {
    id,
    name,
    description,
    type: 'video',
    ...limits,
    assets: [slot('video', 'video', limits), captions, link()],
    generated: false,
  };
}

function audio(id: string, name: string, seconds: number): CreativeFormat {
  const limits = {
    codecs: ['mp3', 'aac'],
    mime_types: ['audio/mpeg', 'audio/mp4', 'audio/aac'],
    file_sizes: { max_bytes: 5 * MEGABYTE },
    duration_limits: { min_ms: 5_000, max_ms: seconds * 1_000 },
  };
  const companion = optional('companion', 'image', {
    dimensions: { width: 300, height: 250 },
    mime_types: PICTURES,
  });
  const description = `A spot of 5 to ${seconds} seconds, with a picture where there is a screen`;
  return {
    id,
    name,
    description,
    type: 'audio',
    ...limits,
    assets: [slot('audio', 'audio', limits), companion, link()],
    generated: false,
  };
}

function screen(id: string, name: string, width: number, height: number): CreativeFormat {
  const limits = {
    dimensions: { width, height },
    mime_types: PICTURES,
    file_sizes: { max_bytes: 2 * MEGABYTE },
  };
  const description = 'A picture that stands for ten seconds';
  return {
    id,
    name,
    description,
    type: 'dooh',
    ...limits,
    assets: [slot('image', 'image', limits)],
    generated: true,
  };
}
