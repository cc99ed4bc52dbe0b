import type { FastifyInstance } from 'fastify';
import type { Budgets } from '../../budgets/budgets.ts';
import type { Credentials } from '../../owners/credentials.ts';
import type { Records } from '../../ports/records.ts';
import { agentAuditOperation } from './agent-audit.ts';
import { connectOperations } from './connect.ts';
import { credentialOperations } from './credential.ts';
import type { GraphParts } from './graph/reading.ts';
import { joinOperations } from './join.ts';
import type { Joining } from './joining.ts';
import { keyOperations } from './keys/key-operations.ts';
import { monitoringOperations } from './monitoring.ts';
import { monitoringRequestsOperation } from './monitoring-requests.ts';
import { myAgentsOperation } from './my-agents.ts';
import { oauthClientOperations } from './oauth-client.ts';
import { ownAgentOperations } from './own-agents.ts';
import { ownMemberOperations } from './own-member.ts';
import { ownerStatementOperations } from './owner-statement.ts';
import { type Proving, proofOperations } from './ownership-proof.ts';
import { type SettingsParts, settingsOperations } from './settings.ts';

interface OwnerParts extends GraphParts, SettingsParts {
  readonly records: Records;
  readonly budgets: Budgets;
  /** Absent: no credential can be stored. */
  readonly credentials?: Credentials;
  readonly proving: Proving;
  readonly joining: Joining;
}

/** The operations for owners, by an API key. */
export function ownerOperations(server: FastifyInstance, parts: OwnerParts): void {
  settingsOperations(server, parts);
  monitoringOperations(server, parts);
  monitoringRequestsOperation(server, parts);
  credentialOperations(server, parts);
  ownerStatementOperations(server, parts);
  connectOperations(server, parts);
  oauthClientOperations(server, parts);
  agentAuditOperation(server, parts);
  myAgentsOperation(server, parts);
  ownAgentOperations(server, parts);
  ownMemberOperations(server, parts);
  proofOperations(server, parts.proving);
  keyOperations(server, parts);
  joinOperations(server, parts.joining);
}
