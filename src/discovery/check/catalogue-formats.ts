import { isObject, type JsonObject, pointerTo } from '../../base/json.ts';
import type { Report } from '../report.ts';
import type { Listed } from './catalogue-names.ts';

export const FORMAT_KINDS: readonly string[] = [
  ...['agent_placement', 'audio_daast', 'audio_hosted', 'audio_vast', 'coordinated_placements', 'custom'],
  ...['display_tag', 'html5', 'image', 'image_carousel', 'native_in_feed', 'responsive_creative'],
  ...['seller_rendered_stateful_display', 'sponsored_placement', 'video_hosted', 'video_vast'],
];

/** A format belongs to the publisher that it names, so its id is that publisher's. */
export function formatIdentity({ publisher_domain: publisher }: JsonObject, id: string): string {
  return typeof publisher === 'string' ? `${publisher} ${id}` : id;
}

/** A format of the catalogue, besides its id and its renderer. */
export function checkFormat(format: JsonObject, pointer: string, report: Report): void {
  const { format_kind: kind, params } = format;
  if (typeof kind !== 'string' || !isObject(params)) report.add('format_incomplete', pointer);
  if (typeof kind !== 'string') return;
  if (!FORMAT_KINDS.includes(kind))
    report.add('format_kind_unknown', pointerTo(pointer, 'format_kind'), kind);
  for (const fault of faultsOf(format)) report.add('format_members', pointer, fault);
}

function* faultsOf(format: JsonObject): Generator<string> {
  const has = (member: string): boolean => Object.hasOwn(format, member);
  const isCanonicalOnly = format.canonical_formats_only === true;
  const ofCustom = ['format_shape', 'format_schema'];
  if (format.format_kind === 'custom') {
    const missing = ofCustom.find((member) => !has(member));
    if (missing !== undefined) yield `custom needs ${missing}`;
    if (!isCanonicalOnly && !has('v1_format_ref'))
      yield 'custom needs v1_format_ref, or canonical_formats_only true';
  } else {
    const extra = ofCustom.find(has);
    if (extra !== undefined) yield `${extra} is of custom formats only`;
  }
  if (isCanonicalOnly && has('v1_format_ref')) yield 'canonical_formats_only excludes v1_format_ref';
  if (has('capability_id')) yield 'capability_id is of creative agents; write format_option_id';
}

/** What a placement names of the file's formats; one that declares its format itself names none. */
export function checkFormatOptions(
  listed: Readonly<Record<string, readonly Listed[]>>,
  report: Report,
): void {
  const known = new Set<unknown>((listed.formats ?? []).map(({ value }) => value.format_option_id));
  for (const { value, pointer } of listed.placements ?? []) {
    const { format_options: options } = value;
    if (!Array.isArray(options)) continue;
    for (const [index, option] of options.entries()) {
      const place = `${pointer}/format_options/${index}`;
      if (!isObject(option)) report.add('wrong_type', place, option);
      else if (option.format_kind === undefined && !known.has(option.format_option_id))
        report.add('format_option_unknown', place, option.format_option_id);
    }
  }
}
