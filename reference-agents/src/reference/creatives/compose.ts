import type { Asset, FormatAssetsItem } from '@agent-registry/surface/agent-kit';
import { escaped } from '../text/escape.ts';
import { type Copy, copyOf, fitted } from './copy.ts';
import type { Design } from './design.ts';
import type { CreativeFormat } from './format-table.ts';
import { pictureOf, type Size } from './picture.ts';

/** A design in one format: its assets, and the picture that is served at `pictureUrl`. */
export interface Composed {
  readonly assets: Readonly<Record<string, Asset>>;
  readonly svg: string;
}

/** What a creative needs beside its design. */
export interface Links {
  /** Where the picture will be. */
  readonly pictureUrl: string;
  /** Where a click leads; absent when no brand is named. */
  readonly landingPage?: string;
}

const NO_SIZE: Size = { width: 600, height: 400 };

/** Fits a design into a format: texts to their length, the picture to its size. Only for formats that can be generated. */
export function compose(design: Design, format: CreativeFormat, links: Links): Composed {
  const copy = copyOf(design);
  const image = format.assets.find(({ asset_type }) => asset_type === 'image');
  const size = image?.dimensions ?? format.dimensions ?? NO_SIZE;
  const svg = pictureOf(design, copy, size);
  const picture = { url: links.pictureUrl, ...size, file_size_bytes: Buffer.byteLength(svg) };
  const assets = format.assets.flatMap((slot) => {
    const asset = assetFor(slot, { design, copy, links, picture });
    return asset === undefined ? [] : [[slot.name, asset] as const];
  });
  return { assets: Object.fromEntries(assets), svg };
}

interface Parts {
  readonly design: Design;
  readonly copy: Copy;
  readonly links: Links;
  readonly picture: Size & { readonly url: string; readonly file_size_bytes: number };
}

function assetFor(slot: FormatAssetsItem, { design, copy, links, picture }: Parts): Asset | undefined {
  const { asset_type } = slot;
  if (asset_type === 'image') return { asset_type, ...picture, mime_type: 'image/svg+xml' };
  if (asset_type === 'html') return { asset_type, content: documentOf(design, copy), mime_type: 'text/html' };
  if (asset_type === 'url') return linkTo(links.landingPage);
  const said = { ...copy, sponsored_by: design.brandName || 'Sponsored' };
  const content = Object.hasOwn(said, slot.name) ? said[slot.name as keyof typeof said] : '';
  return content === '' ? undefined : { asset_type, content: fitted(content, slot.max_length ?? 300) };
}

/** A creative as a document of its own, without scripts. */
function documentOf({ colours, brandName }: Design, { headline, body, cta }: Copy): string {
  const look = `margin:0;padding:16px;font-family:sans-serif;background:${colours.background};color:${colours.text}`;
  return [
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(headline)}</title>`,
    `<body style="${escaped(look)}"><small>${escaped(brandName)}</small>`,
    `<h1 style="font-size:22px">${escaped(headline)}</h1><p>${escaped(fitted(body, 400))}</p>`,
    `<strong style="color:${escaped(colours.accent)}">${escaped(cta)}</strong></body></html>`,
  ].join('\n');
}

function linkTo(url: string | undefined): Asset | undefined {
  return url === undefined ? undefined : { asset_type: 'url', url };
}
