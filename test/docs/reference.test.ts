import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { referencePages } from '../../tools/reference/pages.ts';

const ROOT = resolve(import.meta.dirname, '../..');

it.each([...(await referencePages())])(
  '%s says what the code says; `npm run docs:reference` writes it',
  (path, text) => {
    const file = join(ROOT, path);
    expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(text);
  },
);
