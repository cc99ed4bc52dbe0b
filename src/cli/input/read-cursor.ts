import { RegistryError } from '../../errors.ts';

/** The place that --cursor stands for; undefined without one. */
export function readCursor<Place>(
  cursor: string | undefined,
  read: (cursor: string) => Place | undefined,
): Place | undefined {
  const place = cursor === undefined ? undefined : read(cursor);
  if (cursor === undefined || place !== undefined) return place;
  throw new RegistryError('usage', `--cursor ${cursor.slice(0, 100)} is not one that was handed out`, {
    hint: 'take the next_cursor of the page before',
  });
}
