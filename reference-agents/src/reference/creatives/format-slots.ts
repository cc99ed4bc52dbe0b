import type { FormatAssetsItem } from '@agent-registry/surface/agent-kit';

/** Where a click leads. */
export function link(): FormatAssetsItem {
  return optional('landing_page', 'url');
}

type Limits = Omit<FormatAssetsItem, 'name' | 'asset_type' | 'required'>;

/** An asset that a creative must have. */
export function slot(name: string, asset_type: string, limits: Limits = {}): FormatAssetsItem {
  return { name, asset_type, required: true, ...limits };
}

/** An asset that a creative may have. */
export function optional(name: string, asset_type: string, limits: Limits = {}): FormatAssetsItem {
  return { name, asset_type, required: false, ...limits };
}

export function requiredText(name: string, max_length: number): FormatAssetsItem {
  return slot(name, 'text', { max_length });
}

export function optionalText(name: string, max_length: number): FormatAssetsItem {
  return optional(name, 'text', { max_length });
}
