import { writeFileSync } from 'node:fs';
import { REFERENCE_FOLDER, referencePages } from './reference/pages.ts';

// node tools/write-reference.ts: writes the reference pages that follow from the code.
const folder = new URL(`../${REFERENCE_FOLDER}/`, import.meta.url);
for (const [name, text] of await referencePages()) writeFileSync(new URL(name, folder), text);
