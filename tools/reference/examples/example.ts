/** A file with a finding, and the same file put right. */
export interface FileExample {
  /** Absent: adagents. */
  readonly kind?: 'brand';
  /** JSON to be written out, or the text itself where the text matters. */
  readonly before: object | string;
  readonly after: object | string;
  /** Other codes that come with it: one cause, several findings. */
  readonly with?: readonly string[];
}

/** For what no small file shows. */
export interface WordedExample {
  readonly words: string;
}

export type Example = FileExample | WordedExample;

export function textOf(file: object | string): string {
  return typeof file === 'string' ? file : `${JSON.stringify(file, undefined, 2)}\n`;
}

/** What differs from a small good file; `undefined` takes a member away. */
interface Differences {
  readonly entry?: object;
  readonly property?: object;
  readonly top?: object;
}

/** A small adagents.json. */
export function adagents({ entry = {}, property = {}, top = {} }: Differences = {}): object {
  return {
    $schema: 'https://schemas.example/3.1/adagents.json',
    last_updated: '2026-01-31T09:00:00Z',
    authorized_agents: [
      {
        url: 'https://sales.example/mcp',
        authorized_for: 'display on our site',
        authorization_type: 'property_ids',
        property_ids: ['site'],
        ...entry,
      },
    ],
    properties: [
      {
        property_id: 'site',
        property_type: 'website',
        name: 'News',
        identifiers: [{ type: 'domain', value: 'news.example' }],
        tags: ['news'],
        ...property,
      },
    ],
    ...top,
  };
}

/** An adagents.json before and after; others are codes that come with the finding. */
export const one = (
  before: object | string,
  after: object | string = adagents(),
  others?: readonly string[],
): Example => ({
  before,
  after,
  ...(others && { with: others }),
});

/** The same of a brand.json. */
export function brand({
  agent = {},
  brand: one = {},
  top = {},
}: {
  agent?: object;
  brand?: object;
  top?: object;
} = {}): object {
  return {
    house: {
      ...{ domain: 'acme.example', name: 'Acme' },
      agents: [{ type: 'measurement', url: 'https://measure.example/mcp', id: 'measure', ...agent }],
    },
    brands: [{ id: 'shoes', names: [{ en: 'Acme Shoes' }], ...one }],
    ...top,
  };
}
