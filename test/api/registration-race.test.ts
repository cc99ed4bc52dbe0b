import { bareDocument } from './support/documents.ts';
import { AGENT, describeRegistrationRaces } from './support/registration-races.ts';
import { openRegistry } from './support/registry.ts';

describeRegistrationRaces('SQLite', async (findProof) => {
  const { records, server, addKey } = await openRegistry([bareDocument(AGENT)], {}, { findProof });
  return { records, servers: [server], addKey };
});
