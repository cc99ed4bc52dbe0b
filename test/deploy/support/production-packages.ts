import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { productionLock } from '../../../tools/production-lock.ts';
import { ROOT } from './compose-file.ts';

/** Where the packages are that an installation on this machine has; a Node for another one is in the lock file only. */
export function productionPackages(): readonly string[] {
  const paths = Object.keys(productionLock(ROOT).packages);
  return paths.filter((path) => path !== '' && existsSync(join(ROOT, path)));
}
