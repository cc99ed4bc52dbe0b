import { RegistryError } from '../../errors.ts';

const WRONG_PLACE: ReadonlySet<string> = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOENT', 'ENAMETOOLONG']);
const NOT_ALLOWED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Converts errors of the destination of an export to usage errors; other errors are returned unchanged. */
export function destinationError(error: unknown, path: string, expected: 'folder' | 'file'): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (WRONG_PLACE.has(code))
    return new RegistryError('usage', `cannot write the export to the ${expected} ${path} (${code})`, {
      hint:
        expected === 'folder'
          ? 'give a folder; it is created if missing'
          : 'give a file in an existing folder',
      cause: error,
    });
  if (NOT_ALLOWED.has(code))
    return new RegistryError('usage', `${path} is not writable (${code})`, {
      hint: `give another ${expected}, or allow the user of this process to write to it`,
      cause: error,
    });
  return error;
}
