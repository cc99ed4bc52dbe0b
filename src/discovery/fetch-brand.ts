import type { Answered } from '../domain/capture.ts';
import type { BrandDeclaration } from '../domain/declaration.ts';
import type { GetRequest } from '../ports/fetcher.ts';
import {
  contentOrUnchanged,
  type FetchEnd,
  type FetchStep,
  type FileFetch,
  type FileTask,
  type FileTrail,
  fetched,
  openTrail,
  unusable,
  wellKnownUrl,
} from './fetched-file.ts';
import { readBrand } from './read-brand.ts';

const BRAND: Omit<GetRequest, 'url'> = {
  maxBytes: 256 * 1024,
  redirects: { allow: 'same_registrable_domain', max: 3 },
};
/** Redirect hops over all variants of redirect that a brand.json knows. */
const MAX_HOPS = 3;

/** Fetches the brand.json that speaks for a domain: its own, or the one that its redirects lead to. */
export async function fetchBrand(task: FileTask): Promise<FileFetch> {
  const trail = openTrail(task);
  const own = wellKnownUrl(task.domain, 'brand');
  const first = await trail.step(own, (validator) =>
    task.visit.get({ ...BRAND, url: own, ...(validator && { validator }) }),
  );
  return fetched(task, trail, await follow(task, trail, first, [own]));
}

async function follow(
  task: FileTask,
  trail: FileTrail,
  step: FetchStep,
  way: readonly string[],
): Promise<FetchEnd> {
  if (step.answer === undefined) return unusable(step.capture);
  const next =
    step.unchanged && !isDated(step.answer.body) ? step.next : redirectOf(task, step.answer, trail);
  if (next === undefined)
    return contentOrUnchanged(trail, step.answer, step.unchanged, way.length > 1 ? 'reference' : 'own');
  if (way.includes(next)) return refused('redirect_loop', `the redirects of brand.json come back to ${next}`);
  if (way.length > MAX_HOPS)
    return refused('too_many_redirects', `brand.json redirects more than ${MAX_HOPS} times`);
  const target = await trail.step(next, (known) =>
    task.shared.get(next, known, (validator) =>
      task.visit.get({ ...BRAND, url: next, ...(validator && { validator }) }),
    ),
  );
  return follow(task, trail, target, [...way, next]);
}

/** Where a brand.json sends its reader; a redirect that is not effective yet sends nowhere, and is looked at again. */
function redirectOf(task: FileTask, { body, requestedUrl }: Answered, trail: FileTrail): string | undefined {
  const bounds = task.bounds(new URL(requestedUrl).hostname);
  const { declaration } = task.shared.read(body, () => readBrand(body, bounds));
  if (declaration === undefined) return undefined;
  if ((declaration.redirectEffectiveAt ?? 0) <= task.now) return redirectTarget(declaration);
  trail.askInFull();
  return undefined;
}

/** True for bytes that may mean something else today than when they were read last. */
function isDated(body: Uint8Array): boolean {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes('redirect_effective_at');
}

function redirectTarget(declaration: BrandDeclaration): string | undefined {
  if (declaration.variant === 'redirect') return declaration.authoritativeLocation;
  if (declaration.variant === 'house_redirect' && declaration.houseDomain !== undefined)
    return wellKnownUrl(declaration.houseDomain, 'brand');
  return undefined;
}

function refused(code: string, detail: string): FetchEnd {
  return { type: 'unusable', outcome: 'invalid', error: { code, detail } };
}
