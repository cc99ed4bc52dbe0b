import { isObject, type JsonObject } from '../../base/json.ts';
import type { Report } from '../report.ts';
import type { Listed } from './catalogue-names.ts';

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
    const fault = isObject(renderer) ? faultOf(renderer) : 'it is no object';
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
  if (extra !== undefined) return `${extra} is not known there`;
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
