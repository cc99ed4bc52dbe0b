import {
  type Asset,
  type CreativeManifest,
  type FormatAssetsItem,
  pointerOf,
} from '@agent-registry/surface/agent-kit';
import type { CreativeFormat } from './format-table.ts';

/** A rule of a format that a creative can break. */
export type AssetRule =
  | 'ASSET_MISSING'
  | 'ASSET_UNKNOWN'
  | 'ASSET_WRONG_TYPE'
  | 'ASSET_WITHOUT_CONTENT'
  | 'ASSET_WRONG_DIMENSIONS'
  | 'ASSET_WRONG_DURATION'
  | 'ASSET_WRONG_CODEC'
  | 'ASSET_WRONG_MIME_TYPE'
  | 'ASSET_TOO_LARGE'
  | 'ASSET_TEXT_TOO_LONG'
  | 'ASSET_NOT_HTTPS';

/** One place where a creative does not follow its format. */
export interface AssetProblem {
  readonly rule: AssetRule;
  /** JSON Pointer into the creative. */
  readonly pointer: string;
  /** What is wrong and how it should be; never the caller's own words. */
  readonly message: string;
}

/**
 * Every place where the assets of a creative do not follow the format; empty when it can run. What a file is, is taken
 * from what the creative says of it: dimensions and duration have to be said, codec, media type and size only count
 * when they are.
 */
export function checkAssets(
  { assets }: Pick<CreativeManifest, 'assets'>,
  format: CreativeFormat,
): readonly AssetProblem[] {
  const given = new Map(Object.entries(assets));
  const known = format.assets.flatMap((slot) => checkSlot(given.get(slot.name), slot));
  const names = new Set(format.assets.map(({ name }) => name));
  const unknown = [...given.keys()].filter((name) => !names.has(name));
  return [...known, ...unknown.map((name) => unknownAsset(name, format))];
}

function unknownAsset(name: string, { assets }: CreativeFormat): AssetProblem {
  const names = assets.map((slot) => slot.name).join(', ');
  return found('ASSET_UNKNOWN', [name], `unknown asset of this format; known assets: ${names}`);
}

function checkSlot(asset: Asset | undefined, slot: FormatAssetsItem): readonly AssetProblem[] {
  const { name, asset_type } = slot;
  if (asset === undefined) {
    const missing = found(
      'ASSET_MISSING',
      [name],
      `the format requires the asset ${name} of type ${asset_type}`,
    );
    return slot.required === true ? [missing] : [];
  }
  if (asset.asset_type !== asset_type) {
    return [
      found('ASSET_WRONG_TYPE', [name, 'asset_type'], `the asset ${name} must have type ${asset_type}`),
    ];
  }
  return RULES.flatMap((rule) => rule(asset, slot) ?? []);
}

type Rule = (asset: Asset, slot: FormatAssetsItem) => AssetProblem | undefined;

const RULES: readonly Rule[] = [content, https, text, dimensions, duration, codec, mimeType, size];

/** Types whose asset is a text in the creative itself, or a file. */
const WRITTEN: ReadonlySet<string> = new Set(['text', 'html']);

function content(asset: Asset, { name, asset_type }: FormatAssetsItem): AssetProblem | undefined {
  const written = WRITTEN.has(asset_type) && (asset.content ?? '').trim() !== '';
  if (written || asset.url !== undefined) return undefined;
  if (!WRITTEN.has(asset_type)) return found('ASSET_WITHOUT_CONTENT', [name, 'url'], 'a url is required');
  return found('ASSET_WITHOUT_CONTENT', [name, 'content'], 'content or a url is required');
}

function https({ url }: Asset, { name }: FormatAssetsItem): AssetProblem | undefined {
  if (url === undefined || (URL.canParse(url) && new URL(url).protocol === 'https:')) return undefined;
  return found('ASSET_NOT_HTTPS', [name, 'url'], 'the url must begin with https://');
}

function text(asset: Asset, { name, max_length: most }: FormatAssetsItem): AssetProblem | undefined {
  if (most === undefined || asset.content === undefined || [...asset.content].length <= most)
    return undefined;
  return found('ASSET_TEXT_TOO_LONG', [name, 'content'], `the text must have at most ${most} characters`);
}

function dimensions(asset: Asset, slot: FormatAssetsItem): AssetProblem | undefined {
  const wanted = slot.dimensions;
  if (wanted === undefined || WRITTEN.has(slot.asset_type)) return undefined;
  const wrong = (['width', 'height'] as const).find((side) => asset[side] !== wanted[side]);
  if (wrong === undefined) return undefined;
  const message = `the ${wrong} is required and must be ${wanted[wrong]} pixels`;
  return found('ASSET_WRONG_DIMENSIONS', [slot.name, wrong], message);
}

function duration({ duration_ms }: Asset, slot: FormatAssetsItem): AssetProblem | undefined {
  const { min_ms = 0, max_ms = Number.POSITIVE_INFINITY } = slot.duration_limits ?? { max_ms: undefined };
  if (slot.duration_limits === undefined) return undefined;
  if (duration_ms !== undefined && duration_ms >= min_ms && duration_ms <= max_ms) return undefined;
  const message = `the duration is required and must be ${min_ms} to ${max_ms} milliseconds`;
  return found('ASSET_WRONG_DURATION', [slot.name, 'duration_ms'], message);
}

function codec(asset: Asset, { name, codecs }: FormatAssetsItem): AssetProblem | undefined {
  if (taken(asset.codec, codecs)) return undefined;
  return found('ASSET_WRONG_CODEC', [name, 'codec'], `the codec must be ${codecs?.join(' or ')}`);
}

function mimeType(asset: Asset, { name, mime_types }: FormatAssetsItem): AssetProblem | undefined {
  if (taken(asset.mime_type, mime_types)) return undefined;
  const message = `the media type must be ${mime_types?.join(' or ')}`;
  return found('ASSET_WRONG_MIME_TYPE', [name, 'mime_type'], message);
}

function size(asset: Asset, { name, file_sizes }: FormatAssetsItem): AssetProblem | undefined {
  const most = file_sizes?.max_bytes;
  if (most === undefined || (asset.file_size_bytes ?? 0) <= most) return undefined;
  return found('ASSET_TOO_LARGE', [name, 'file_size_bytes'], `the file must have at most ${most} bytes`);
}

/** What is not said, and what no rule names, is taken. */
function taken(value: string | undefined, allowed: readonly string[] | undefined): boolean {
  return value === undefined || allowed === undefined || allowed.includes(value.toLowerCase());
}

function found(rule: AssetRule, steps: readonly string[], message: string): AssetProblem {
  return { rule, pointer: pointerOf(['assets', ...steps]), message };
}
