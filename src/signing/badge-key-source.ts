import type { Clock } from '../ports/clock.ts';
import { type BadgeKeys, loadBadgeKeys } from './badge-keys.ts';
import { keyCommand } from './key-command.ts';
import { requireSecret } from './secret-file.ts';

/** Gives the keys of this moment. */
export type BadgeKeySource = () => Promise<BadgeKeys>;

/** How old what was read may be, milliseconds: files are at hand, a key service is not. */
const [FILES_MS, COMMAND_MS] = [10_000, 60_000];

interface SourceParts {
  readonly clock: Clock;
  /** Told when keys that were in order cannot be read any more; the ones before go on. */
  readonly onFault: (error: unknown) => void;
}

/**
 * The keys that REGISTRY_BADGE_KEYS names, read again while they are used: a rotation needs no restart.
 *
 * @throws RegistryError as `loadBadgeKeys`, and `input_invalid` for files that others can read
 */
export async function openBadgeKeys(
  setting: string,
  { clock, onFault }: SourceParts,
): Promise<BadgeKeySource> {
  const everyMs = keyCommand(setting) === undefined ? FILES_MS : COMMAND_MS;
  let current = await loadSecret(setting, clock.now());
  let readAt = clock.now();
  let reading: Promise<void> | undefined;
  const read = async () => {
    readAt = clock.now();
    try {
      const loaded = await loadSecret(setting, readAt);
      if (isOther(loaded, current)) current = loaded;
    } catch (error) {
      onFault(error);
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    // a time that lies ahead is of a clock that was put back
    if (Math.abs(clock.now() - readAt) >= everyMs) reading ??= read();
    await reading;
    return current;
  };
}

async function loadSecret(setting: string, now: number): Promise<BadgeKeys> {
  const { files, ...keys } = await loadBadgeKeys(setting, now);
  for (const file of files) await requireSecret(file, 'the badge keys');
  return keys;
}

/** A signer that keeps its signatures is not thrown away for the same keys. */
function isOther(one: BadgeKeys, other: BadgeKeys): boolean {
  return JSON.stringify(shown(one)) !== JSON.stringify(shown(other));
}

function shown({ signer, published, revoked }: BadgeKeys) {
  return [signer.keyid, published, revoked];
}
