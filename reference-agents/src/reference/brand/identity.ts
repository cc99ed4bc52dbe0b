import type { GetBrandIdentityRequest, GetBrandIdentityResponse } from '@agent-registry/surface/agent-kit';
import { handler, refuse, type TaskCall } from '../handler.ts';
import type { BrandIdentity } from './brand-table.ts';
import { brandNamed, brandsOf } from './find-brand.ts';
import { logosOf } from './logos.ts';

type Identity = Omit<GetBrandIdentityResponse, 'context' | 'ext'>;

/** What is answered whatever `fields` says. */
const ALWAYS: readonly (keyof Identity)[] = ['brand_id', 'name'];

const CHOSEN: readonly (keyof Identity)[] = [
  'names',
  'house',
  'description',
  'colors',
  'logos',
  'tone',
  'visual_guidelines',
  'tagline',
];

/**
 * get_brand_identity: a brand by its domain, its id, or both; an agent that keeps one house tells of that house when
 * the request names no brand. Refuses an unknown brand (`REFERENCE_NOT_FOUND`) and an unknown field
 * (`VALIDATION_ERROR`).
 */
export const getBrandIdentity = handler('get_brand_identity', {
  description: 'Returns names, colours, logos, tone and visual guidelines of a brand',
  callers: 'anybody',
  run: (request, call) => selected(identityOf(askedBrand(request, call), call), request.fields),
});

function askedBrand({ brand, brand_id }: GetBrandIdentityRequest, call: TaskCall): BrandIdentity {
  const brands = brandsOf(call.agent.spec);
  const id = brand_id ?? brand?.brand_id;
  if (brand === undefined && id === undefined && brands.every(({ house }) => house === brands[0]?.house)) {
    return brands[0] as BrandIdentity;
  }
  if (brand === undefined && id === undefined) {
    refuse(
      'INVALID_REQUEST',
      'the brand is missing: send its domain or its brand_id',
      '/brand',
      suggestion(brands),
    );
  }
  if (brand?.brand_id !== undefined && brand_id !== undefined && brand.brand_id !== brand_id) {
    refuse('VALIDATION_ERROR', 'brand.brand_id and brand_id differ', '/brand_id', 'send only one of them');
  }
  const asked = { ...brand, ...(id !== undefined && { brand_id: id }) };
  return brandNamed(brands, asked) ?? unknownBrand(brand === undefined ? '/brand_id' : '/brand', brands);
}

function unknownBrand(pointer: string, brands: readonly BrandIdentity[]): never {
  refuse('REFERENCE_NOT_FOUND', 'unknown brand', pointer, suggestion(brands));
}

/** As many as stand on a line that nobody cuts. */
const MAX_NAMED = 10;

function suggestion(brands: readonly BrandIdentity[]): string {
  const named = brands.slice(0, MAX_NAMED).map(({ id }) => id);
  const more = brands.length > MAX_NAMED ? ` and ${brands.length - MAX_NAMED} more` : '';
  return `known brands: ${named.join(', ')}${more}`;
}

function identityOf(brand: BrandIdentity, call: TaskCall): Identity {
  const { id, names, house, description, colors, tagline, voice, attributes, dos, donts } = brand;
  const { photography, typography } = brand;
  return {
    brand_id: id,
    name: names.en ?? id,
    names: Object.entries(names).map(([language, name]) => ({ [language]: name })),
    ...(house !== undefined && { house }),
    description,
    colors: { ...colors },
    logos: logosOf(call.agent.spec, brand),
    tone: { voice, attributes, dos, donts },
    visual_guidelines: {
      photography,
      typography,
      composition: 'plenty of ground, the name at the lower left',
    },
    tagline,
  };
}

function selected(identity: Identity, fields: readonly string[] | undefined): Identity {
  if (fields === undefined) return identity;
  const known: readonly string[] = [...ALWAYS, ...CHOSEN];
  const wrong = fields.findIndex((field) => !known.includes(field));
  if (wrong >= 0) {
    const ask = `known fields: ${CHOSEN.join(', ')}`;
    refuse('VALIDATION_ERROR', 'unknown field of an identity', `/fields/${wrong}`, ask);
  }
  const wanted = new Set([...ALWAYS, ...fields]);
  return Object.fromEntries(Object.entries(identity).filter(([field]) => wanted.has(field)));
}
