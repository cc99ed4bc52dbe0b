import type {
  Brand,
  BuildCreativeRequest,
  BuildCreativeResponse,
  CreativeManifest,
} from '@agent-registry/surface/agent-kit';
import { lookOf } from '../brand/find-brand.ts';
import { handler, refuse, type TaskCall } from '../handler.ts';
import { compose } from './compose.ts';
import { type Design, designFor, type Redesign, redesign } from './design.ts';
import { type CreativeFormat, FORMATS, findFormat, formatNamed, formatOf } from './formats.ts';
import { keepPicture, type PictureName, pictureUrl } from './pictures.ts';

/** A build of one caller, as it was after its last step. */
interface StoredBuild {
  readonly buildId: string;
  readonly iteration: number;
  readonly design: Design;
  readonly formatIds: readonly string[];
  readonly landingPage?: string;
}

/** Steps of one build. */
const MAX_ITERATIONS = 100;

/**
 * build_creative: composes creatives from a message and the look of the brand, one for each format; with the build_id
 * of an earlier result it keeps what was and changes what the message asks for. Refuses FORMAT_NOT_FOUND,
 * UNSUPPORTED_FEATURE for formats that cannot be composed from words, and REFERENCE_NOT_FOUND for a build that is not
 * the caller's.
 */
export const buildCreative = handler('build_creative', {
  description: 'Builds creatives from a message in plain language, and refines them',
  callers: 'known',
  run: (request, call) => {
    const earlier = earlierBuild(request, call);
    const { design, done, ignored } = nextDesign(request, earlier, call);
    const formats = wantedFormats(request, earlier, call);
    const landingPage =
      request.brand === undefined ? earlier?.landingPage : `https://${request.brand.domain}/`;
    const build: StoredBuild = {
      buildId: earlier?.buildId ?? call.newId('build'),
      iteration: (earlier?.iteration ?? 0) + 1,
      design,
      formatIds: formats.map(({ id }) => id),
      ...(landingPage !== undefined && { landingPage }),
    };
    buildsOf(call).put(build.buildId, build);
    return answerOf(call, build, { formats, done, ignored });
  },
});

function buildsOf(call: TaskCall) {
  return call.agent.state.collection<StoredBuild>('creative_builds', call.caller.id);
}

function earlierBuild({ build_id: id }: BuildCreativeRequest, call: TaskCall): StoredBuild | undefined {
  if (id === undefined) return undefined;
  const earlier = buildsOf(call).get(id);
  if (earlier === undefined) {
    return refuse('REFERENCE_NOT_FOUND', 'unknown build', '/build_id', 'start a new build without build_id');
  }
  if (earlier.iteration >= MAX_ITERATIONS) {
    const message = `a build can be refined at most ${MAX_ITERATIONS} times`;
    return refuse('INVALID_STATE', message, '/build_id', 'start a new build with creative_manifests');
  }
  return earlier;
}

function nextDesign(
  request: BuildCreativeRequest,
  earlier: StoredBuild | undefined,
  call: TaskCall,
): Redesign {
  const { message, brand, creative_manifests: manifests = [] } = request;
  for (const [at, { format_id }] of manifests.entries()) {
    findFormat(call, format_id, `/creative_manifests/${at}/format_id`);
  }
  const look = lookOf(brand);
  const words = wordsOf(manifests);
  if (earlier !== undefined) {
    const branded = brand === undefined ? {} : { brandName: look.name, tagline: look.tagline };
    return redesign({ ...earlier.design, ...branded, ...words }, message);
  }
  if (Object.keys(words).length === 0) return designFor(message, look);
  return redesign({ ...designFor('', look).design, ...words }, message);
}

/** Where a click leads: the site of the brand; undefined when its domain is none. */
export function landingPageOf(brand: Brand | undefined): string | undefined {
  const parsed = brand === undefined ? null : URL.parse(`https://${brand.domain}/`);
  return parsed === null || parsed.pathname !== '/' || parsed.search !== '' ? undefined : parsed.href;
}

/** What creatives that were made elsewhere say already. */
function wordsOf(manifests: readonly CreativeManifest[]): Partial<Design> {
  const said = (name: string) =>
    manifests.flatMap(({ assets }) => (Object.hasOwn(assets, name) ? (assets[name]?.content ?? []) : []))[0];
  const [headline, body, cta] = [said('headline'), said('body'), said('cta')];
  return {
    ...(headline !== undefined && { headline: headline.slice(0, 300), subject: headline.slice(0, 300) }),
    ...(body !== undefined && { points: [body.slice(0, 300)] }),
    ...(cta !== undefined && { cta: cta.slice(0, 300) }),
  };
}

function wantedFormats(
  { target_format_ids: targets }: BuildCreativeRequest,
  earlier: StoredBuild | undefined,
  call: TaskCall,
): readonly CreativeFormat[] {
  if (targets === undefined) return (earlier?.formatIds ?? []).flatMap((id) => formatNamed(id) ?? []);
  const formats = targets.map((target, at) => {
    const pointer = `/target_format_ids/${at}`;
    return composable(findFormat(call, target, pointer), pointer);
  });
  return [...new Set(formats)];
}

/** Moving pictures and sound are not made from words here. */
export function composable(format: CreativeFormat, pointer: string): CreativeFormat {
  if (format.generated) return format;
  const ids = FORMATS.filter(({ generated }) => generated).map(({ id }) => id);
  const message = `${pointer}: creatives of type ${format.type} cannot be built from a message`;
  return refuse('UNSUPPORTED_FEATURE', message, pointer, `supported formats: ${ids.join(', ')}`);
}

interface Made extends Pick<Redesign, 'done' | 'ignored'> {
  readonly formats: readonly CreativeFormat[];
}

function answerOf(
  call: TaskCall,
  build: StoredBuild,
  { formats, done, ignored }: Made,
): BuildCreativeResponse {
  const { buildId, iteration } = build;
  const first = pictureUrl(call.agent.spec, { buildId, iteration, place: 0 });
  const counted = formats.length === 1 ? 'one creative' : `${formats.length} creatives`;
  const applied = done.length === 0 ? [] : [`with ${done.slice(0, 20).join(', ')}`];
  const missed = `parts of the message that were not understood: ${ignored}`;
  return {
    build_id: buildId,
    iteration,
    creative_manifests: manifestsOf(call, build, formats),
    message: [counted, ...applied, ...(ignored > 0 ? [missed] : [])].join('; '),
    preview_url: first,
  };
}

function manifestsOf(
  call: TaskCall,
  build: StoredBuild,
  formats: readonly CreativeFormat[],
): readonly CreativeManifest[] {
  const { buildId, iteration, design, landingPage } = build;
  return formats.map((format, place) => {
    const links = landingPage === undefined ? {} : { landingPage };
    return manifestIn(call, design, format, { name: { buildId, iteration, place }, ...links });
  });
}

/** A design in one format; its picture is kept under its name. */
export function manifestIn(
  call: TaskCall,
  design: Design,
  format: CreativeFormat,
  { name, landingPage }: { readonly name: PictureName; readonly landingPage?: string },
): CreativeManifest {
  const { spec, state } = call.agent;
  const links = { pictureUrl: pictureUrl(spec, name), ...(landingPage !== undefined && { landingPage }) };
  const { assets, svg } = compose(design, format, links);
  keepPicture(state, name, svg);
  return { format_id: formatOf(spec, format).format_id, assets };
}
