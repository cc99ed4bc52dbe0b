import type { FastifyInstance } from 'fastify';
import { authorizationsOperations } from './authorizations.ts';
import { brandFileOperations } from './brand-files.ts';
import { bulkPropertyCheckOperations } from './bulk-property-check.ts';
import { directoryOperation } from './directory.ts';
import { fileDiffOperation } from './file-diffs.ts';
import { fileFindingsOperation } from './file-findings.ts';
import { fileHistoryOperations } from './file-histories.ts';
import { findBrandsOperations } from './find-brands.ts';
import { listPropertiesOperation } from './list-properties.ts';
import { lookupOperations } from './lookups.ts';
import { networkOperation } from './network.ts';
import { operatorOperations } from './operator.ts';
import { productOperations } from './products.ts';
import { propertyAuthorizationOperation } from './property-authorization.ts';
import { propertyCheckOperations } from './property-checks.ts';
import { publisherOperations } from './publisher.ts';
import { publisherEntriesOperation } from './publisher-entries.ts';
import { listPublishersOperation } from './publishers.ts';
import type { GraphParts } from './reading.ts';
import { resolveBrandsOperations } from './resolve-brands.ts';
import { resolveIdentifiersOperation } from './resolve-identifiers.ts';
import { resolvePropertiesOperations } from './resolve-properties.ts';

/** The operations over the edges between publishers, brands and agents, in the order of the document. */
export function graphOperations(server: FastifyInstance, graph: GraphParts): void {
  listPublishersOperation(server, graph);
  lookupOperations(server, graph);
  directoryOperation(server, graph);
  authorizationsOperations(server, graph);
  propertyAuthorizationOperation(server, graph);
  publisherOperations(server, graph);
  publisherEntriesOperation(server, graph);
  networkOperation(server, graph);
  operatorOperations(server, graph);
  productOperations(server, graph);
  resolvePropertiesOperations(server, graph);
  listPropertiesOperation(server, graph);
  resolveBrandsOperations(server, graph);
  brandFileOperations(server, graph);
  findBrandsOperations(server, graph);
  fileHistoryOperations(server, graph);
  fileDiffOperation(server, graph);
  fileFindingsOperation(server, graph);
  resolveIdentifiersOperation(server, graph);
  propertyCheckOperations(server, graph);
  bulkPropertyCheckOperations(server, graph);
}
