import type { Handlers } from '../handler.ts';
import { buildCreative } from './build.ts';
import { listCreativeFormats } from './list-formats.ts';
import { previewCreative } from './preview.ts';
import { syncCreatives, syncCreativesOnly } from './sync.ts';
import { validateCreative } from './validate.ts';

/** The tasks of a creative agent. */
export const creativeHandlers: Handlers = {
  list_creative_formats: listCreativeFormats,
  build_creative: buildCreative,
  sync_creatives: syncCreativesOnly,
  preview_creative: previewCreative,
  validate_creative: validateCreative,
};

/** The tasks with creatives that a seller has. */
export const creativeLibraryHandlers: Handlers = {
  list_creative_formats: listCreativeFormats,
  sync_creatives: syncCreatives,
};
