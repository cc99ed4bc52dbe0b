import type { FastifyInstance } from 'fastify';
import { sendBody } from '../operations/graph/reading.ts';
import { queryText, refuseParameters } from '../parameters.ts';
import { publicAddress } from '../public-address.ts';
import { MANIFEST } from './descriptions.ts';
import { REGISTRY_TYPE, TYPE_OF_PROTOCOL } from './entry.ts';
import { ARD_PATH } from './problems.ts';

/** GET /.well-known/ard.json: the manifest of the registry (ARD v0.91, 5.1). */
export function ardManifest(
  server: FastifyInstance,
  { version, baseUrl = '' }: { readonly version: string; readonly baseUrl?: string },
): void {
  server.get('/.well-known/ard.json', MANIFEST, async (request, reply) => {
    refuseParameters(queryText(request), 'the manifest');
    const origin = publicAddress(request, baseUrl);
    return sendBody(request, reply, manifestOf(origin, version));
  });
}

function manifestOf(origin: string, version: string) {
  const { hostname } = new URL(origin);
  const publisher = /^[a-z0-9.-]+$/.test(hostname) ? hostname : 'localhost';
  const trustManifest = { identity: origin, identityType: 'https' };
  const description =
    'The agents of an open advertising protocol: which agents exist, what they can do, who authorises them, and how they perform in tests.';
  const queries = [
    'find an advertising agent that sells connected TV',
    'which measurement vendor is accredited for viewability',
    'may this agent sell this publisher',
    'is this advertising agent verified',
  ];
  return {
    specVersion: '1.0', // of the previous catalogue format; ARD ignores it (5.1)
    entries: [
      {
        identifier: `urn:air:${publisher}:registry:agents`,
        displayName: 'Agent registry',
        type: REGISTRY_TYPE,
        url: `${origin}${ARD_PATH}`,
        ...{ description, version, tags: ['advertising'], representativeQueries: queries, trustManifest },
      },
      {
        identifier: `urn:air:${publisher}:server:agents`,
        displayName: 'Agent registry over MCP',
        type: TYPE_OF_PROTOCOL.mcp,
        data: {
          ...{ name: 'agent-registry', title: 'Agent registry', description, version },
          remotes: [{ type: 'streamable-http', url: `${origin}/mcp` }],
        },
        capabilities: [
          ...['search_agents', 'get_agent', 'get_compliance'],
          ...['check_authorization', 'validate_file', 'explain'],
        ],
        ...{ description, version, tags: ['advertising'], representativeQueries: queries, trustManifest },
      },
    ],
  };
}
