import { writeFileSync } from 'node:fs';
import { clientTypes } from './client-types.ts';
import { servedDocument } from './served-document.ts';

// node tools/generate-client-types.ts: writes the types of `agent-registry/client`, as this code serves its API.
const folder = new URL('../src/client/generated/', import.meta.url);
for (const [name, text] of Object.entries(await clientTypes(await servedDocument())))
  writeFileSync(new URL(`${name}.ts`, folder), text);
