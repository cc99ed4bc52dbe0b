import { type BrandRelation, brandRelation } from '../../../domain/brand-relation.ts';
import type { BrandDeclaration } from '../../../domain/declaration.ts';
import type { Records } from '../../../ports/records.ts';

const MAX_RELATED = 20;

/** Each relation in words. */
export const RELATIONS: Readonly<Record<BrandRelation, string>> = {
  mutual: 'each names the other (mutual)',
  inline: 'the house carries the brand in its own file (inline)',
  leaf_only: 'the brand names the house, which does not name it (leaf_only)',
  house_only: 'the house names the brand, which does not name it back: no adoption (house_only)',
  standalone: 'neither names the other (standalone)',
};

/** How a domain's brand.json and that of a house or brand that it names stand to each other. */
interface Related {
  readonly domain: string;
  readonly relation: BrandRelation;
}

/** The relations of a domain to the house that it names and to the brands that it refers to, as both files stand now. */
export async function relationsOf(
  records: Records,
  domain: string,
  now: number,
): Promise<readonly Related[]> {
  const own = await brandFile(records, domain);
  if (own === undefined) return [];
  const brand = { domain, file: own };
  const upwards = own.houseDomain === undefined ? [] : [own.houseDomain];
  const downwards = own.brandRefs.map((ref) => ref.domain).slice(0, MAX_RELATED);
  return Promise.all([
    ...upwards.map(async (house) => ({
      domain: house,
      relation: brandRelation(await side(records, house), brand, now),
    })),
    ...downwards.map(async (ref) => ({
      domain: ref,
      relation: brandRelation({ domain, file: own }, { domain: ref, ...(await fileOf(records, ref)) }, now),
    })),
  ]);
}

async function side(records: Records, domain: string) {
  const file = await brandFile(records, domain);
  return file === undefined ? undefined : { domain, file };
}

async function fileOf(records: Records, domain: string) {
  const file = await brandFile(records, domain);
  return file === undefined ? {} : { file };
}

async function brandFile(records: Records, domain: string): Promise<BrandDeclaration | undefined> {
  const stored = await records.sources.declaration({ kind: 'brand', key: domain });
  return stored?.value.kind === 'brand' ? stored.value : undefined;
}
