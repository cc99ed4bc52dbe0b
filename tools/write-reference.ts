import { writeFileSync } from 'node:fs';
import { referencePages } from './reference/pages.ts';

// node tools/write-reference.ts: writes the reference pages that follow from the code.
const root = new URL('../', import.meta.url);
for (const [path, text] of await referencePages()) writeFileSync(new URL(path, root), text);
