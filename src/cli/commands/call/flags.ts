import { PROTOCOLS } from '../../../domain/agent-type.ts';
import { SIGNING_PROFILES, TAG_VOCABULARIES } from '../../../signing/profile.ts';
import { choiceFlag, type FlagValues, integerFlag, negation, textFlag, toggle } from '../../flags.ts';
import { CREDENTIAL_FLAGS, KEY_FOLDER_FLAG, NETWORK_FLAGS } from '../../shared-flags.ts';

export const CALL_FLAGS = {
  json: textFlag(
    '--json <file>',
    'the request as a JSON file, or - for stdin; fields of the command line replace its members',
  ),
  format: choiceFlag(
    '--format <format>',
    'how the answer is printed; json follows schemas/cli/call.json',
    ['text', 'json'],
    'text',
  ),
  raw: toggle('--raw', 'print the answer as it came'),
  protocol: choiceFlag(
    '--protocol <protocol>',
    'use only this protocol; by default MCP, then A2A',
    PROTOCOLS,
  ),
  validate: negation('--no-validate', 'send the request unchecked, and without a generated idempotency_key'),
  timeout: integerFlag('--timeout <s>', 'seconds for each step of the conversation', [1, 600], 30),
  sign: textFlag('--sign <key>', 'sign every request with this private key: a file, or a kid in the folder'),
  profile: choiceFlag(
    '--profile <line>',
    'how signatures are written: 3.0 and 3.1 base64url, 3.2 base64',
    SIGNING_PROFILES,
    '3.2',
  ),
  vocabulary: choiceFlag(
    '--vocabulary <vocabulary>',
    'the vocabulary of the tag; by default that of the key',
    TAG_VOCABULARIES,
  ),
  digest: choiceFlag(
    '--digest <rule>',
    'whether a signature covers the body',
    ['required', 'forbidden'],
    'required',
  ),
  ...KEY_FOLDER_FLAG,
  ...CREDENTIAL_FLAGS,
  ...NETWORK_FLAGS,
};
export type CallFlags = FlagValues<typeof CALL_FLAGS>;
