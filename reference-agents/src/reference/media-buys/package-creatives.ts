import type { Brand, Creative, CreativeAssignment, FormatId } from '@agent-registry/surface/agent-kit';
import { knownFormat, takes } from '../creatives/formats.ts';
import { generateFromBrief } from '../creatives/generate.ts';
import { saveCreative } from '../creatives/library.ts';
import { findCreative } from '../creatives/stored.ts';
import { refuse, type TaskCall } from '../handler.ts';
import { creativesChanged } from './creatives-changed.ts';
import type { StoredAssignment } from './stored.ts';

/** What comes with creatives. */
interface Sent {
  readonly creatives?: readonly Creative[];
}

/**
 * Puts the creatives that came with packages into the buyer's library, and tells the media buys that use one of
 * them already. Refuses CREATIVE_REJECTED at what is wrong with one.
 */
export function storeCreatives(call: TaskCall, packages: readonly Sent[] | undefined, pointer: string): void {
  const changed = new Set<string>();
  packages?.forEach(({ creatives = [] }, at) => {
    creatives.forEach((creative, index) => {
      storeCreative(call, creative, `${pointer}/${at}/creatives/${index}`, changed);
    });
  });
  creativesChanged(call, [...changed]);
}

function storeCreative(call: TaskCall, creative: Creative, pointer: string, changed: Set<string>): void {
  const { action, errors } = saveCreative(call, creative, { changed });
  if (action !== 'failed') return;
  const [first] = errors ?? [];
  const place = `${pointer}${first?.pointer ?? ''}`;
  refuse('CREATIVE_REJECTED', first?.message ?? 'the creative was not accepted', place, first?.suggestion);
}

/** The assignments of a package, the later of two with one creative. Refuses CREATIVE_NOT_FOUND, CREATIVE_REJECTED. */
export function assignmentsOf(
  call: TaskCall,
  asked: readonly CreativeAssignment[],
  formats: readonly FormatId[],
  pointer: string,
): readonly StoredAssignment[] {
  const found = asked.map((one, index) =>
    assignmentOf(call, one, formats, `${pointer}/${index}/creative_id`),
  );
  return [...new Map(found.map((one) => [one.creativeId, one])).values()];
}

/** One creative of the library, in a package that takes these formats. `pointer` is the place of its id. */
export function assignmentOf(
  call: TaskCall,
  { creative_id: creativeId, weight }: CreativeAssignment,
  formats: readonly FormatId[],
  pointer: string,
): StoredAssignment {
  const { creative, status } = findCreative(call, creativeId, pointer);
  if (!takes(call, formats, creative.format_id)) {
    refuse(
      'CREATIVE_REJECTED',
      'the product does not accept creatives of this format',
      pointer,
      `accepted formats: ${formats.map(({ id }) => id).join(', ')}`,
    );
  }
  if (status === 'rejected') {
    refuse('CREATIVE_REJECTED', 'the creative was rejected', pointer, 'send another one');
  }
  return { creativeId, approved: status === 'approved', ...(weight !== undefined && { weight }) };
}

/** What a generative seller makes from a brief: one creative for each wanted format, or for the first that it can make. */
export function generated(
  call: TaskCall,
  brief: string,
  brand: Brand,
  formats: { readonly wanted?: readonly FormatId[] | undefined; readonly taken: readonly FormatId[] },
  pointer: string,
): readonly CreativeAssignment[] {
  const makes = (format: FormatId) => knownFormat(call.agent.spec, format)?.generated === true;
  const chosen = formats.wanted?.filter(makes) ?? formats.taken.filter(makes).slice(0, 1);
  if (chosen.length === 0) {
    refuse('UNSUPPORTED_FEATURE', 'none of the formats can be built from a brief', pointer);
  }
  return chosen.map((format) => {
    const creative = generateFromBrief(call, brief, brand, format, pointer);
    storeCreative(call, creative, pointer, new Set());
    return { creative_id: creative.creative_id };
  });
}
