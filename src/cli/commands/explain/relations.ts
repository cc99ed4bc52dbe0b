import { defined } from '../../../base/json.ts';
import {
  type BrandRelationship,
  brandIdentity,
  claimedHouseOf,
  relationshipWith,
} from '../../../domain/brand-relationship.ts';
import type { BrandDeclaration } from '../../../domain/declaration.ts';
import type { Records } from '../../../ports/records.ts';

const MAX_RELATED = 20;
/** Any domain can name another one. */
const MAX_NAMING = 3;

/** Each relation in words. */
export const RELATIONS: Readonly<Record<BrandRelationship, string>> = {
  mutual: 'each names the other (mutual)',
  inline: 'the file of the house declares the brand (inline)',
  leaf_only: 'the brand names the house, which does not name it (leaf_only)',
  house_only: 'the house names the brand, which does not name it (house_only)',
  standalone: 'neither names the other (standalone)',
  unverifiable: 'the brand names a house whose brand.json is unknown (unverifiable)',
};

/** The relation of a domain to a house or a brand. */
interface Related {
  readonly domain: string;
  readonly relation: BrandRelationship;
}

/** A domain's house as /api/brands/resolve has it, and for a house the brands that it refers to, as all files stand now. */
export async function relationsOf(
  records: Records,
  domain: string,
  now: number,
): Promise<readonly Related[]> {
  const own = await brandFile(records, domain);
  const claimed = own && claimedHouseOf(domain, own);
  const house = claimed === undefined ? undefined : await brandFile(records, claimed);
  const naming = claimed === undefined ? await housesNaming(records, domain) : [];
  const identity = brandIdentity(domain, { ...defined({ own, house }), naming, now });
  const above = claimed ?? identity?.claimedHouse;
  const upwards = identity && above !== undefined ? [{ domain: above, relation: identity.relationship }] : [];
  // the file of a house that the domain only leads to is not about the domain
  const refs = own === undefined || claimed !== undefined ? [] : own.brandRefs.slice(0, MAX_RELATED);
  const downwards = refs.map(async (ref) => ({
    domain: ref.domain,
    relation: relationshipWith(
      { domain, value: own as BrandDeclaration },
      ref.domain,
      await brandFile(records, ref.domain),
      now,
    ),
  }));
  return [...upwards, ...(await Promise.all(downwards))];
}

async function housesNaming(records: Records, domain: string) {
  const houses = await records.brands.naming(domain, MAX_NAMING);
  const files = await Promise.all(
    houses.map(async (one) => ({ domain: one, value: await brandFile(records, one) })),
  );
  return files.flatMap(({ domain: one, value }) =>
    value?.house?.domain === one && one !== domain ? [{ domain: one, value }] : [],
  );
}

async function brandFile(records: Records, domain: string): Promise<BrandDeclaration | undefined> {
  const stored = await records.sources.declaration({ kind: 'brand', key: domain });
  return stored?.value.kind === 'brand' ? stored.value : undefined;
}
