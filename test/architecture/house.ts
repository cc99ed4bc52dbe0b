/*
 * The figures of the house: `npm run house [-- ROOT FOLDER…]`. Another checkout can be given, to see
 * them side by side. Generated files count as files and lines, not as names.
 */
import { dirname, resolve } from 'node:path';
import { importCircles, readProject } from './project.ts';

const [root = '.', ...folders] = process.argv.slice(2);
const files = readProject(resolve(root), folders.length > 0 ? folders : ['src', 'pipelines']);
const written = files.filter(({ path }) => !path.includes('/generated/'));
const lines = files.map(({ text }) => text.split('\n').length - 1);
const importers = Map.groupBy(
  files.flatMap(({ path, imports }) => [...new Set(imports)].map((to) => ({ from: path, to }))),
  ({ to }) => to,
);
const single = files.flatMap(({ path }) => {
  const from = importers.get(path);
  return from?.length === 1 && from[0] !== undefined ? [{ path, from: from[0].from }] : [];
});

const figures = {
  files: files.length,
  lines: lines.reduce((sum, count) => sum + count, 0),
  'functions (function and =>)': written.reduce(
    (sum, { text }) => sum + [...text.matchAll(/\bfunction\b|=>/g)].length,
    0,
  ),
  'files with one importer': single.length,
  'of those in the same folder': single.filter(({ path, from }) => dirname(path) === dirname(from)).length,
  'files of 40 lines or fewer': lines.filter((count) => count <= 40).length,
  'import circles, types included': importCircles(files).length,
};
for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name}: ${value}\n`);
