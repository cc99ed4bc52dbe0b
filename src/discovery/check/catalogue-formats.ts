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
    if (missing !== undefined) yield `custom requires ${missing}`;
    if (!isCanonicalOnly && !has('v1_format_ref'))
      yield 'custom requires v1_format_ref, or canonical_formats_only true';
  } else {
    const extra = ofCustom.find(has);
    if (extra !== undefined) yield `${extra} is only for custom formats`;
  }
  if (isCanonicalOnly && has('v1_format_ref')) yield 'canonical_formats_only excludes v1_format_ref';
  if (has('capability_id')) yield 'capability_id is only for creative agents; use format_option_id';
}

/** What a placement names of the file's formats; one that declares its format itself names none. */
export function checkFormatOptions(
  listed: Readonly<Record<string, readonly Listed[]>>,
  report: Report,
): void {
  const known = new Set<unknown>((listed.formats ?? []).map(({ value }) => value.format_option_id));
  for (const { value, pointer } of listed.placements ?? []) {
    const { format_options: options } = value;
    if (!Array.isArray(options)) {
      if (options !== undefined) report.add('wrong_type', `${pointer}/format_options`, options);
      continue;
    }
    for (const [index, option] of options.entries()) {
      const place = `${pointer}/format_options/${index}`;
      if (!isObject(option)) report.add('wrong_type', place, option);
      else if (option.format_kind === undefined && !known.has(option.format_option_id))
        report.add('format_option_unknown', place, option.format_option_id);
    }
  }
}

interface Rendered {
  readonly formats: readonly Listed[];
  readonly publisher: string | undefined;
  readonly report: Report;
}

/** The one origin whose renderers the field's clients run. */
const REGISTRY = 'creative.adcontextprotocol.org';
const REVISION = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;
/** What a pinned renderer has, each with what it may be. */
const PINS: Readonly<Record<string, RegExp>> = {
  runtime: /^browser-esm$/,
  package: /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/,
  version: /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/,
  export: /./,
  integrity: /^sha(?:256-[A-Za-z0-9+/]{43}=|384-[A-Za-z0-9+/]{64}|512-[A-Za-z0-9+/]{86}==)$/,
};
const WORKFLOW = /^\.github\/workflows\/[\w./-]+\.ya?ml$/;
const MAX_PIN = 500;

/**
 * Renderers are programs that buyers may run, so their clients refuse a whole file in which one is not pinned, or that is
 * not the community registry's.
 */
export function checkRenderers(document: JsonObject, { formats, publisher, report }: Rendered): void {
  const rendered = formats.filter(({ value: { reference_renderer: renderer } }) => renderer != null);
  const [first] = rendered;
  if (first === undefined) return;
  const { catalog_etag: tag, catalog_role: role } = document;
  if (typeof tag !== 'string' || tag.trim() === '' || role !== 'community_format_registry')
    report.add('renderer_metadata', '');
  if (publisher !== REGISTRY) report.add('renderer_misplaced', `${first.pointer}/reference_renderer`);
  for (const { value, pointer } of rendered) {
    const { reference_renderer: renderer, format_revision: revision } = value;
    const fault = isObject(renderer) ? faultOf(renderer) : 'not an object';
    if (fault !== undefined) report.add('renderer_invalid', `${pointer}/reference_renderer`, fault);
    else if (revision !== (renderer as JsonObject).format_revision)
      report.add('renderer_revision', pointer, revision);
  }
}

/** The first thing that is wrong with it. */
function faultOf({ provenance, format_revision: revision, ...renderer }: JsonObject): string | undefined {
  for (const [member, pattern] of Object.entries(PINS)) {
    const value = renderer[member] ?? (member === 'runtime' ? 'browser-esm' : undefined);
    if (typeof value !== 'string' || value.length > MAX_PIN || !pattern.test(value)) return member;
  }
  const extra = Object.keys(renderer).find((member) => !Object.hasOwn(PINS, member));
  if (extra !== undefined) return `unknown field ${extra}`;
  if (revision !== undefined && !(typeof revision === 'string' && REVISION.test(revision)))
    return 'format_revision';
  return isProvenance(provenance) ? undefined : 'provenance';
}

function isProvenance(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { source_repository: source, workflow_path: path, ...others } = value;
  if (Object.keys(others).length > 0 || typeof source !== 'string' || typeof path !== 'string') return false;
  const url = URL.parse(source.slice(0, MAX_PIN));
  return url?.origin === 'https://github.com' && url.username + url.password === '' && WORKFLOW.test(path);
}
