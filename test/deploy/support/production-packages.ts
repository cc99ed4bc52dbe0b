import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './compose-file.ts';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: true; readonly link?: true }>>;
}

/** Where the packages are that an installation without development dependencies and workspaces has. */
export function productionPackages(): readonly string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  return Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link)
    .map(([path]) => path);
}
