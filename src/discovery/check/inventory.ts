import type { AdagentsDeclaration } from '../../domain/declaration.ts';
import type { AuthorisationVia } from '../../domain/declared-facts.ts';
import { propertyKey } from '../../domain/property-identity.ts';

/** Where the bytes of a domain's file came from. */
export interface FileSource {
  readonly url: string;
  readonly via: AuthorisationVia;
  /** The domain of the manager whose file it is. */
  readonly manager?: string;
  readonly bytes: number;
}

/** What a publisher's file lists, each property once. */
export interface FileInventory {
  readonly properties: number;
  /** Of the types that stand there first, which a file of the format has all of. */
  readonly byType: Readonly<Record<string, number>>;
  readonly tags: number;
}

const MAX_TYPES = 50;

/** `domain`: who publishes the file, whose properties need not name it. */
export function inventoryOf({ properties, entries }: AdagentsDeclaration, domain: string): FileInventory {
  const inline = entries.flatMap(({ scope }) => (scope.type === 'inline_properties' ? scope.properties : []));
  const all = [
    ...new Map([...properties, ...inline].map((one) => [propertyKey(one, domain), one] as const)).values(),
  ];
  const byType = new Map<string, number>();
  for (const { propertyType: type } of all)
    if (byType.has(type) || byType.size < MAX_TYPES) byType.set(type, (byType.get(type) ?? 0) + 1);
  return {
    properties: all.length,
    byType: Object.fromEntries(byType),
    tags: new Set([...properties, ...inline].flatMap(({ tags }) => tags)).size,
  };
}
