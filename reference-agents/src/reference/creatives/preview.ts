import { hash } from 'node:crypto';
import type { Asset, CreativeManifest, Dimensions } from '@agent-registry/surface/agent-kit';
import { handler, refuse } from '../handler.ts';
import { escaped } from '../text/escape.ts';
import { fitted } from './copy.ts';
import { type CreativeFormat, findFormat } from './formats.ts';
import type { Size } from './picture.ts';

/** Pixels of a side. */
const MAX_SIDE = 10_000;

/** What is shown of one text. */
const MAX_TEXT = 2_000;

/** What all texts of a preview may have together, so that the answer keeps its bound. */
const MAX_HTML = 90_000;

const NO_SIZE: Size = { width: 600, height: 400 };

/**
 * preview_creative: a document for each size, in which the texts are escaped, pictures come from where the creative
 * says, and nothing runs. A creative that breaks its format is shown all the same; validate_creative says what is wrong.
 */
export const previewCreative = handler('preview_creative', {
  description: 'Renders a preview of a creative',
  callers: 'anybody',
  run: ({ creative, sizes }, call) => {
    const format = findFormat(call, creative.format_id, '/creative/format_id');
    for (const [at, size] of (sizes ?? []).entries()) checkSize(size, `/sizes/${at}`);
    const wanted = sizes === undefined || sizes.length === 0 ? [format.dimensions ?? NO_SIZE] : sizes;
    const parts = partsOf(creative, format);
    return { previews: wanted.map((size) => previewOf(parts, format, size)) };
  },
});

function checkSize(size: Dimensions, pointer: string): void {
  const wrong = (['width', 'height'] as const).find((side) => size[side] < 1 || size[side] > MAX_SIDE);
  if (wrong === undefined) return;
  refuse('VALIDATION_ERROR', `the ${wrong} must be 1 to ${MAX_SIDE} pixels`, `${pointer}/${wrong}`);
}

function previewOf(parts: readonly string[], format: CreativeFormat, { width, height }: Size) {
  const html = htmlOf(parts, format, { width, height });
  const id = hash('sha256', html).slice(0, 24);
  return { preview_id: `preview-${id}`, html, dimensions: { width, height } };
}

/** The assets in the order of the format; one that is too long for a preview is left out. */
function partsOf({ assets }: CreativeManifest, format: CreativeFormat): readonly string[] {
  const parts: string[] = [];
  let room = MAX_HTML;
  for (const { name } of format.assets) {
    const part = Object.hasOwn(assets, name) ? partOf(name, assets[name] as Asset) : '';
    if (part === '' || part.length > room) continue;
    room -= part.length;
    parts.push(part);
  }
  return parts;
}

function htmlOf(parts: readonly string[], format: CreativeFormat, { width, height }: Size): string {
  const policy = "default-src 'none'; img-src https:; media-src https:; style-src 'unsafe-inline'";
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="content-security-policy" content="${escaped(policy)}"><title>${escaped(format.name)}</title></head>`,
    `<body style="margin:0"><div style="width:${width}px;height:${height}px;overflow:auto;font-family:sans-serif">`,
    ...parts,
    '</div></body></html>',
  ].join('\n');
}

/** One asset; a file only from an https address, a document only in a frame of its own in which nothing runs. */
function partOf(name: string, { asset_type, url, content }: Asset): string {
  const source = url?.startsWith('https://') === true ? escaped(url) : undefined;
  if (asset_type === 'html' && content !== undefined) return frame(content);
  if (content !== undefined) return `<p class="${escaped(name)}">${escaped(fitted(content, MAX_TEXT))}</p>`;
  if (source === undefined) return '';
  if (asset_type === 'image') return `<img src="${source}" alt="" style="max-width:100%">`;
  if (asset_type === 'video') return `<video src="${source}" controls style="max-width:100%"></video>`;
  if (asset_type === 'audio') return `<audio src="${source}" controls></audio>`;
  return asset_type === 'url' ? `<a href="${source}" rel="nofollow noopener">${source}</a>` : '';
}

function frame(content: string): string {
  return `<iframe sandbox="" srcdoc="${escaped(content)}" style="border:0;width:100%;height:100%"></iframe>`;
}
