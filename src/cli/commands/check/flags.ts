import { SETTINGS } from '../../../config.ts';
import { PROTOCOLS } from '../../../domain/agent-type.ts';
import {
  choiceFlag,
  conflicting,
  type FlagValues,
  integerFlag,
  listFlag,
  PORTS,
  parsedFlag,
  textFlag,
  toggle,
} from '../../flags.ts';
import { accountId } from '../../input/arguments.ts';
import {
  CREDENTIAL_FLAGS,
  JSON_FLAG,
  KEY_FOLDER_FLAG,
  NETWORK_FLAGS,
  STORE_FLAGS,
} from '../../shared-flags.ts';

export const FORMATS = ['text', 'json', 'junit', 'markdown'] as const;
export type ReportFormat = (typeof FORMATS)[number];

export const CHECK_FLAGS = {
  storyboards: textFlag(
    '--storyboards <dir>',
    'folder with storyboards in the public YAML format (default: the built-in bundle)',
  ),
  schemas: textFlag(
    '--schemas <dir>',
    'folder with JSON Schemas for storyboards that name their schemas (default: the built-in ones)',
  ),
  target: textFlag(
    '--target <version>',
    'version of the bundle: 3.1, latest, 3.1.19 or an alias (default: by the versions that the agent declares)',
  ),
  only: listFlag('--only <id>', 'run only this storyboard (repeatable)', 'all'),
  track: listFlag('--track <name>', 'run only the storyboards of this track (repeatable)', 'all'),
  step: conflicting(
    textFlag('--step <storyboard/step>', 'run only this step, also written STORYBOARD/PHASE/STEP'),
    ['only', 'track'],
  ),
  context: textFlag(
    '--context <file>',
    'with --step: JSON object with the $context.* values of earlier steps',
  ),
  protocol: choiceFlag('--protocol <protocol>', 'use only this protocol (default: MCP, then A2A)', PROTOCOLS),
  as: textFlag('--as <url>', 'URL of the buyer agent that the tests act as', SETTINGS.testAgent.fallback),
  operator: textFlag(
    '--operator <domain>',
    'domain of the operator of the buyer agent (default: the host of --as)',
  ),
  brand: textFlag(
    '--brand <domain>',
    'domain of the brand that the tests buy for',
    SETTINGS.testBrand.fallback,
  ),
  account: parsedFlag(
    '--account <id>',
    'id of a test account at the agent, in place of the account that the samples of the storyboards name',
    accountId,
  ),
  dryRun: toggle('--dry-run', 'call only read tasks; the run is marked as dry and changes no status'),
  record: toggle(
    '--record',
    'record the run in the registry, which updates status, history and badges of the agent',
  ),
  save: textFlag('--save <dir>', 'save every request and response in this new folder'),
  replay: textFlag(
    '--replay <dir>',
    'check the responses saved in this folder again, without network access',
  ),
  timeout: integerFlag('--timeout <s>', 'timeout of each step, seconds', [1, 120], 30),
  deadline: integerFlag('--deadline <s>', 'time limit of the whole run, seconds', [1, 7_200], 600),
  sign: textFlag(
    '--sign <key>',
    'sign every request with this private key: a file, or a kid in the key folder',
  ),
  webhooks: textFlag(
    '--webhooks <origin>',
    'public origin that forwards to --webhook-port (default for an agent on this machine: 127.0.0.1)',
  ),
  webhookPort: integerFlag(
    '--webhook-port <n>',
    'port on 127.0.0.1 that receives webhooks; 0 selects a free port',
    PORTS,
    0,
  ),
  webhookJwks: textFlag(
    '--webhook-jwks <file>',
    'JWK set with the public keys of the webhooks (default: the keys in the brand.json of the agent)',
  ),
  format: choiceFlag('--format <format>', 'format of the report (default: text)', FORMATS),
  output: textFlag('--output <file>', 'write the report to this file; stdout shows the text report'),
  verbose: toggle(
    '--verbose',
    'show every storyboard, the exchanged messages of failed steps, and all findings and limitations',
  ),
  progress: choiceFlag(
    '--progress <kind>',
    'how to show progress on stderr',
    ['auto', 'plain', 'none'],
    'auto',
  ),
  ...KEY_FOLDER_FLAG,
  ...CREDENTIAL_FLAGS,
  ...NETWORK_FLAGS,
  ...STORE_FLAGS,
  ...JSON_FLAG,
};
export type CheckFlags = FlagValues<typeof CHECK_FLAGS>;
