import { compile, type JSONSchema } from 'json-schema-to-typescript';
import type { JsonObject } from '../src/base/json.ts';

/** The TypeScript types of JSON Schemas that refer to each other as `#/$defs/NAME`, as text; all members are readonly. */
export async function schemaTypes(definitions: Readonly<Record<string, JsonObject>>): Promise<string> {
  const all = { title: 'Root', type: 'object', properties: {}, $defs: definitions };
  const text = await compile(all as JSONSchema, 'Root', {
    additionalProperties: false,
    bannerComment: '',
    ignoreMinAndMaxItems: true,
    style: { singleQuote: true, printWidth: 110, trailingComma: 'all', bracketSpacing: true },
    unreachableDefinitions: true,
  });
  return readable(text.replace(/^export interface Root \{\}\n/m, ''));
}

/** Members and lists become readonly, and comments shorter, line by line; a comment is never taken for code. */
function readable(text: string): string {
  return text
    .replace(
      /^ *\*\n *\* This interface was referenced by `Root`'s JSON-Schema\n.*via the `definition` .*\n/gm,
      '',
    )
    .replace(/\/\*\*\n +\* (.*)\n +\*\//g, '/** $1 */')
    .split('\n')
    .map((line) => (/^ *\/?\*/.test(line) ? line : readonlyLine(line)))
    .join('\n');
}

function readonlyLine(line: string): string {
  return line
    .replace(/^( +)((?:[\w$]+|'[^']+')\??: |\[k: string\]: )/, '$1readonly $2')
    .replace(/(\b\w+|\([^()]*\))\[\]/g, 'readonly $1[]');
}
