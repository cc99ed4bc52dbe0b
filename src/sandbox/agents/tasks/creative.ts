import { changes, reads, request, SHARED, type TaskTable } from './task.ts';

const { text, list, brand, account, key } = SHARED;

/** The formats that the creative agents speak of. */
export const FORMATS = [
  {
    id: 'display_300x250',
    name: 'Medium rectangle',
    type: 'display',
    dimensions: { width: 300, height: 250 },
  },
  { id: 'display_970x250', name: 'Billboard', type: 'display', dimensions: { width: 970, height: 250 } },
  {
    id: 'video_16x9_15s',
    name: 'Video, 15 seconds',
    type: 'video',
    duration_limit_ms: 15_000,
    codecs: ['h264'],
  },
  {
    id: 'audio_30s',
    name: 'Audio, 30 seconds',
    type: 'audio',
    duration_limit_ms: 30_000,
    codecs: ['aac', 'mp3'],
  },
] as const;

/** Tasks of a creative agent (specification, 4.3). */
export const CREATIVE_TASKS: TaskTable = {
  list_creative_formats: reads(
    'Lists formats with their specifications',
    request({ type: text }),
    (input, { spec }) => ({
      formats: FORMATS.filter((format) => input.type === undefined || format.type === input.type).map(
        ({ id, ...format }) => ({ format_id: { agent_url: spec.url, id }, ...format }),
      ),
    }),
  ),
  validate_creative: reads(
    'Says what a creative lacks for its format',
    request({ creative: { type: 'object' } }),
    () => ({
      valid: true,
      problems: [],
    }),
  ),
  preview_creative: reads(
    'Shows a creative as it would run',
    request({ creative: { type: 'object' } }),
    () => ({
      previews: [{ html: '<p>a fine advertisement</p>' }],
    }),
  ),
  build_creative: changes(
    'Makes a creative from a message in plain words',
    request({ idempotency_key: key, message: text, brand, target_format_ids: list }),
  ),
  sync_creatives: changes('Stores creatives', request({ idempotency_key: key, account, creatives: list })),
};
