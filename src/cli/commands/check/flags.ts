import { SETTINGS } from '../../../config.ts';
import { PROTOCOLS } from '../../../domain/agent-type.ts';
import {
  choiceFlag,
  conflicting,
  type FlagValues,
  integerFlag,
  listFlag,
  PORTS,
  textFlag,
  toggle,
} from '../../flags.ts';
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
    'storyboards in the public YAML format (default: our own bundle)',
  ),
  schemas: textFlag(
    '--schemas <dir>',
    'JSON Schemas to judge answers by, for storyboards that name theirs (default: ours)',
  ),
  target: textFlag('--target <line>', 'the version of the protocol: 3.0, 3, latest or 3.0.0', '3.0'),
  only: listFlag('--only <id>', 'run this storyboard only (repeatable)', 'all'),
  track: listFlag('--track <name>', 'run the storyboards of this track only (repeatable)', 'all'),
  step: conflicting(
    textFlag('--step <storyboard/step>', 'run this step only, also as STORYBOARD/PHASE/STEP'),
    ['only', 'track'],
  ),
  context: textFlag(
    '--context <file>',
    'for --step: a JSON object with values for $context.*, which earlier steps would provide',
  ),
  protocol: choiceFlag(
    '--protocol <protocol>',
    'use only this protocol; by default MCP, then A2A',
    PROTOCOLS,
  ),
  as: textFlag('--as <url>', 'the agent that the test buys as', SETTINGS.testAgent.fallback),
  operator: textFlag('--operator <domain>', 'the domain of its operator; by default its host'),
  brand: textFlag('--brand <domain>', 'the brand that the test buys for', SETTINGS.testBrand.fallback),
  dryRun: toggle(
    '--dry-run',
    'call only what reads; the run is marked as dry, and no verdict follows from it',
  ),
  record: toggle(
    '--record',
    'keep the run in the registry, where verdict, history and badges follow from it',
  ),
  save: textFlag('--save <dir>', 'keep every exchange in a new folder'),
  replay: textFlag('--replay <dir>', 'check the answers saved there again, without a network'),
  timeout: integerFlag('--timeout <s>', 'seconds for each step', [1, 120], 30),
  deadline: integerFlag('--deadline <s>', 'seconds for the whole run', [1, 7_200], 600),
  sign: textFlag('--sign <key>', 'sign every request with this private key: a file, or a kid in the folder'),
  webhooks: textFlag(
    '--webhooks <origin>',
    'where the agent reaches --webhook-port; for an agent of this machine: 127.0.0.1',
  ),
  webhookPort: integerFlag(
    '--webhook-port <n>',
    'port on 127.0.0.1 for its webhooks; 0: a free one',
    PORTS,
    0,
  ),
  webhookJwks: textFlag(
    '--webhook-jwks <file>',
    'public keys of its webhooks, a JWK set; default: those its brand.json leads to',
  ),
  format: choiceFlag('--format <format>', 'of the report; default: text', FORMATS),
  output: textFlag(
    '--output <file>',
    'write the report in its format to this file; stdout has the text report',
  ),
  verbose: toggle(
    '--verbose',
    'show every storyboard, each failed step with the exchanged messages, and all findings and limitations',
  ),
  progress: choiceFlag(
    '--progress <kind>',
    'how to show progress, on stderr',
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
