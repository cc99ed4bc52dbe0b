import { writeFileSync } from 'node:fs';
import { protocolTypes } from './protocol-types.ts';

// node tools/generate-protocol-types.ts [VERSION]: writes the TypeScript types of the protocol's schemas.
const version = process.argv[2] ?? '3.0.0';
const file = new URL('../src/protocol/generated/types.ts', import.meta.url);
writeFileSync(file, await protocolTypes(version));
