import { RegistryError } from '../../errors.ts';
import type { StoredKey } from '../../signing/key-folder.ts';
import {
  MESSAGE_KINDS,
  type MessageKind,
  PURPOSES,
  SIGNING_PROFILES,
  TAG_VOCABULARIES,
} from '../../signing/profile.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { choiceFlag, integerFlag, listFlag, textFlag } from '../flags.ts';
import { readInput } from '../input/arguments.ts';
import { note, printJson, printLine } from '../output/print.ts';
import { JSON_FLAG, KEY_FOLDER_FLAG } from '../shared-flags.ts';

/** The message as JSON, or its new headers as lines. */
export default command({
  name: 'sign',
  description: 'Sign a message {method, url, headers, body} and print it with its signature headers.',
  arguments: [['<file>', 'the message as JSON, or - for stdin']],
  flags: {
    key: textFlag(
      '--key <key>',
      'private key: a file, or a kid in the folder (default: the newest of its kind in the folder)',
    ),
    kind: choiceFlag('--kind <kind>', 'kind of message', MESSAGE_KINDS, 'request'),
    profile: choiceFlag(
      '--profile <line>',
      'encoding of signatures: 3.0 and 3.1 base64url, 3.2 base64',
      SIGNING_PROFILES,
      '3.2',
    ),
    vocabulary: choiceFlag(
      '--vocabulary <vocabulary>',
      'vocabulary of the tag parameter (default: that of the key)',
      TAG_VOCABULARIES,
    ),
    digest: choiceFlag(
      '--digest <rule>',
      'whether the signature covers the body',
      ['required', 'forbidden'],
      'required',
    ),
    cover: listFlag('--cover <header>', 'additional header to cover (repeatable)'),
    at: integerFlag('--at <s>', 'creation time of the signature, Unix seconds', [0, 1e12]),
    lifetime: integerFlag('--lifetime <s>', 'seconds until it expires (default 300)', [1, 300]),
    ...KEY_FOLDER_FLAG,
    ...JSON_FLAG,
  },
  examples: ['agent-registry sign request.json --json > signed.json'],
  async run(flags, file) {
    const { systemClock } = await import('../../compose/clock.ts');
    const { readMessageFile, writeMessageFile } = await import('../../signing/message-file.ts');
    const { readSigningKey } = await import('../../signing/private-key.ts');
    const { signMessage } = await import('../../signing/sign.ts');
    const message = readMessageFile(await readInput(file));
    const stored = await keyOf(flags.key, flags.keys, flags.kind);
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
  },
});

async function keyOf(key: string | undefined, folder: string, kind: MessageKind): Promise<StoredKey> {
  const { activeKey, listSigningKeys } = await import('../../signing/key-folder.ts');
  const { isExposed } = await import('../../signing/secret-file.ts');
  const { keyNamed } = await import('../input/signing-key.ts');
  const stored =
    key === undefined
      ? activeKey(await listSigningKeys(folder), PURPOSES[kind])
      : await keyNamed(key, folder);
  if (stored === undefined)
    throw new RegistryError('not_found', `no key for ${PURPOSES[kind]} in ${folder}`, {
      hint: `create one with \`agent-registry keys generate --kind ${kind}\``,
    });
  if (await isExposed(stored.file))
    note(`${stored.file} is readable by other users: run chmod 600 ${stored.file}`);
  return stored;
}
