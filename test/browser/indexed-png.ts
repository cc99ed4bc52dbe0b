import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const COLOURS = 256;
/** Of the header (PNG, 11.2.1): 8 bits for each pixel, which are the index of a colour; usual packing, not interlaced. */
const INDEXED = [8, 3, 0, 0, 0];

/**
 * A PNG with the 256 commonest colours of another one, for each other colour the nearest: a third of the bytes. The browser reads the
 * picture, in a page that is blank.
 */
export async function indexedPng(blank: Page, png: Buffer): Promise<Buffer> {
  const { width, height, packed } = await blank.evaluate<Pixels>(`(${READ})('${png.toString('base64')}')`);
  const pixels = Buffer.from(packed, 'base64');
  const colourAt = (at: number) => pixels.readUIntBE(at * 4, 3);
  const counts = new Map<number, number>();
  for (let at = 0; at < width * height; at += 1)
    counts.set(colourAt(at), (counts.get(colourAt(at)) ?? 0) + 1);
  const palette = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, COLOURS)
    .map(([colour]) => colour);
  const index = new Map([...counts.keys()].map((colour) => [colour, nearest(colour, palette)]));
  // each row begins with its filter: none
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      rows[y * (width + 1) + 1 + x] = index.get(colourAt(y * width + x)) ?? 0;
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([size, Buffer.from(INDEXED)])),
    chunk('PLTE', Buffer.from(palette.flatMap(partsOf))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Four bytes for each pixel, in base64. */
  readonly packed: string;
}

const READ = `async (text) => {
  const picture = await createImageBitmap(new Blob([Uint8Array.fromBase64(text)], { type: 'image/png' }));
  const { width, height } = picture;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(picture, 0, 0);
  return { width, height, packed: new Uint8Array(context.getImageData(0, 0, width, height).data.buffer).toBase64() };
}`;

function nearest(colour: number, palette: readonly number[]): number {
  const apart = palette.map((one) => {
    const other = partsOf(one);
    return partsOf(colour).reduce((sum, part, at) => sum + (part - (other[at] ?? 0)) ** 2, 0);
  });
  return apart.indexOf(Math.min(...apart));
}

function partsOf(colour: number): number[] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

/** PNG, 5.3. */
function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}
