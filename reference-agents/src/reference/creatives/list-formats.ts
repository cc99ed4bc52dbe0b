import type { ListCreativeFormatsRequest } from '@agent-registry/surface/agent-kit';
import { handler } from '../handler.ts';
import { pageOf } from '../paging.ts';
import { type CreativeFormat, FORMATS, findFormat, formatOf } from './formats.ts';

/** list_creative_formats: the formats with their specifications. Refuses a format id that is not known (`FORMAT_NOT_FOUND`). */
export const listCreativeFormats = handler('list_creative_formats', {
  description: 'Lists formats with dimensions, codecs, file sizes and duration limits',
  callers: 'anybody',
  run: (request, call) => {
    const named = request.format_ids?.map((id, at) => findFormat(call, id, `/format_ids/${at}`));
    const formats = (
      named === undefined ? FORMATS : FORMATS.filter((format) => named.includes(format))
    ).filter((format) => suits(format, request));
    const { items, pagination } = pageOf(formats, request.pagination);
    return { formats: items.map((format) => formatOf(call.agent.spec, format)), pagination };
  },
});

function suits(
  { type, name, assets }: CreativeFormat,
  { type: wanted, asset_types: kinds, name_search: part }: ListCreativeFormatsRequest,
): boolean {
  if (wanted !== undefined && wanted !== type) return false;
  if (kinds !== undefined && !assets.some(({ asset_type }) => kinds.includes(asset_type))) return false;
  return part === undefined || name.toLowerCase().includes(part.toLowerCase());
}
