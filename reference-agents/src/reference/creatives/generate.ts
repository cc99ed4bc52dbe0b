import type { Brand, Creative, FormatId } from '@agent-registry/surface/agent-kit';
import { lookOf } from '../brand/find-brand.ts';
import type { TaskCall } from '../handler.ts';
import { composable, landingPageOf, manifestIn } from './build.ts';
import { designFor } from './design.ts';
import { findFormat } from './formats.ts';

/**
 * The creative that a generative seller makes from a brief. It is not yet in the library (`saveCreative` puts it
 * there); its picture is on the host of the agent. Refuses FORMAT_NOT_FOUND, and UNSUPPORTED_FEATURE for a format that
 * cannot be composed from words, both at `pointer`.
 */
export function generateFromBrief(
  call: TaskCall,
  brief: string,
  brand: Brand | undefined,
  formatId: FormatId,
  pointer = '/brief',
): Creative {
  const format = composable(findFormat(call, formatId, pointer), pointer);
  const { design } = designFor(brief, lookOf(brand));
  const name = { buildId: call.newId('build'), iteration: 1, place: 0 };
  const landingPage = landingPageOf(brand);
  const links = landingPage === undefined ? {} : { landingPage };
  const { assets } = manifestIn(call, design, format, { name, ...links });
  return {
    creative_id: call.newId('creative'),
    name: `${format.name}, made from the brief`,
    format_id: formatId,
    assets,
  };
}
