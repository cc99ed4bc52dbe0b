import { systemClock } from '../../compose.ts';
import { RegistryError } from '../../errors.ts';
import { activeKey, isExposed, listSigningKeys, type StoredKey } from '../../signing/key-folder.ts';
import { readMessageFile, writeMessageFile } from '../../signing/message-file.ts';
import { readSigningKey } from '../../signing/private-key.ts';
import { PURPOSES } from '../../signing/profile.ts';
import { signMessage } from '../../signing/sign.ts';
import type { SignFlags } from '../commands/sign.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { keyNamed } from '../input/key-named.ts';
import { readInput } from '../input/read-input.ts';
import { note, printJson, printLine } from '../output/print.ts';

/** `registry sign`: the message as JSON, or its new headers as lines. */
export async function signCommand(file: string, flags: SignFlags): Promise<ExitCode> {
  const message = readMessageFile(await readInput(file));
  const stored = await keyOf(flags);
  if (await isExposed(stored.file)) note(`${stored.file} can be read by others: chmod 600 ${stored.file}`);
  const signed = await signMessage(message, {
    kind: flags.kind,
    profile: flags.profile,
    key: await readSigningKey(stored.jwk),
    now: flags.at ?? systemClock.now() / 1_000,
    coverDigest: flags.digest !== 'forbidden',
    components: flags.cover,
    ...(flags.vocabulary !== undefined && { vocabulary: flags.vocabulary }),
    ...(flags.lifetime !== undefined && { lifetime: flags.lifetime }),
  });
  if (flags.json) printJson(writeMessageFile(signed));
  else
    for (const [name, value] of signed.headers)
      if (/^(content-digest|signature|signature-input)$/.test(name)) printLine(`${name}: ${value}`);
  return EXIT.ok;
}

async function keyOf({ key, keys, kind }: SignFlags): Promise<StoredKey> {
  if (key !== undefined) return keyNamed(key, keys);
  const active = activeKey(await listSigningKeys(keys), PURPOSES[kind]);
  if (active !== undefined) return active;
  throw new RegistryError('not_found', `there is no key for ${PURPOSES[kind]} in ${keys}`, {
    hint: `make one with \`registry keys generate --kind ${kind}\``,
  });
}
