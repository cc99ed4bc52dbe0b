import { isObject, type JsonObject } from '@agent-registry/surface/agent-kit';
import { publicError } from './errors.ts';
import { objects, type TaskDialect, withItems, without } from './wire.ts';

/** How long a preview is said to be there; it is part of the answer, so nothing of it ends. */
const PREVIEW_MS = 3_600_000;

/** Kinds of files by the names that formats list them under. */
const IMAGE_TYPES: Readonly<Record<string, string>> = { 'image/svg+xml': 'svg', 'image/jpeg': 'jpg' };

export const creativeDialect: Readonly<Record<string, TaskDialect>> = {
  list_creative_formats: {
    answer: (answer) => withItems(answer, 'formats', publicFormat),
  },
  build_creative: {
    request: ({ target_format_id: target, creative_manifest: manifest, ...request }) => ({
      ...request,
      ...(request.target_format_ids === undefined && isObject(target) && { target_format_ids: [target] }),
      ...(request.creative_manifests === undefined &&
        isObject(manifest) && { creative_manifests: [manifest] }),
      ...(request.message === undefined && isObject(manifest) && { message: 'the same in another format' }),
    }),
    answer: builtAnswer,
  },
  preview_creative: {
    answer: previewAnswer,
  },
  sync_creatives: {
    request: withAssignments,
    answer: (answer) => withItems(answer, 'creatives', syncedCreative),
  },
};

/** One creative for whoever asked for one format, a list for whoever asked for several. */
function builtAnswer(answer: JsonObject, request: JsonObject): JsonObject {
  const manifests = objects(answer.creative_manifests);
  const named = isObject(request.target_format_id) || isObject(request.creative_manifest);
  const one = named && request.target_format_ids === undefined && manifests.length === 1;
  return one
    ? { ...without(answer, 'creative_manifests'), creative_manifest: manifests[0] }
    : { ...answer, creative_manifests: manifests };
}

function publicFormat(format: JsonObject): JsonObject {
  const { dimensions, assets } = format;
  return {
    ...format,
    ...(isObject(dimensions) && { renders: [{ role: 'primary', dimensions }] }),
    assets: objects(assets).map(publicSlot),
  };
}

function publicSlot(slot: JsonObject): JsonObject {
  return {
    item_type: 'individual',
    asset_id: slot.name,
    ...slot,
    required: slot.required === true,
    requirements: requirementsOf(slot),
  };
}

function requirementsOf({
  asset_type: type,
  max_length: length,
  dimensions,
  mime_types: types,
  file_sizes: sizes,
}: JsonObject): JsonObject {
  const kilobytes =
    isObject(sizes) && typeof sizes.max_bytes === 'number' ? Math.ceil(sizes.max_bytes / 1_000) : undefined;
  if (type === 'text') return length === undefined ? {} : { max_length: length };
  if (type !== 'image') return {};
  const { width, height } = isObject(dimensions) ? dimensions : {};
  const formats = Array.isArray(types)
    ? types.map((name) => IMAGE_TYPES[String(name)] ?? String(name).replace('image/', ''))
    : [];
  return {
    ...(width !== undefined && {
      min_width: width,
      max_width: width,
      min_height: height,
      max_height: height,
    }),
    ...(formats.length > 0 && { formats }),
    ...(kilobytes !== undefined && { max_file_size_kb: kilobytes }),
  };
}

function previewAnswer(
  answer: JsonObject,
  _request: JsonObject,
  { now }: { readonly now: number },
): JsonObject {
  return {
    response_type: 'single',
    ...answer,
    expires_at: new Date(now + PREVIEW_MS).toISOString(),
    previews: objects(answer.previews).map((preview, index) => ({
      ...preview,
      input: { name: `preview ${index + 1}` },
      renders: [
        {
          render_id: `${preview.preview_id}-primary`,
          role: 'primary',
          output_format: 'html',
          preview_html: preview.html,
          ...(preview.dimensions !== undefined && { dimensions: preview.dimensions }),
        },
      ],
    })),
  };
}

/** One assignment there is a creative in a package; here it is a package with its creatives. */
function withAssignments(request: JsonObject): JsonObject {
  const { assignments } = request;
  if (!Array.isArray(assignments)) return request;
  return {
    ...request,
    assignments: objects(assignments).map(({ creative_id: id, ...one }) =>
      one.creative_ids === undefined && id !== undefined ? { ...one, creative_ids: [id] } : one,
    ),
  };
}

/** What was not taken has no status there. */
function syncedCreative(creative: JsonObject): JsonObject {
  const gone = creative.action === 'failed' || creative.action === 'deleted';
  const shown = gone ? without(creative, 'status') : creative;
  return Array.isArray(shown.errors) ? { ...shown, errors: shown.errors.map(publicError) } : shown;
}
