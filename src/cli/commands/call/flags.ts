import { PROTOCOLS } from '../../../domain/agent-type.ts';
import { SIGNING_PROFILES, TAG_VOCABULARIES } from '../../../signing/profile.ts';
import { choiceFlag, type FlagValues, integerFlag, negation, textFlag, toggle } from '../../flags.ts';
import { CREDENTIAL_FLAGS, KEY_FOLDER_FLAG, NETWORK_FLAGS } from '../../shared-flags.ts';

export const CALL_FLAGS = {
  json: textFlag(
    '--json <file>',
    'read the request from this JSON file, or from stdin with -; fields on the command line override it',
  ),
  format: choiceFlag(
    '--format <format>',
    'output format; json follows schemas/cli/call.json',
    ['text', 'json'],
    'text',
  ),
  raw: toggle('--raw', 'print the unprocessed response body'),
  protocol: choiceFlag('--protocol <protocol>', 'use only this protocol (default: MCP, then A2A)', PROTOCOLS),
  validate: negation(
    '--no-validate',
    'send the request without validation and without a generated idempotency_key',
  ),
  timeout: integerFlag('--timeout <s>', 'timeout of each request, seconds', [1, 600], 30),
  sign: textFlag(
    '--sign <key>',
    'sign every request with this private key: a file, or a kid in the key folder',
  ),
  profile: choiceFlag(
    '--profile <line>',
    'encoding of signatures: 3.0 and 3.1 use base64url, 3.2 uses base64',
    SIGNING_PROFILES,
    '3.2',
  ),
  vocabulary: choiceFlag(
    '--vocabulary <vocabulary>',
    'vocabulary of the signature tag (default: that of the key)',
    TAG_VOCABULARIES,
  ),
  digest: choiceFlag(
    '--digest <rule>',
    'whether signatures cover the body',
    ['required', 'forbidden'],
    'required',
  ),
  ...KEY_FOLDER_FLAG,
  ...CREDENTIAL_FLAGS,
  ...NETWORK_FLAGS,
};
export type CallFlags = FlagValues<typeof CALL_FLAGS>;
