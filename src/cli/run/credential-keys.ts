import { systemClock } from '../../compose.ts';
import { addSealingKey, makeSealingKeys } from '../../signing/sealing-keys.ts';
import type { GenerateFlags, RotateFlags } from '../commands/keys.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, printLine } from '../output/print.ts';
import { settingsOf } from '../settings.ts';

/** Where credential keys are, unless the setting or --out says otherwise: not in the folder of keys that are published. */
const CREDENTIAL_KEYS = '.registry/credential-keys.json';

/** `registry keys generate --kind credential`: a file with one key, which has no public part. */
export async function generateCredentialKeys({ out, kid, json }: GenerateFlags): Promise<ExitCode> {
  const { credentialKeys } = settingsOf({});
  const file = out ?? fileOf(credentialKeys);
  const made = await makeSealingKeys(file, systemClock.now(), kid);
  if (json) printJson({ kid: made, file });
  else {
    printLine(`${made}: the key is in ${file}, readable for you alone`);
    printLine('keep a copy apart from the backups of the store: without it no stored credential opens');
    if (credentialKeys === '') printLine(`set REGISTRY_CREDENTIAL_KEYS=${file} where the registry runs`);
  }
  return EXIT.ok;
}

/** `registry keys rotate --kind credential`: the new key comes first, and the others still open. */
export async function rotateCredentialKeys({ kid, json }: RotateFlags): Promise<ExitCode> {
  const file = fileOf(settingsOf({}).credentialKeys);
  const added = await addSealingKey(file, systemClock.now(), kid);
  if (json) printJson({ kid: added, file });
  else {
    printLine(`${added}: the key is the first in ${file}; what the others sealed still opens`);
    printLine('seal what is stored anew: registry agents reseal');
  }
  return EXIT.ok;
}

function fileOf(setting: string): string {
  return setting === '' ? CREDENTIAL_KEYS : setting;
}
