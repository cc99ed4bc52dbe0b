import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { REFERENCE_FOLDER, referencePages } from '../../tools/reference/pages.ts';

const FOLDER = resolve(import.meta.dirname, '../..', REFERENCE_FOLDER);

it.each([...(await referencePages())])(
  '%s says what the code says; `npm run docs:reference` writes it',
  (name, text) => {
    const file = join(FOLDER, name);
    expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(text);
  },
);
