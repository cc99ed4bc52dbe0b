import { escaped } from '../text/escape.ts';
import { type Copy, copyLines } from './copy.ts';
import { type Design, readableOn } from './design.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A creative as a picture: SVG with nothing in it that runs or loads. All words are escaped. */
export function pictureOf(design: Design, copy: Copy, size: Size): string {
  const { width, height } = size;
  const parts = width > 2.5 * height ? strip(design, copy, size) : poster(design, copy, size);
  const { background } = design.colours;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif">`,
    `<title>${escaped(copy.headline)}</title>`,
    `<rect width="${width}" height="${height}" fill="${escaped(background)}"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

/** Wide and low: words on the left, the call on the right. */
function strip(design: Design, copy: Copy, { width, height }: Size): readonly string[] {
  const { text } = design.colours;
  const small = height < 70;
  const size = Math.round(small ? height * 0.3 : Math.min(height * 0.22, width / 24));
  const room = width * 0.66;
  const lines = copyLines(copy.headline, perLine(room, size), small ? 2 : 1);
  const body = small ? [] : copyLines(copy.body, perLine(room, size * 0.65), 2);
  const top = height * (small ? 0.4 : 0.32);
  return [
    ...rows(lines, { x: height * 0.15, y: top, size, fill: text, bold: true }),
    ...rows(body, { x: height * 0.15, y: top + size * 1.3, size: size * 0.65, fill: text, bold: false }),
    ...button(design, copy, { x: width * 0.7, y: height * 0.25, width: width * 0.27, height: height * 0.5 }),
  ];
}

/** Upright or square: name, headline, body and call below each other. */
function poster(design: Design, copy: Copy, { width, height }: Size): readonly string[] {
  const { text, accent } = design.colours;
  const margin = width * 0.07;
  const size = Math.max(12, Math.round(Math.min(width / 11, height / 9)));
  const room = width - 2 * margin;
  const headline = copyLines(copy.headline, perLine(room, size), 3);
  const below = margin + size * (1.6 + 1.2 * headline.length);
  const bodySize = size * 0.7;
  const left = Math.max(1, Math.floor((height * 0.74 - below) / (bodySize * 1.3)));
  const body = copyLines(copy.body, perLine(room, bodySize), Math.min(6, left));
  const call = { x: margin, y: height * 0.8, width: room * 0.7, height: height * 0.13 };
  return [
    `<rect width="${width}" height="${Math.max(2, round(height * 0.02))}" fill="${escaped(accent)}"/>`,
    ...rows([design.brandName], { x: margin, y: margin + bodySize, size: bodySize, fill: text, bold: false }),
    ...rows(headline, { x: margin, y: margin + size * 2.2, size, fill: text, bold: true }),
    ...rows(body, { x: margin, y: below + bodySize, size: bodySize, fill: text, bold: false }),
    ...button(design, copy, call),
  ];
}

interface Row {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly fill: string;
  readonly bold: boolean;
}

function rows(lines: readonly string[], { x, y, size, fill, bold }: Row): readonly string[] {
  const weight = bold ? ' font-weight="bold"' : '';
  return lines.map(
    (line, at) =>
      `<text x="${round(x)}" y="${round(y + at * size * 1.2)}" font-size="${round(size)}"${weight} fill="${escaped(fill)}">${escaped(line)}</text>`,
  );
}

interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

function button({ colours }: Design, { cta }: Copy, { x, y, width, height }: Box): readonly string[] {
  const size = Math.min(height * 0.5, (1.6 * width) / Math.max(8, cta.length));
  const [label = ''] = copyLines(cta, perLine(width * 0.95, size), 1);
  const place = `x="${round(x + width / 2)}" y="${round(y + height / 2)}"`;
  return [
    `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${round(height * 0.15)}" fill="${escaped(colours.accent)}"/>`,
    `<text ${place} dy="0.35em" text-anchor="middle" font-size="${round(size)}" fill="${readableOn(colours.accent)}">${escaped(label)}</text>`,
  ];
}

/** Characters that fit into a line; a letter is about 0.55 of its size wide. */
function perLine(width: number, size: number): number {
  return Math.max(4, Math.floor(width / (size * 0.55)));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
