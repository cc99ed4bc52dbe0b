import { RegistryError } from '../../errors.ts';

const WRONG_PLACE: ReadonlySet<string> = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOENT', 'ENAMETOOLONG']);
const NOT_ALLOWED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** What is wrong with the place that was named for an export, for whoever named it; other faults stay as they are. */
export function destinationError(error: unknown, path: string, expected: 'folder' | 'file'): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (WRONG_PLACE.has(code))
    return new RegistryError('usage', `${path} cannot be the ${expected} of an export (${code})`, {
      hint:
        expected === 'folder'
          ? 'name a folder, which is made when it is not there'
          : 'name a file in a folder that there is',
      cause: error,
    });
  if (NOT_ALLOWED.has(code))
    return new RegistryError('usage', `${path} may not be written (${code})`, {
      hint: `name another ${expected}, or allow the user of this program to write there`,
      cause: error,
    });
  return error;
}
